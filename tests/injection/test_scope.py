"""What a task is about: named files and modules, and what its words name."""

from __future__ import annotations

from pathlib import Path

import pytest

from remora.injection.scope import AROUND, FILE, MODULE, Scope, scope
from tests.retrieval.worlds import World, record


def test_what_is_given_counts(tmp_path: Path) -> None:
    """Modules are folders without slashes around them; the folders of files are modules, too."""
    with World(tmp_path) as world:
        found = scope(world.db, "rework it", ["./auth/", "auth", " web "], ["server/main.py", "setup.py"])
    assert found == Scope(("auth", "web", "server"), ("server/main.py", "setup.py"))
    assert found.filters == ("server/main.py", "setup.py", "auth/", "web/", "server/")


def test_paths_in_the_words(tmp_path: Path) -> None:
    """A file that the task names is found in the history by its end; one with a folder needs none.

    A folder is one with a slash behind it.
    """
    with World(tmp_path) as world:
        world.commit("auth/tokens.py", "web/app.py")
        with world.db.transaction():
            world.db.connection.execute("UPDATE git_files SET present = 1")
        found = scope(world.db, "tokens.py and docs/new.md")
        assert scope(world.db, "make `web/` and server/api/ smaller").modules == ("web", "server/api")
        assert scope(world.db, "read and/or https://a.example/b/ and 1/2/3").modules == ()
    assert found == Scope(("auth", "docs"), ("auth/tokens.py", "docs/new.md"))


def test_modules_in_the_words(tmp_path: Path) -> None:
    """A known module's name is enough where nothing is named; words of any task are not."""
    with World(tmp_path) as world:
        world.commit("src/billing/a.py", "tests/test_a.py")
        with world.db.transaction():
            world.db.connection.execute(
                "UPDATE git_files SET present = 1, module = 'src/billing' WHERE path LIKE 's%'"
            )
            world.db.connection.execute(
                "UPDATE git_files SET present = 1, module = 'tests' WHERE path LIKE 't%'"
            )
        assert scope(world.db, "make the billing tests faster").modules == ("src/billing",)
        assert scope(world.db, "make the billing faster", ["auth"]).modules == ("auth",)


@pytest.mark.parametrize(
    ("fields", "near"),
    [
        ({"related_files": ("auth/tokens.py",)}, FILE),
        ({"related_files": ("auth/*.py",)}, FILE),
        ({"related_files": ("auth/other.go",)}, MODULE),
        ({"related_modules": ("auth",)}, MODULE),
        ({"related_modules": ("auth/web",)}, AROUND),
        ({"related_files": ("authors/a.py",)}, 0.0),
        ({}, 0.0),
    ],
)
def test_nearness(fields, near) -> None:
    """A memory about the file is nearer than one of the module, and that nearer than one around it."""
    assert Scope(("auth",), ("auth/tokens.py",)).nearness(record(**fields)) == near
