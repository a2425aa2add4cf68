"""Patches of Codex's model: files, changes, old and new lines."""

from __future__ import annotations

from remora.core.codex_patch import PatchedFile, parse_patch, patch_in_command
from remora.core.tool_calls import call

PATCH = """*** Begin Patch
*** Add File: notes/new.md
+# Notes
+
+text
*** Update File: src/app.py
*** Move to: src/main.py
@@ def run():
 def run():
-    return 1
+    return 2
@@
-x
*** End of File
*** Delete File: old.py
*** End Patch"""


def test_every_kind_of_change_is_read() -> None:
    """Additions, updates with a move and several hunks, deletions."""
    assert parse_patch(PATCH) == (
        PatchedFile("notes/new.md", "add", "", "", "# Notes\n\ntext"),
        PatchedFile("src/app.py", "update", "src/main.py", "    return 1\nx", "    return 2"),
        PatchedFile("old.py", "delete", "", "", ""),
    )


def test_broken_patches_give_what_they_hold() -> None:
    """A cut patch keeps its files; what is no patch has none; what stands outside is not read."""
    assert [f.path for f in parse_patch(PATCH[:120])] == ["notes/new.md", "src/app.py"]
    assert parse_patch("*** Update File: a.py\n-1") == ()
    assert parse_patch("") == ()
    after = PATCH + "\n*** Add File: evil.py\n+x"
    assert len(parse_patch("noise\n" + after)) == 3


def test_a_thousand_files_are_bounded() -> None:
    """A patch over everything names the first few hundred files."""
    many = "*** Begin Patch\n" + "".join(f"*** Delete File: f{n}\n" for n in range(1000)) + "*** End Patch"
    assert len(parse_patch(many)) == 200


def test_windows_line_ends_are_read() -> None:
    """Carriage returns are no part of a name or a line."""
    assert parse_patch(PATCH.replace("\n", "\r\n")) == parse_patch(PATCH)


def test_a_patch_in_a_command_is_found() -> None:
    """A here-document of any delimiter; the word alone is no patch."""
    command = f"cd src && apply_patch <<-'PATCH'\n{PATCH}\nPATCH\necho done"
    assert patch_in_command(command) == (PATCH, "src")
    assert patch_in_command(f"cd 'two words' && apply_patch <<EOF\n{PATCH}\nEOF") == (PATCH, "two words")
    assert patch_in_command(f"bash -c 'applypatch <<EOF\n{PATCH}") == (PATCH, "")
    assert patch_in_command("git log --grep apply_patch") == ("", "")
    assert patch_in_command(f"cat <<EOF\n{PATCH}\nEOF") == ("", "")


def test_what_an_event_keeps_of_a_patch() -> None:
    """Its paths, and the old and new lines."""
    made = call("apply_patch", {"input": PATCH}, str)
    assert made.paths == ("notes/new.md", "src/app.py", "old.py", "src/main.py")
    assert made.extra == {"old": "    return 1\nx", "new": "# Notes\n\ntext\n    return 2"}
