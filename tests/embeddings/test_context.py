"""The line in front of what is embedded."""

from __future__ import annotations

from remora.core.cut import WHOLE
from remora.core.values import MemoryDraft
from remora.embeddings.context import chunk_text, memory_text


def test_a_memory_without_files_and_modules_stands_alone():
    """What is not there leaves no empty label; the type is not what a text is about."""
    assert memory_text(MemoryDraft("x", type="pattern")) == "x"


def test_a_rule_stands_behind_its_headings():
    """What a rule stood under in its file is context too."""
    assert memory_text(MemoryDraft("Use WAL.", context_prefix="Data > SQLite")) == "Data > SQLite\n\nUse WAL."


def test_a_part_of_code_stands_behind_its_path_and_name():
    """What is embedded of a long part is its beginning."""
    text = chunk_text("a.py", "Store.put", "body " * 1000)
    assert text == "a.py Store\n" + ("body " * 1000)[:WHOLE]
