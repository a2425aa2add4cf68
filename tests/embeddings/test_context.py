"""The line in front of what is embedded."""

from __future__ import annotations

from remora.core.values import MemoryDraft
from remora.embeddings.context import chunk_text, memory_text


def test_a_memory_stands_behind_its_files_and_first_module():
    """Files and module on one line, a blank line, the content; the type is not what it is about."""
    draft = MemoryDraft(
        "Tokens last 24 h.",
        type="gotcha",
        related_files=("auth/tokens.py", "auth/api.py"),
        related_modules=("auth", "web"),
    )
    assert memory_text(draft) == ("Files: auth/tokens.py, auth/api.py | Module: auth\n\nTokens last 24 h.")


def test_a_memory_without_files_and_modules_stands_alone():
    """What is not there leaves no empty label."""
    assert memory_text(MemoryDraft("x", type="pattern")) == "x"


def test_a_rule_stands_behind_its_headings():
    """What a rule stood under in its file is context too."""
    assert memory_text(MemoryDraft("Use WAL.", context_prefix="Data > SQLite")) == "Data > SQLite\n\nUse WAL."


def test_a_chunk_stands_behind_its_path_name_and_lines():
    """A function says what it is called; without a name it says unknown."""
    text = chunk_text("body", path="a.py", start_line=3, end_line=9, chunk_type="class", name="Store")
    assert text == "File: a.py | class: Store | Lines: 3-9\n\nbody"
    text = chunk_text("body", path="a.py", start_line=1, end_line=2, chunk_type="function")
    assert text == "File: a.py | function: unknown | Lines: 1-2\n\nbody"


def test_a_module_chunk_has_no_name():
    """A module is its file."""
    assert chunk_text("body", path="a.py", start_line=1, end_line=2) == "File: a.py | Lines: 1-2\n\nbody"
