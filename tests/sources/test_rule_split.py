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
    """The title of a file about everything is no context; the headings below it, or a description, are."""
    text = "# Mine\n\n## Testing\n\n### Commands\n\n- Run `pytest -q` before commits.\n- Keep tests fast.\n"
    assert blocks(text) == [
        ("item", ("Testing", "Commands"), "Run `pytest -q` before commits."),
        ("item", ("Testing", "Commands"), "Keep tests fast."),
    ]
    assert blocks(text, title=True)[0][1] == ("Mine", "Testing", "Commands")
    assert blocks(text, context="API rules")[0][1] == ("Testing", "Commands")
    table_row = "| Name | Type | Use |\n|---|---|---|\n| n | t | long |\n"
    assert [b.line for b in split(table_row, keep=ALL)[0]] == [3]
    assert blocks("- Keep handlers thin and boring.\n", context="API rules")[0][1] == ("API rules",)


@pytest.mark.parametrize(
    ("text", "rules"),
    [
        ("- Use repositories:\n  - one class a table\n  - no SQL elsewhere\n- Keep the other rules\n",
         ["Use repositories:\n- one class a table\n- no SQL elsewhere", "Keep the other rules"]),
        ("## Allowed licences must be\n\n- MIT\n- Apache 2\n- BSD\n", ["MIT; Apache 2; BSD"]),
        ("## Build\n\nRun the tests with:\n\n```bash\nmake test\n```\n\nKeep more words below.\n",
         ["Run the tests with:\n```bash\nmake test\n```", "Keep more words below."]),
        ("## Principles\n\n1. Never block the loop.\n2. Always validate input.\n",
         ["Never block the loop.", "Always validate input."]),
        ("Never keep state in the service. Do not repeat:\n\n- failed calls\n- batches of any size\n",
         ["Never keep state in the service.", "Do not repeat:\n- failed calls\n- batches of any size"]),
        ("## Store\n\nOpen the store once in each process.\n\nThis must hold for workers, too.\n",
         ["Open the store once in each process. This must hold for workers, too."]),
        ("| Command | Use |\n|---|---|\n| `make a` | never on main |\n", ["`make a`: never on main"]),
        ("| Name | Type | Use |\n|---|---|---|\n| n | t | long |\n", ["Name: n; Type: t; Use: long"]),
    ],
    ids=["nested bullets", "names", "code", "numbered rules", "short list", "leans back", "pair", "row"],
)  # fmt: skip
def test_what_belongs_together_is_one_rule(text, rules):
    """Sub-bullets with their bullet, names together, code or a list with its sentence, cells of a row."""
    assert texts(text, keep=ALL) == rules


@pytest.mark.parametrize(
    ("head", "item", "path", "line"),
    [
        ("- When you write a migration:\n", "  - ", ("When you write a migration",), 2),
        ("All changes must:\n\n", "- ", ("All changes must",), 3),
    ],
)
def test_a_long_list_is_cut_into_its_items(head, item, path, line):
    """Each part keeps the bullet or the sentence above it as context."""
    parts = [f"Check number {n} of the things that matter for the matter at hand here" for n in range(12)]
    found = split(head + "".join(f"{item}{part}\n" for part in parts))[0]
    assert found == [Block(part, line + n, path, "item", led=True) for n, part in enumerate(parts)]


def test_a_procedure_is_one_rule_with_steps():
    """Numbered actions belong together, code included."""
    steps = "1. Create `x.py`\n2. Register it:\n   ```\n   add(x)\n   ```\n3. Run it\n"
    (found,) = split(f"## Adding a command\n\n{steps}")[0]
    assert found.kind == "steps"
    assert found.steps == ("Create `x.py`", "Register it:\n```\nadd(x)\n```", "Run it")
    assert found.text.startswith("1. Create `x.py`\n2. Register it:")


def test_what_is_long_is_cut_and_nothing_is_lost_silently():
    """A paragraph at sentences, all of which stay; a listing at a line; what the reader cuts is told."""
    text = " ".join(f"Sentence number {n} has a few words." for n in range(120))
    found = texts(text, keep=ALL)
    assert len(found) > 2
    assert all(len(t) <= TEXT_CHARACTERS for t in found)
    assert " ".join(found) == text
    listing = "```python\n" + "print('x' * 40)\n" * 200 + "```\n"
    (code,) = texts("## Example\n\nWrap every call like this:\n\n" + listing, keep=ALL)
    assert len(code) < CODE_CHARACTERS + 100
    assert code.endswith("print('x' * 40)\n…\n```")
    out = split("Use fine words here\n\n" + "word " * 3000)[1]
    assert out[-1][::2] == (3, f"a line longer than {LINE_CHARACTERS:,} characters")


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
    assert all(block.text.strip() for block in found)
    told = [block.line for block in found] + [one.line for one in out]
    assert all(1 <= line <= lines for line in told)
    assert split(text, keep=ALL) == (found, out)
    assert {b.line for b in split(text)[0]} <= {b.line for b in found}


@pytest.mark.parametrize(
    ("kind", "path", "text", "alone"),
    [
        ("item", ("Testing",), "Never mock the database.", "Testing: Never mock the database."),
        ("text", ("API", "Errors"), "This holds for every handler that answers to a browser.",
         "API > Errors: This holds for every handler that answers to a browser."),
        ("item", ("Store",), "Never open the file twice, because the second handle blocks.",
         "Never open the file twice, because the second handle blocks."),
        ("steps", ("Release",), "1. Tag it\n2. Push the tag", "Release:\n1. Tag it\n2. Push the tag"),
        ("item", ("Time", "Don't"), "Use the global clock in code that a test may want to stop.",
         "Time > Don't: Use the global clock in code that a test may want to stop."),
    ],
)  # fmt: skip
def test_headings_give_rules_their_subject(kind, path, text, alone):
    """What is short, leans back or is a list is told with the headings that it stands under."""
    assert standing_alone(Block(text, 1, path, kind))[0] == alone


@pytest.mark.parametrize(("text", "why"), table(__file__, "no_rules"))
def test_what_says_nothing_is_left_out_with_its_reason(text, why):
    """Fragments, announcements and descriptions are no rules."""
    found, out = split(text)
    assert found == []
    assert [o.why for o in out] == [why]


@pytest.mark.parametrize("rule", [rule for (rule,) in table(__file__, "orders")])
def test_what_asks_is_a_rule(rule):
    """Orders, bans, moods and reasons, in the languages whose function words are known."""
    assert texts(f"## Work\n\n- {rule}") == [rule]


FILLER = "The store is one file in the data folder of the project. " * 6
NEWCOMERS = (
    "# Contributing\n\nThanks! Read the code first.\n\n## Setup\n\n- You must install make.\n\n"
    "## Reporting bugs\n\nIssues must have steps.\n\n## Pull requests\n\nFork it and open one.\n\n"
    "Every pull request must change the changelog.\n"
)


def test_only_what_asks_is_kept_of_what_describes():
    """A reason stays with its order, a heading for style makes rules, a guide's help for newcomers goes."""
    rule = "Never open it twice. That locks the second reader out."
    assert texts(f"## Store\n\n{FILLER}{rule} {FILLER}") == [rule]
    style = texts("## Code style\n\n- 4 spaces, no tabs\n- Google-style docstrings only\n- x\n")
    assert style[0] == "4 spaces, no tabs"
    assert texts(NEWCOMERS, keep=ORDERS) == ["Every pull request must change the changelog."]
