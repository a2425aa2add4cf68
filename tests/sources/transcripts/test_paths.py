"""One name for each file: roots found from recorded working directories."""

from __future__ import annotations

import pytest

from remora.sources.transcripts.paths import Roots, plain
from tests.tables import table


def _roots(*met: str, project: tuple[str, ...] = ()) -> Roots:
    roots = Roots(project)
    for item in met:
        roots.met(item)
    return roots


def test_subfolders_share_the_root() -> None:
    """A session that went into a subfolder names files as all others do."""
    roots = _roots("/w/app/src/core", "/w/app")
    assert roots.found == ("/w/app",)
    assert roots.relative("/w/app/src/core/a.py") == "src/core/a.py"
    assert roots.relative("../b.py", "/w/app/src/core") == "src/b.py"


def test_work_trees_are_roots() -> None:
    """The same file has the same name in the repository and in each of its work trees, below it or beside."""
    trees = (
        "/w/app/.worktrees/ann/fix-cache",
        "/w/app/.worktrees/ann/fix-cache/src",  # the directory nearest to the top counts
        "/w/app/.worktrees/try",
        "/w/app/.claude/worktrees/calm-owl/src",
    )
    folders = ["app", "app/.worktrees/ann/fix-cache", "app/.worktrees/try", "app/.claude/worktrees/calm-owl"]
    for roots in (_roots(*trees, "/w/app-fix"), _roots(*trees, "/w/app", "/w/app-fix", project=("/w/app",))):
        for folder in (*folders, "app-fix"):
            assert roots.relative(f"/w/{folder}/src/a.py") == "src/a.py"
        assert roots.relative("/w/other/a.py") == "/w/other/a.py"


def test_a_home_folder_is_no_root_beside_others() -> None:
    """A session that started at home does not rename every file."""
    roots = _roots("/home/ann", "/home/ann/app", "/")
    assert roots.relative("/home/ann/app/a.py") == "a.py"
    assert roots.relative("/home/ann/.bashrc") == "/home/ann/.bashrc"
    assert _roots("/home/ann").relative("/home/ann/a.py") == "a.py"


def test_the_project_on_this_machine_counts_where_a_session_ran_in_it() -> None:
    """A known root turns subfolders into parts of it, and leaves other machines' paths to the evidence."""
    here = _roots("/w/app/src", project=("/w/app",))
    assert here.relative("/w/app/src/a.py") == "src/a.py"
    elsewhere = _roots("/Users/ann/app", project=("/w/app",))
    assert elsewhere.relative("/Users/ann/app/src/a.py") == "src/a.py"
    assert elsewhere.relative("/w/app/a.py") == "/w/app/a.py"


def test_a_session_in_a_part_of_the_project_tells_its_root() -> None:
    """What other sessions began in is no proof that it is one repository."""
    here = _roots("/w/app/web", "/w/app/.worktrees/fix/web", project=("/w/app", "/w/app/.worktrees/fix"))
    assert here.began("/w/app/web/") == {"cwd": "/w/app/web", "root": "/w/app"}
    tree = "/w/app/.worktrees/fix"
    assert here.began(f"{tree}/web") == {"cwd": f"{tree}/web", "root": tree}
    assert here.began("/w/app") == {"cwd": "/w/app"}
    assert here.began("/w/other") == {"cwd": "/w/other"}
    assert _roots("/w", "/w/app").began("/w/app") == {"cwd": "/w/app"}


@pytest.mark.parametrize(("recorded", "expected"), table(__file__, "windows_paths"))
def test_windows_paths_get_forward_slashes(recorded: str, expected: str) -> None:
    """Drives and backslashes are understood; a backslash alone may be part of a name."""
    assert _roots("C:\\w\\app").relative(recorded, "C:\\w\\app" if recorded[1] == ":" else "") == expected


def test_a_backslash_stands_between_folders_where_there_are_drives() -> None:
    """As patches name files; it may lead out of the repository. Elsewhere it is part of a name."""
    roots = _roots("C:\\w\\app", "/w/app", "/mnt/c/w/lib")
    assert roots.relative("src\\a.py", "C:\\w\\app") == "src/a.py"
    assert roots.relative("..\\x\\a.py", "C:\\w\\app") == "C:/w/x/a.py"
    assert roots.relative("\\x\\a.py", "C:\\w\\app") == "/x/a.py"
    assert roots.relative("C:\\w\\lib\\a.py", "/mnt/c/w/lib") == "a.py"
    assert [roots.relative(p, "/w/app") for p in ("src\\a.py", "/c/w/app/..a")] == ["src\\a.py", "..a"]
    assert _roots("/mnt/c/w").relative("/mnt/c/W/a.py") == "/mnt/c/W/a.py"


def test_nonsense_stays_what_it_is() -> None:
    """No path is guessed: nothing, a home, a relative directory."""
    roots = _roots("", "relative/dir", "/w/app")
    assert roots.found == ("/w/app",)
    assert [roots.relative(p) for p in ("", "~/x", "a.py", "/w/app")] == ["", "~/x", "a.py", "."]
    assert roots.relative("~/../x", "/w/app") == "~/../x"
    assert plain("/w//app/./x/..") == "/w/app"
