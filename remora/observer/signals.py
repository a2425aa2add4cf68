"""The 17 types of signals: their scores, the memory types that they become, and the sessions needed.

Scores, targets and minimum sessions are those of the Auto Claude memory document (section 4), except that the
model's corrections and backtracks become no memory, nor do files used in a module: `injection/prefetch.py`
counts them when asked. `fires` is the condition of each type, with the cases in which it must not fire; the
tests have cases for both sides.
"""

from __future__ import annotations

from typing import NamedTuple


class Kind(NamedTuple):
    """One type of signal.

    Attributes:
        detector: the module of this package that detects it.
        score: 0..1, its reliability.
        becomes: the memory types it may be promoted to, the likeliest first; empty: none.
        sessions: number of sessions that must show the same key.
        fires: the condition, in words.
    """

    detector: str
    score: float
    becomes: tuple[str, ...]
    sessions: int
    fires: str


KINDS: dict[str, Kind] = {
    "file_access": Kind(
        "files",
        0.72,
        (),
        3,
        "a repository file was read or changed; failed or refused calls, searches and listings do not count",
    ),
    "co_access": Kind(
        "files",
        0.91,
        ("causal_dependency",),
        3,
        "one agent used two repository files within five steps; both directions are counted, with the "
        "seconds between them and the pairs of changes",
    ),
    "error_retry": Kind(
        "errors",
        0.85,
        ("error_pattern", "gotcha"),
        2,
        "an error with the same fingerprint recurred, or the failed call was retried, also if a pipe hid the "
        "exit code of a check; refused calls, empty searches and outputs with only a code do not count, and "
        "errors of the host's own tools are flagged `harness`",
    ),
    "backtrack": Kind(
        "errors",
        0.68,
        (),
        2,
        "a change restores text that an earlier one replaced, or git restores a file changed since the "
        "session's last commit; debug output, moved lines, imports, changes undone to see a test fail, "
        "switched branches, merge sides and stashes do not count",
    ),
    "read_abandon": Kind(
        "files",
        0.79,
        ("gotcha",),
        3,
        "a file was read once, and within four steps a file with the same name, or in the same folder with a "
        "longer or shorter name, was opened and changed; files used or named again, steps with several new "
        "files, several such files and documentation do not count",
    ),
    "repeated_grep": Kind(
        "search",
        0.76,
        ("module_insight", "gotcha"),
        2,
        "three steps searched for the same names, also by grep or rg, and a found file was opened; searches "
        "in one step, names under four characters and a last search without results do not count",
    ),
    "tool_sequence": Kind(
        "recipes",
        0.73,
        ("workflow_recipe",),
        3,
        "a session with changes ran tests, linters, formatters or builds that passed; their order counts",
    ),
    "time_anomaly": Kind(
        "workflow",
        0.48,
        (),
        3,
        "a command took over a minute and ten times the session's median, and did so twice, failed or "
        "reported a time limit; intervals below zero or over an hour and version control do not count",
    ),
    "self_correction": Kind(
        "speech",
        0.88,
        ("preference", "gotcha"),
        1,
        "the user states a rule, which alone becomes a memory; or a sentence of the model begins with a "
        "phrase that takes back a belief or gives up an approach; quoted lines and code do not count",
    ),
    "external_reference": Kind(
        "search",
        0.61,
        ("module_insight",),
        3,
        "a fetch from another machine succeeded; the key is the address without its query, and the next "
        "change is recorded; tools that write there do not count",
    ),
    "glob_ignore": Kind(
        "search",
        0.64,
        ("gotcha",),
        2,
        "no file that a name search found was used, and within six steps a file was used that a later search "
        "with a similar pattern found; lists of all files do not count",
    ),
    "import_chase": Kind(
        "files",
        0.52,
        ("causal_dependency",),
        4,
        "three files or more were read in a row, each at most three steps after a file that imports it",
    ),
    "test_order": Kind(
        "workflow",
        0.74,
        ("task_calibration",),
        3,
        "a session with tests and changes ended: tests came before, between or after the changes",
    ),
    "config_touch": Kind(
        "files",
        0.66,
        ("causal_dependency",),
        2,
        "a configuration file was changed, and another file within ten steps; lock files do not count",
    ),
    "step_overrun": Kind(
        "calibration",
        0.71,
        ("task_calibration",),
        3,
        "a successful session had a plan: the steps that it took for each planned item count, by module",
    ),
    "parallel_conflict": Kind(
        "parallel_agents",
        0.82,
        ("gotcha",),
        1,
        "two agents that ran at the same time changed a file, or one was told that the file had changed",
    ),
    "context_token_spike": Kind(
        "calibration",
        0.63,
        ("context_cost",),
        3,
        "the host reported the input tokens of a session with changes: they count, by module",
    ),
}
SCORES: dict[str, float] = {name: kind.score for name, kind in KINDS.items()}
