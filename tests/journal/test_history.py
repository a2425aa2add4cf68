"""The entries of a folder's history files are read once each, whatever else lies there."""

from __future__ import annotations

from remora.core.history_entries import render
from remora.journal.history import entries, history_files
from tests.journal.made import journal_in

T1, T2, T3 = (f"2026-0{n}-27T14:30:00.000Z" for n in (1, 2, 3))


def test_every_entry_once(tmp_path):
    """An entry in both files is given by its monthly file; files that cannot be opened are reported."""
    journal = journal_in(tmp_path)
    journal.folder.mkdir()
    both = render("In both.", T2)
    journal.history_path.write_text(render("Older than months.", T1) + both + render("In both.", T3), "utf-8")
    (journal.folder / "HISTORY-2026-02.md").write_text(both + both, "utf-8")
    (journal.folder / "HISTORY-old.md").write_text("by hand\n", "utf-8")
    (journal.folder / "HISTORY-2025-01.md").symlink_to(journal.folder / "HISTORY-2025-01.md")
    (journal.folder / "HISTORY-2025-02.md").mkdir()
    problems: list[str] = []
    assert [(e.path, e.time, e.text) for e in entries(journal.folder, problems)] == [
        ("HISTORY-2026-02.md", T2, "In both."),
        ("HISTORY-old.md", None, "by hand"),
        ("HISTORY.md", T1, "Older than months."),
        ("HISTORY.md", T3, "In both."),
    ]
    assert [problem.partition(":")[0] for problem in problems] == ["HISTORY-2025-01.md", "HISTORY-2025-02.md"]
    assert history_files(tmp_path / "nowhere") == []
