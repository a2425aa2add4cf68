"""The 17 types of signals: their scores and the sessions needed.

Both are those of the Auto Claude memory document (section 4). File access, backtracks and time anomalies
become no memory, nor do the model's corrections of itself.
"""

from __future__ import annotations

from typing import NamedTuple


class Kind(NamedTuple):
    """One type of signal: its reliability (0..1), and the number of sessions that must show the same key."""

    score: float
    sessions: int


KINDS: dict[str, Kind] = {
    "file_access": Kind(0.72, 3),
    "co_access": Kind(0.91, 3),  # one agent used two files within five steps
    "error_retry": Kind(0.85, 2),  # an error recurred, or the failed call was retried
    "backtrack": Kind(0.68, 2),  # a change restored the text that an earlier one replaced
    "read_abandon": Kind(0.79, 3),  # a file was read, then one with a similar name was changed
    "repeated_grep": Kind(0.76, 2),  # three steps searched for the same names, and a found file was opened
    "tool_sequence": Kind(0.73, 3),  # the order of checks that passed
    "time_anomaly": Kind(0.48, 3),  # a command that is far slower than the session's others
    "self_correction": Kind(0.88, 1),  # the user states a rule, or the model takes a belief back
    "external_reference": Kind(0.61, 3),  # an address that was fetched
    "glob_ignore": Kind(0.64, 2),  # no file that a name search found was used, but one of a later search
    "import_chase": Kind(0.52, 4),  # three files were read in a row, each imported by the one before
    "test_order": Kind(0.74, 3),  # tests ran before, between or after the changes
    "config_touch": Kind(0.66, 2),  # a configuration file was changed, and another file near it
    "step_overrun": Kind(0.71, 3),  # steps that a planned item took, by module
    "parallel_conflict": Kind(0.82, 1),  # two agents that ran at the same time changed a file
    "context_token_spike": Kind(0.63, 3),  # input tokens of a session with changes, by module
}
