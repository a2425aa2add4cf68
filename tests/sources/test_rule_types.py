"""Rules get the memory type a reader would give them."""

from __future__ import annotations

import pytest

from remora.core.values import MEMORY_TYPES
from remora.sources.rule_types import guess_type, memory_type


@pytest.mark.parametrize(
    ("text", "heading", "expected"),
    [
        ("If you see `ModuleNotFoundError` in CI, run `uv sync` again.", "", "error_pattern"),
        ("`ConnectionError: refused`: start the database first.", "Troubleshooting", "error_pattern"),
        ("Be careful with the cache: it is shared between tests.", "", "gotcha"),
        ("Note that the worker cannot see the request.", "", "gotcha"),
        ("Don't call `init()` twice because it registers the hooks again.", "", "gotcha"),
        ("CFBD API is camelCase: `homeTeam`, `awayTeam`.", "Known gotchas", "gotcha"),
        ("We chose SQLite over Postgres for local use.", "", "decision"),
        ("The queue is in memory because jobs are idempotent.", "", "decision"),
        ("Events are append-only.", "Design decisions", "decision"),
        ("All new code must have tests.", "", "requirement"),
        ("Never commit secrets.", "", "requirement"),
        ("Do not edit generated files.", "", "requirement"),
        ("Always run `make lint` first because CI is slow.", "", "requirement"),
        ("One class per file.", "Hard rules", "requirement"),
        ("Prefer composition over inheritance.", "Architecture", "preference"),
        ("Use single quotes rather than double quotes.", "", "preference"),
        ("4 spaces, no tabs at line ends", "Code style", "preference"),
        ("`src/api/`: HTTP handlers and their schemas", "", "module_insight"),
        ("The scheduler is responsible for retries.", "", "module_insight"),
        ("The core loop retries three times and returns the last error.", "", "module_insight"),
        ("React 19 and Vite", "Tech stack", "module_insight"),
        ("Run the tests: `pytest -q`", "", "pattern"),
        ("Start the server:\n```bash\nnpm run dev\n```", "Development", "pattern"),
        ("Wrap handlers like this:\n```python\n@safe\ndef f(): ...\n```", "", "pattern"),
        ("Keep functions on one screen.", "", "preference"),
        ("Small modules, plain names", "", "preference"),
    ],
)
def test_cues_decide_the_type(text, heading, expected):
    """One example for each line of the table."""
    assert memory_type(text, (heading,) if heading else ()) == expected


def test_words_inside_code_do_not_count():
    """`never` in a program is no order."""
    text = "Example:\n```python\nassert_never(x)  # must not happen because of X\n```"
    assert memory_type(text) == "pattern"


def test_the_default_is_the_files():
    """What an agent noted about a project is not a preference."""
    assert memory_type("small modules, plain names", default="decision") == "decision"


@pytest.mark.parametrize("text", ["", "x", "Access tokens expire after 24 h", "never", "`", "⚠️"])
def test_any_sentence_gets_a_type(text):
    """Guessing never fails and never invents."""
    assert guess_type(text) in MEMORY_TYPES
    assert guess_type("Access tokens expire after 24 h") == "pattern"
