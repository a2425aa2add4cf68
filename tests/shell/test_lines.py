"""Lines of shell: variables that are set in them, commands they consist of, and words of one command."""

from __future__ import annotations

import pytest

from remora.shell.lines import bare, parts_in, programs_in, whole_of, wholes_in
from remora.shell.trigger_match import asks
from tests.tables import table


@pytest.mark.parametrize(
    ("line", "without"),
    [
        ("A=1 make test", "make test"),
        ("A=1 B=\"x y\" C='p && q' make lint && D= make test", "make lint && make test"),
        ("make test A=1", "make test A=1"),
        ("echo a && make -j B=2 && C=3 make", "echo a && make -j B=2 && make"),
        ("yes | A=1 make && B=2 make", "yes | make && make"),
        ("A=1", "A=1"),
        ("", ""),
    ],
)
def test_a_line_without_its_variables(line: str, without: str):
    """Only those that stand before a program go; what stands behind is its own argument."""
    assert bare(line) == without


@pytest.mark.parametrize(
    ("line", "commands"),
    [
        ("cd web && make check 2>&1 | tail -20", ["cd web", "make check", "tail -20"]),
        ("pytest tests -q >/tmp/out 2>/dev/null", ["pytest tests"]),
        ("(cd web; make check) &", ["cd web", "make check"]),
        ("export A=1 && export B=2 && make x", ["export A=1", "A=1 export B=2", "A=1 B=2 make x"]),
        ("A=1 make check", ["A=1 make check"]),
        ("python -m pytest tests", ["python -m pytest tests"]),
        ("git commit -m 'x; make check'", ["git commit -m 'x; make check'"]),
        ('echo "a > b && c" 2>/dev/null | cat', ['echo "a > b && c"', "cat"]),
        ("diff <(make a) b", ["diff <(make a) b"]),
        ("make\nmake", ["make"]),
        ("make   >out   2>&1   check", ["make check"]),
        ("make lint\n>out make test", ["make lint", "make test"]),
        ("make \\\n  check", ["make check"]),
        (" " * 16_000, []),
        (" ;; ", []),
    ],
)
def test_the_commands_of_a_line(line: str, commands: list[str]):
    """Each whole, with the variables that it has; what becomes of the output is no part of it."""
    assert [one for one in wholes_in(line) if " | " not in one] == commands


@pytest.mark.parametrize(
    ("form", "programs"),
    [
        ("jq '.items | length' a.json && make test", ["jq '.items | length' a.json", "make test"]),
        ('bash -c "a && \\"b | c" | tee d', ['bash -c "a && \\"b | c"', "tee d"]),
        ("rg --glob='a | b' c | xargs rm", ["rg --glob='a | b' c", "xargs rm"]),
        ("echo $(a | b) && c", ["echo $(a | b)", "c"]),
        ("echo \\' && b | c", ["echo \\'", "b", "c"]),
        ("a && jq '.items | len", ["a", "jq '.items | len"]),
        ("rg a|b | c", ["rg a", "b", "c"]),
        ("", []),
    ],
)
def test_the_programs_of_a_normal_form(form: str, programs: list[str]):
    """Nothing in quotes is one, also where the form was cut in them; what is escaped is no quote."""
    assert programs_in(form) == programs


def test_the_parts_of_a_normal_form():
    """Pipes are whole; quotes, and another folder, keep together what is in them."""
    form = "jq 'a && b' c | d && (cd 'my web' && a | b) && e"
    assert parts_in(form) == ["jq 'a && b' c | d", "(cd 'my web' && a | b)", "e"]


@pytest.mark.parametrize(
    ("line", "pipes"),
    [
        (
            "yes | CI=1 make check 2>&1 | tail -5",
            ["yes | CI=1 make check", "yes | CI=1 make check | tail -5"],
        ),
        ("yes |\n make check", ["yes | make check"]),
        ("export A=1; yes | make", ["A=1 yes | A=1 make"]),
        ("a | a; b | c", ["a | a", "b | c"]),
        ("make || yes", []),
        ("| make", []),
    ],
)
def test_the_pipes_of_a_line(line: str, pipes: list[str]):
    """Each begins where the line does, or a command; what stands at its end may be left out."""
    assert [one for one in wholes_in(line) if " | " in one] == pipes


def test_a_very_long_pipe_is_known_by_its_beginning():
    """Nobody warns of more."""
    assert len(wholes_in("a | " * 900)) == 6


@pytest.mark.parametrize(
    ("line", "whole"),
    [
        ("make -q check > out", "make check"),
        ("yes | make check", "yes | make check"),
        ("make; make", "make"),
        ("yes | make; make", ""),
        ("make && yes", ""),
        ("", ""),
    ],
)
def test_a_line_that_is_one_command(line: str, whole: str):
    """Or one pipe."""
    assert whole_of(line) == whole


@pytest.mark.parametrize(("line", "words", "asked"), table(__file__, "asks"))
def test_one_command_of_a_line_has_all_the_words(line: str, words: str, asked: str):
    """Quoted text and the next line are part of it; another command, or one behind `--`, is not."""
    assert asks(line, words.split()) is (asked == "yes")
