"""Names in code that texts speak of, and that searches are for."""

from __future__ import annotations

import pytest

from remora.core.names import MOST, marked, names_in, searched


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("The retry_budget setting lives in config/limits.yaml", ["retry_budget"]),
        ("`Backoff` reads limits.yaml and calls parseHeader()", ["Backoff", "limits.yaml", "parseHeader"]),
        ("pass `--dry-run`, or --max-size=3", ["dry-run", "max-size"]),
        ("`app.jobs` and `run()` and `go test ./...` and `-x`", ["app.jobs"]),
        ("see https://foo.example/x_y, a@b_c.de and v1.2.3, e.g. read-only ones", []),
        ("__init__ and a_b", []),
        ("app.jobs.run_all", ["app.jobs.run_all", "run_all"]),
        ("retry_budget, `retry_budget` and max_wait.", ["retry_budget", "max_wait"]),
        ("", []),
    ],
)
def test_names_of_a_text(text: str, names: list[str]):
    """What has a mark of names inside, or stands alone in backquotes; parts of paths and short ones not."""
    assert [one.name for one in names_in(text)] == names


def test_a_name_that_may_be_a_product():
    """A hump in a word with a capital is not sure to be code, unless it stands in backquotes."""
    assert [one.sure for one in names_in("GitHub, `GitLab`, parseHeader, Git_Hub, Git.Hub, HTTPServer")] == [
        *(True, False, True, True, True, False)
    ]


@pytest.mark.parametrize(
    ("pattern", "names"),
    [
        ("retry_budget", []),
        (r"retry_budget\b", ["retry_budget"]),
        ("def retry_budget", ["retry_budget"]),
        (r"^\s*(retry_budget|maxWait)\s*=", ["retry_budget", "maxwait"]),
        (r"config\.retry_budget\(", ["config.retry_budget", "retry_budget"]),
        ("**/retry_budget*.py", ["retry_budget"]),
        ('"dry-run"', ["dry-run"]),
        ("class Backoff", ["backoff"]),
        ("error in parser", []),
    ],
)
def test_names_of_a_search(pattern: str, names: list[str]):
    """The pattern itself, in lower case, and the names in it; of plain words only one that stands alone."""
    assert searched(pattern) == [pattern.lower(), *names]


def test_a_search_for_nothing_and_for_much():
    """Nothing is looked up for a blank pattern, and not without end for a long one."""
    assert searched("  ") == []
    assert len(searched("|".join(f"name_{n}" for n in range(1_000)))) == MOST
    assert not marked("")
