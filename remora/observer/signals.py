"""The 17 types of signals: their scores, the memory types that they become, and the sessions needed.

Scores, targets and minimum sessions are those of the Auto Claude memory document (section 4). `looks`,
`fires` and `spares` define each type: its input, the condition on which it fires, and the cases in which it
must not fire. Each detector follows them, and the tests have cases for both sides.
"""

from __future__ import annotations

from typing import NamedTuple


class Kind(NamedTuple):
    """One type of signal.

    Attributes:
        detector: the module of this package that detects it.
        score: 0..1, its reliability.
        becomes: the memory types it may be promoted to, the likeliest first; empty: only beside another.
        sessions: number of sessions that must show the same key.
        looks, fires, spares: the definition.
    """

    detector: str
    score: float
    becomes: tuple[str, ...]
    sessions: int
    looks: str
    fires: str
    spares: str


KINDS: dict[str, Kind] = {
    "file_access": Kind(
        "files",
        0.72,
        ("prefetch_pattern",),
        3,
        "files of the repository that were read or changed",
        "at the first success; counts of reads and changes, first and last step and its place in the order "
        "are kept",
        "failed or refused calls, searches and listings, files outside the repository, unfinished calls of "
        "a changed file",
    ),
    "co_access": Kind(
        "files",
        0.91,
        ("causal_dependency", "prefetch_pattern"),
        3,
        "pairs of different files of the repository, reads and changes alike",
        "when both are used within five steps, by the real step numbers; both directions are counted apart, "
        "with the seconds between, and whether both were changed",
        "the same file twice, pairs farther apart, pairs of different agents, files outside the repository",
    ),
    "error_retry": Kind(
        "errors",
        0.85,
        ("error_pattern", "gotcha"),
        2,
        "results that failed, also those of a test, lint or build whose exit code a pipe hid",
        "when the same fingerprint came twice, or the same thing was tried again after it, with what "
        "happened until it succeeded",
        "refused or interrupted calls, searches that found nothing, outputs that say nothing but a code; "
        "the host tool's own errors are flagged `harness`",
    ),
    "backtrack": Kind(
        "errors",
        0.68,
        ("dead_end", "gotcha"),
        2,
        "changes of files and commands of version control that take changes back",
        "when a change puts back what an earlier one of the session replaced, or a file just changed is "
        "restored, or a commit of the session is reverted or reset away",
        "debug output that is taken out again, a change that was undone to see a test fail, moving lines, "
        "branches that are switched to, sides of a merge, a stash, what is committed already",
    ),
    "read_abandon": Kind(
        "files",
        0.79,
        ("gotcha",),
        3,
        "a file that was read once",
        "when within four steps another file is opened that has the same name, or a name that adds to it or "
        "takes from it in the same folder, which is then changed, and the first is never touched again",
        "files that were changed, read twice or searched later, orientation at the start (more than one "
        "file per step), several files of that name, documentation",
    ),
    "repeated_grep": Kind(
        "search",
        0.76,
        ("module_insight", "gotcha"),
        2,
        "patterns of searches, without their syntax, also those of grep and rg in a command",
        "at the third step that searches for the same names, when one of the finds was read or changed in "
        "the end; where is kept",
        "several folders searched in one step, patterns under four signs, and looking whether something is "
        "gone: a last search that found nothing",
    ),
    "tool_sequence": Kind(
        "workflow",
        0.73,
        ("workflow_recipe",),
        3,
        "what follows changes of files until the next change or prompt: tests, lint, format, build, commits",
        "when two or more different commands follow, none of them looks only, and the last succeeded",
        "chains that end in a failure, looks, one command alone",
    ),
    "time_anomaly": Kind(
        "workflow",
        0.48,
        (),
        3,
        "seconds between a call and its result",
        "when a command took over a minute and ten times the session's median, and this correlates: a "
        "check or a program did so twice, or it failed, or its output speaks of a time limit",
        "clocks that jump (negative, over an hour), refused calls, questions to the user, subagents, version "
        "control (it waits for the user)",
    ),
    "self_correction": Kind(
        "speech",
        0.88,
        ("gotcha", "module_insight", "dead_end", "preference"),
        1,
        "sentences of replies and thoughts, the user's prompts, and the reasons given with a refusal",
        "when a sentence starts with the correction of a belief and holds a contrast, says that an approach "
        "is given up, or when the user states a rule in a plain form; the words are kept",
        "quoted text and code, what the user or a document is said to say, `await`, plans (let me check), a "
        "mere yes or no, pasted output",
    ),
    "external_reference": Kind(
        "search",
        0.61,
        ("module_insight",),
        3,
        "what was fetched from outside",
        "when a fetch succeeded; the address without its query is the key, and the next change is kept",
        "failed fetches, addresses of this machine, tools that write outside (create, update, comment)",
    ),
    "glob_ignore": Kind(
        "search",
        0.64,
        ("gotcha",),
        2,
        "searches for names of files",
        "when none of what it found is used afterwards, or it found nothing, and within six steps another "
        "file is used that a later search found, by a pattern that shares a part of a name with the first",
        "patterns whose finds are read or changed later, lists of everything",
    ),
    "import_chase": Kind(
        "files",
        0.52,
        ("causal_dependency",),
        4,
        "files that were read in a row, and the imports that stand in them",
        "when three files or more were read one after the other, each imported by the one before",
        "files of one package without an import, reads that are more than three steps apart",
    ),
    "test_order": Kind(
        "workflow",
        0.74,
        ("task_calibration",),
        3,
        "runs of tests and changes in order",
        "once at the end of a session with both: tests before the first change, between changes or only at "
        "the end, from narrow to wide or not",
        "sessions without a test or without a change",
    ),
    "config_touch": Kind(
        "files",
        0.66,
        ("causal_dependency",),
        2,
        "changes of configuration: package manifests, build, CI, lint and container files",
        "when one was changed and other files within ten steps of it",
        "reads, failed changes, lock files, a session that changed configuration only",
    ),
    "step_overrun": Kind(
        "workflow",
        0.71,
        ("task_calibration",),
        3,
        "the plan of a session: its first items, those added later, the steps each one took",
        "when at least three items were planned and the plan grew by half or more, or one item took ten "
        "steps and more than three times the median of the others",
        "sessions without a plan, plans whose items were never started, a new plan for a new prompt",
    ),
    "parallel_conflict": Kind(
        "parallel_agents",
        0.82,
        ("gotcha",),
        1,
        "files that agents changed while they ran at the same time",
        "when two of them changed the same file, or one was told that it changed since it was read",
        "agents that ran one after the other, reads",
    ),
    "context_token_spike": Kind(
        "workflow",
        0.63,
        ("context_cost",),
        3,
        "input tokens of a step against the step before, where the host tells them",
        "when they grew by ten thousand and by four times the session's median growth, with files or a "
        "command in between that brought them",
        "the first step, what the user pasted, the steps around a compaction",
    ),
}
SCORES: dict[str, float] = {name: kind.score for name, kind in KINDS.items()}
