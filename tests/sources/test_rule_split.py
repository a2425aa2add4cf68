"""Rule files are cut where one rule ends and the next begins."""

from __future__ import annotations

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from remora.sources.markdown import LINE_CHARACTERS
from remora.sources.rule_split import (
    ALL,
    CODE_CHARACTERS,
    ORDERS,
    TEXT_CHARACTERS,
    Block,
    split,
    standing_alone,
)
from tests.tables import table


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


@pytest.mark.parametrize(
    ("text", "rules"),
    [
        (
            "- Use repositories:\n  - one class a table\n  - no SQL elsewhere\n- Keep the other rules\n",
            ["Use repositories:\n- one class a table\n- no SQL elsewhere", "Keep the other rules"],
        ),
        ("## Allowed licences must be\n\n- MIT\n- Apache 2\n- BSD\n", ["MIT; Apache 2; BSD"]),
        (
            "## Build\n\nRun the tests with:\n\n```bash\nmake test\n```\n\nKeep more words below.\n",
            ["Run the tests with:\n```bash\nmake test\n```", "Keep more words below."],
        ),
        (
            "## Principles\n\n1. Never block the loop.\n2. Always validate input.\n",
            ["Never block the loop.", "Always validate input."],
        ),
    ],
    ids=["nested bullets", "names", "code", "numbered rules"],
)
def test_what_belongs_together_is_one_rule(text, rules):
    """Sub-bullets with their bullet, names with each other, code with its sentence; numbers make no steps."""
    assert texts(text, keep=ALL) == rules


def test_a_long_bullet_is_cut_into_its_sub_bullets():
    """Each part keeps the bullet above it as context."""
    inner = "\n".join(
        f"  - Check number {n} of the things that matter for the matter at hand here" for n in range(12)
    )
    found = split(f"- When you write a migration:\n{inner}\n")[0]
    assert len(found) == 12
    assert found[0] == Block(
        "Check number 0 of the things that matter for the matter at hand here",
        2, ("When you write a migration",), "item", led=True,
    )  # fmt: skip


def test_an_announced_list_stays_with_its_sentence_when_short():
    """The sentence before a list is part of it, what stands before that sentence is not."""
    text = "Never keep state in the service. Do not repeat:\n\n- failed calls\n- batches of any size\n"
    assert blocks(text) == [
        ("text", (), "Never keep state in the service."),
        ("item", (), "Do not repeat:\n- failed calls\n- batches of any size"),
    ]


def test_an_announced_list_that_is_long_is_cut():
    """Then every item has the sentence as context."""
    items = "\n".join(
        f"- carry item {n} with what is to be done in such a case and its reason" for n in range(9)
    )
    found = split(f"All changes must:\n\n{items}\n")[0]
    assert len(found) == 9
    assert {b.path for b in found} == {("All changes must",)}
    assert all(b.led for b in found)


def test_a_procedure_is_one_rule_with_steps():
    """Numbered actions belong together, code included."""
    (found,) = split(
        "## Adding a command\n\n1. Create `x.py`\n2. Register it:\n   ```\n   add(x)\n   ```\n3. Run it\n"
    )[0]
    assert found.kind == "steps"
    assert found.steps == ("Create `x.py`", "Register it:\n```\nadd(x)\n```", "Run it")
    assert found.text.startswith("1. Create `x.py`\n2. Register it:")


def test_rows_of_tables_are_no_rules_unless_all_is_wanted():
    """Two columns read as name and value, more carry their heads."""
    narrow = "## Commands\n\n| Command | Use |\n|---|---|\n| `make a` | never on main |\n"
    assert split(narrow)[0] == []
    assert [o.why for o in split(narrow)[1]] == ["a table row"]
    assert texts(narrow, keep=ALL) == ["`make a`: never on main"]
    (row,) = split("| Name | Type | Use |\n|---|---|---|\n| n | t | long |\n", keep=ALL)[0]
    assert (row.text, row.line) == ("Name: n; Type: t; Use: long", 3)


def test_a_long_paragraph_is_cut_at_sentences_and_nothing_is_lost():
    """Every word is still there, in order, and no part is over the limit."""
    text = " ".join(f"Sentence number {n} has a few words." for n in range(120))
    found = texts(text, keep=ALL)
    assert len(found) > 2
    assert all(len(t) <= TEXT_CHARACTERS for t in found)
    assert " ".join(found) == text


def test_of_long_code_the_beginning_is_kept():
    """A listing is cut at a line."""
    listing = "```python\n" + "print('x' * 40)\n" * 200 + "```\n"
    (found,) = split("## Example\n\nWrap every call like this:\n\n" + listing, keep=ALL)[0]
    assert len(found.text) < CODE_CHARACTERS + 100
    assert found.text.endswith("print('x' * 40)\n…\n```")


@pytest.mark.parametrize(("text", "why"), table(__file__, "no_rules"))
def test_what_says_nothing_is_left_out_with_its_reason(text, why):
    """Fragments and announcements are no rules."""
    found, out = split(text)
    assert found == []
    assert [o.why for o in out] == [why]


def test_lines_that_are_too_long_are_told():
    """What the reader cuts is reported with its place."""
    _, out = split("Use fine words here\n\n" + "word " * 3000)
    assert out[-1][::2] == (3, f"a line longer than {LINE_CHARACTERS:,} characters")


def test_what_a_file_is_about_is_context_where_no_heading_is():
    """A description helps a bare list."""
    assert blocks("- Keep handlers thin and boring.\n", context="API rules")[0][1] == ("API rules",)
    assert blocks("## Handlers\n- Keep handlers thin and boring.\n", context="API rules")[0][1] == (
        "Handlers",
    )


SCRAPS = st.sampled_from(
    ["- ", "  - ", "1. ", "# ", "> ", "```", "|", "---", "**", "`", "<!--", "-->", "\n", "\n\n", "    ",
     ": ", "[a](b)", "words here "]
)  # fmt: skip


@settings(max_examples=25)
@given(st.lists(st.one_of(SCRAPS, st.text(max_size=12)), max_size=60).map("".join))
def test_any_text_can_be_split(text):
    """Nothing raises, no rule is empty, each has a line of the file."""
    found, out = split(text, keep=ALL)
    lines = len(re.split(r"\r\n|[\r\n]", text))  # as Markdown counts them
    for block in found:
        assert block.text.strip()
        assert 1 <= block.line <= lines
    assert all(1 <= one.line <= lines for one in out)
    assert split(text, keep=ALL) == (found, out)
    assert {b.line for b in split(text)[0]} <= {b.line for b in found}


@pytest.mark.parametrize(
    ("block", "text"),
    [
        (Block("Never mock the database.", 1, ("Testing",), "item"), "Testing: Never mock the database."),
        (Block("This holds for every handler that answers to a browser.", 1, ("API", "Errors"), "text"),
         "API > Errors: This holds for every handler that answers to a browser."),
        (Block("Never open the file twice, because the second handle blocks.", 1, ("Store",), "item"),
         "Never open the file twice, because the second handle blocks."),
        (Block("1. Tag it\n2. Push the tag", 1, ("Release",), "steps", ("Tag it", "Push the tag")),
         "Release:\n1. Tag it\n2. Push the tag"),
        (Block("Use the global clock in code that a test may want to stop.", 1, ("Time", "Don't"), "item"),
         "Time > Don't: Use the global clock in code that a test may want to stop."),
    ],
)  # fmt: skip
def test_headings_give_rules_their_subject(block, text):
    """What is short, leans back or is a list is told with the headings that it stands under."""
    assert standing_alone(block)[0] == text


def test_of_a_long_paragraph_only_what_asks_is_a_rule():
    """The sentences that describe go, the reason behind a rule stays with it."""
    filler = "The store is one file in the data folder of the project. " * 6
    text = f"{filler}Never open it twice. That locks the second reader out. {filler}"
    assert texts(f"## Store\n\n{text}") == ["Never open it twice. That locks the second reader out."]


def test_a_paragraph_that_leans_back_goes_on_with_the_one_before():
    """The word "this" means something in the paragraph above it."""
    text = "## Store\n\nOpen the store once in each process.\n\nThis must hold for workers, too.\n"
    assert texts(text) == ["Open the store once in each process. This must hold for workers, too."]


@pytest.mark.parametrize("rule", [rule for (rule,) in table(__file__, "orders")])
def test_what_asks_is_a_rule(rule):
    """Orders, bans, moods and reasons, in the languages whose function words are known."""
    assert texts(f"## Work\n\n- {rule}") == [rule]


@pytest.mark.parametrize("text", ["Build the image: `make image`", "The loop reads the queue."])
def test_what_describes_is_none(text):
    """The name of a command and what a part does ask for nothing."""
    assert texts(f"## Work\n\n- {text}") == []


def test_a_heading_for_rules_makes_them_of_few_words():
    """Below a heading for style a phrase is a rule, below one for parts it is none."""
    assert texts("## Code style\n\n- 4 spaces, no tabs\n- Google-style docstrings only\n- x\n")[0] == (
        "4 spaces, no tabs"
    )
    assert texts("## Parts\n\n- a small parser of dates\n- the writer of reports\n") == []


def test_guides_for_newcomers_give_only_their_orders():
    """Of CONTRIBUTING what orders or forbids is kept, not how to begin, to report or to get help."""
    text = (
        "# Contributing\n\nThanks! Read the code first.\n\n## Setup\n\n- You must install make.\n\n"
        "## Reporting bugs\n\nIssues must have steps.\n\n## Pull requests\n\nFork it and open one.\n\n"
        "Every pull request must change the changelog.\n"
    )
    assert texts(text, keep=ORDERS) == ["Every pull request must change the changelog."]
