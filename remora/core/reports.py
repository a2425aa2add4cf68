"""The results of `index` and `init`."""

from __future__ import annotations

from typing import NamedTuple

from remora.core.values import Redaction, Skipped


class IndexReport(NamedTuple):
    """The result of `index`.

    Attributes:
        files: number of files in the graph.
        read: number of files read in this run; `unchanged` is the number of the others.
        resolved: number of files whose names were resolved, including those read.
        deleted: files removed since the last run.
        left_out: (reason, number) of files left out by design, most first.
        broken: files that their grammar could parse only in part.
        skipped: files that could not be read, with the reason.
        nodes, edges, chunks: their present numbers.
        waiting: chunks without a vector yet; they are found by words.
        precise: edges taken from a SCIP index.
        complete: False if the run was stopped before its end; the next run continues.
    """

    files: int
    read: int
    unchanged: int
    resolved: int
    deleted: int
    left_out: tuple[tuple[str, int], ...]
    broken: int
    skipped: tuple[Skipped, ...]
    nodes: int
    edges: int
    chunks: int
    waiting: int
    precise: int = 0
    complete: bool = True
    notes: tuple[str, ...] = ()
    seconds: float = 0.0


class InitReport(NamedTuple):
    """The result of `init`; branches are (name, memories) that were merged, deleted, or are back."""

    project_id: str
    home: str
    root: str
    rule_files: tuple[str, ...]
    rules_found: int
    stored: int
    merged: int
    unchanged: int
    retired: int
    commits_read: int
    commits_new: int
    edges: int
    files_known: int
    candidates: int
    redactions: tuple[Redaction, ...] = ()
    skipped: tuple[Skipped, ...] = ()
    code: IndexReport | None = None
    seconds: float = 0.0
    branches_merged: tuple[tuple[str, int], ...] = ()
    branches_retired: tuple[tuple[str, int], ...] = ()
    branches_revived: tuple[tuple[str, int], ...] = ()
