"""Rule files are cut where one rule ends and the next begins."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from remora.core.values import MEMORY_TYPES
from remora.sources.rule_split import CODE_CHARACTERS, TEXT_CHARACTERS, Block, split
from remora.sources.rule_types import memory_type


def blocks(text: str, **options) -> list[tuple[str, tuple[str, ...], str]]:
    """Return kind, path and text of each rule."""
    return [(b.kind, b.path, b.text) for b in split(text, **options)[0]]


def texts(text: str, **options) -> list[str]:
    """Return the texts of the rules."""
    return [b.text for b in split(text, **options)[0]]


def test_one_rule_per_bullet_under_its_headings():
    """The title of a file about everything is no context; the headings below it are."""
    text = "# Mine\n\n## Testing\n\n### Commands\n\n- Run `pytest -q` before commits.\n- Keep tests fast.\n"
    assert blocks(text) == [
        ("item", ("Testing", "Commands"), "Run `pytest -q` before commits."),
        ("item", ("Testing", "Commands"), "Keep tests fast."),
    ]
    assert blocks(text, title=True)[0][1] == ("Mine", "Testing", "Commands")


def test_nested_bullets_belong_to_their_bullet():
    """A short bullet with sub-bullets is one rule."""
    assert texts(
        "- Use repositories:\n  - one class per table\n  - no SQL elsewhere\n- Other rule of this file\n"
    ) == [
        "Use repositories:\n- one class per table\n- no SQL elsewhere",
        "Other rule of this file",
    ]


def test_a_long_bullet_is_cut_into_its_sub_bullets():
    """Each part keeps the bullet above it as context."""
    inner = "\n".join(
        f"  - Sub rule number {n} says something useful about the matter at hand here" for n in range(12)
    )
    found = split(f"- When you write a migration:\n{inner}\n")[0]
    assert len(found) == 12
    assert found[0] == Block(
        "Sub rule number 0 says something useful about the matter at hand here",
        2, ("When you write a migration",), "item", led=True,
    )  # fmt: skip


def test_code_belongs_to_the_text_before_it():
    """A command without its sentence would say little."""
    assert blocks(
        "## Build\n\nRun the tests with:\n\n```bash\nmake test\n```\n\nMore words follow here.\n"
    ) == [
        ("code", ("Build",), "Run the tests with:\n```bash\nmake test\n```"),
        ("text", ("Build",), "More words follow here."),
    ]


def test_an_announced_list_stays_with_its_sentence_when_short():
    """The sentence before a list is part of it, what stands before that sentence is not."""
    text = "The service is stateless. It supports:\n\n- retries of failed calls\n- batches of any size\n"
    assert blocks(text) == [
        ("text", (), "The service is stateless."),
        ("item", (), "It supports:\n- retries of failed calls\n- batches of any size"),
    ]


def test_an_announced_list_that_is_long_is_cut():
    """Then every item has the sentence as context."""
    items = "\n".join(
        f"- Item {n} explains at some length what has to be done in this case and why" for n in range(9)
    )
    found = split(f"All changes need to:\n\n{items}\n")[0]
    assert len(found) == 9
    assert {b.path for b in found} == {("All changes need to",)}
    assert all(b.led for b in found)


def test_a_list_of_names_is_one_rule():
    """Names alone say nothing each."""
    assert blocks("## Languages\n\n- Python 3.12\n- TypeScript\n- Go\n") == [
        ("item", ("Languages",), "Python 3.12; TypeScript; Go")
    ]


def test_a_procedure_is_one_rule_with_steps():
    """Numbered actions belong together, code included."""
    (found,) = split(
        "## Adding a command\n\n1. Create `x.py`\n2. Register it:\n   ```\n   add(x)\n   ```\n3. Run it\n"
    )[0]
    assert found.kind == "steps"
    assert found.steps == ("Create `x.py`", "Register it:\n```\nadd(x)\n```", "Run it")
    assert found.text.startswith("1. Create `x.py`\n2. Register it:")


def test_numbered_principles_are_no_procedure():
    """Rules that happen to be numbered are rules."""
    text = "## Principles\n\n1. Never block the loop.\n2. Always validate input.\n3. Prefer plain names.\n"
    assert [kind for kind, _, _ in blocks(text)] == ["item", "item", "item"]


def test_a_short_table_is_whole_and_a_long_one_is_cut_into_rows():
    """Two columns read as name and value, more carry their heads."""
    head = "## Commands\n\n| Command | What it does |\n|---|---|\n"
    assert texts(head + "| `make a` | builds |\n| `make b` | tests |\n") == [
        "`make a`: builds\n`make b`: tests"
    ]
    wide = "| Name | Type | Use |\n|---|---|---|\n" + "".join(
        f"| n{n} | t{n} | {'long ' * 20}|\n" for n in range(9)
    )
    found = split(wide)[0]
    assert len(found) == 9
    assert found[0].text.startswith("Name: n0; Type: t0; Use: long")
    assert found[8].line == 11


def test_a_bold_line_over_something_is_a_heading():
    """Many files use bold lines for that; a bold sentence is a rule."""
    text = (
        "**Naming**\n\n- Use snake case for functions\n\n**Never commit secrets.**\n\nText that follows it.\n"
    )
    assert blocks(text) == [
        ("item", ("Naming",), "Use snake case for functions"),
        ("text", ("Naming",), "Never commit secrets."),
        ("text", ("Naming",), "Text that follows it."),
    ]


def test_a_long_paragraph_is_cut_at_sentences_and_nothing_is_lost():
    """Every word is still there, in order, and no part is over the limit."""
    text = " ".join(f"Sentence number {n} has a few words." for n in range(120))
    found = texts(text)
    assert len(found) > 2
    assert all(len(t) <= TEXT_CHARACTERS for t in found)
    assert " ".join(found) == text
    assert "".join(texts("## Noise\n\n" + "x" * 5000)) == "x" * 5000


def test_of_long_code_the_beginning_is_kept_and_the_rest_is_told():
    """A listing is cut, commands are split."""
    listing = "```python\n" + "print('x' * 40)\n" * 200 + "```\n"
    found, out = split("## Example\n\n" + listing)
    assert len(found) == 1
    assert len(found[0].text) < CODE_CHARACTERS + 100
    assert found[0].text.endswith("…\n```")
    assert [o.why for o in out] == [f"what lies beyond {CODE_CHARACTERS} characters"]
    found, out = split("Commands:\n\n" + listing.replace("python", "bash"))
    assert len(found) > 1
    assert all(b.text.startswith("Commands:\n```bash") for b in found)
    assert out == []


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("See below.", "says nothing"),
        ("TODO", "says nothing"),
        ("- ...", "says nothing"),
        ("Thanks all", "too short to mean anything alone"),
        ("See [docs](docs/x.md)", "only points elsewhere"),
        ("You are an expert TypeScript developer.", "gives the model a role, not a rule"),
        (
            "This file provides guidance to Claude Code (claude.ai/code) when working with code here.",
            "says what the file is",
        ),
        ("The project has the following parts:", "announces something that does not follow"),
    ],
)
def test_what_says_nothing_is_left_out_with_its_reason(text, why):
    """Fragments and announcements are no rules."""
    found, out = split(text)
    assert found == []
    assert [o.why for o in out] == [why]


@pytest.mark.parametrize(
    "rule", ["提交信息必须用英文。", "测试必须先写。", "必ずテストを先に書く。", "커밋 메시지는 영어로 쓴다."]
)
def test_rules_without_spaces_are_no_fragments(rule):
    """A sentence of a script that parts no words has more of them than one."""
    found, out = split(f"- {rule}")
    assert ([one.text for one in found], out) == ([rule], [])


def test_lines_that_are_too_long_are_told():
    """What the reader cuts is reported with its place."""
    _, out = split("fine words here\n\n" + "word " * 3000)
    assert [(o.line, o.why) for o in out] == [(3, "a line beyond 8,000 characters")]


def test_line_numbers_count_from_the_file():
    """The body starts after the front matter."""
    assert split("- First rule of the file", first_line=7)[0][0].line == 7


def test_what_a_file_is_about_is_context_where_no_heading_is():
    """A description helps a bare list."""
    assert blocks("- Keep handlers thin and boring.\n", context="API rules")[0][1] == ("API rules",)
    assert blocks("## Handlers\n- Keep handlers thin and boring.\n", context="API rules")[0][1] == (
        "Handlers",
    )


@pytest.mark.parametrize(
    "text", ["", "\n\n", "#", "# Only\n## headings", "---\n---", "```", "|", "-", "1.", "> "]
)
def test_files_without_rules_give_none(text):
    """Headings alone and stray signs are nothing."""
    assert split(text)[0] == []


SCRAPS = st.sampled_from(
    ["- ", "  - ", "1. ", "# ", "> ", "```", "|", "---", "**", "`", "<!--", "-->", "\n", "\n\n", "    ",
     ": ", "[a](b)", "words here "]
)  # fmt: skip


@settings(max_examples=150, deadline=None)
@given(st.lists(st.one_of(SCRAPS, st.text(max_size=12)), max_size=60).map("".join))
def test_any_text_can_be_split(text):
    """Nothing raises, no rule is empty, each has a line of the file and a type."""
    found, out = split(text)
    lines = text.count("\n") + 1
    for block in found:
        assert block.text.strip()
        assert 1 <= block.line <= lines
        assert memory_type(block) in MEMORY_TYPES
    assert all(1 <= one.line <= lines for one in out)
    assert split(text) == (found, out)
