"""Which triggers a line of shell sets off: its programs, wherever they stand in it."""

from __future__ import annotations

import pytest

from remora.shell.trigger_match import asks


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("gh pr create \\\n  --reviewers bob", "gh pr create --reviewers"),
        ("gh pr create \\\r\n  --reviewers bob", "gh pr create --reviewers"),
        ('rg "foo|bar" --glob-x src', "rg --glob-x"),
        ('git commit -m "fix; done" --amnd', "git commit --amnd"),
        ("git commit -m 'one\n\ntwo -- three' --amnd", "git commit --amnd"),
        ('git commit -m "say \\"a; b\\"" --amnd', "git commit --amnd"),
        ("find . -exec wc {} \\; --x", "find --x"),
        ("uv run -- pytest --x", "pytest --x"),
        ("uv run --with pytest -- pytest --x", "pytest --x"),
        ("pytest 'tests/a.py::test[x|y]' --x", "pytest --x"),
        ("docker run --rm img sh -c 'a; b' --x", "docker run --x"),
        ('bash -lc "cd web && pnpm test --grep a"', "pnpm test --grep"),
        ("if ! X=$(pnpm test --grep a); then exit; fi", "pnpm test --grep"),
        ("cat <<EOF\n`pnpm test --grep a`\nEOF", "pnpm test --grep"),
        ("pnpm test -- --grep a", "pnpm -- --grep"),
        ('bash -c "pnpm test -- --grep a"', "pnpm -- --grep"),
        ("make lint;pnpm test --grep a|tail", "pnpm --grep"),
    ],
)
def test_a_command_asks_for_some_words(line: str, words: str):
    """Quoted text, and what goes on in the next line, is part of it."""
    assert asks(line, words.split())


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("pnpm test -- --grep a", "pnpm --grep"),
        ("pnpm test --\n--grep a", "pnpm --grep"),
        ("uv run -- pytest --x", "uv --x"),
        ("pnpm test 'a|b'; rg --grep c", "pnpm --grep"),
        ("pnpm test | rg --grep a", "pnpm --grep"),
        ("pnpm test\nrg --grep a", "pnpm --grep"),
        ("pnpm test && rg --grep a", "pnpm --grep"),
        ("echo 'pnpm test --grep a'", "pnpm --grep"),
        ("cat <<'EOF'\n`pnpm test --grep a`\nEOF", "pnpm --grep"),
        ("pnpm test --grepped a", "pnpm --grep"),
        ("", "pnpm"),
    ],
)
def test_no_command_asks_for_some_words(line: str, words: str):
    """What another command has, or the program behind `--`, is not part of it."""
    assert not asks(line, words.split())
