"""Methodologies that others install: found by their entry points, used by name, and told when they fail."""

from __future__ import annotations

from importlib.metadata import EntryPoint
from pathlib import Path

import pytest

from remora import Memory
from remora.app.health.doctor import methodologies
from remora.app.project.methodologies import GROUP, load
from remora.core.errors import InvalidInput
from remora.core.methodology import NATIVE, NativeMethodology

MODULE = """
from remora.core.methodology import NativeMethodology


class Kanban(NativeMethodology):
    id = "kanban"
    display_name = "Kanban"
    custom_memory_types = ("wip_limit",)

    def map_phase(self, phase):
        if phase == "broken":
            raise KeyError(phase)
        return {"review column": "validate", "odd": "no phase at all"}.get(phase, "implement")


KANBAN = Kanban()
"""


class Taken(NativeMethodology):
    """One that calls itself what the built-in one is called."""

    id = NATIVE.id


TAKEN = Taken()


def point(name: str, value: str) -> EntryPoint:
    """Return an entry point of the group."""
    return EntryPoint(name, value, GROUP)


@pytest.fixture
def installed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A package beside ours that registers a methodology, as pip would leave it."""
    about = tmp_path / "site" / "kanban_for_remora-1.0.dist-info"
    about.mkdir(parents=True)
    (about / "METADATA").write_text("Metadata-Version: 2.1\nName: kanban-for-remora\nVersion: 1.0\n")
    (about / "entry_points.txt").write_text(f"[{GROUP}]\nkanban = kanban_for_remora:KANBAN\n")
    (about.parent / "kanban_for_remora.py").write_text(MODULE)
    monkeypatch.syspath_prepend(str(about.parent))


@pytest.mark.usefixtures("installed")
def test_what_is_installed_is_found_and_used(bare: Memory) -> None:
    """Its types can be stored, its phases asked for; a phase that it maps to none is exploring."""
    plugins = load()
    assert set(plugins.known) == {NATIVE.id, "kanban"}
    assert plugins.problems == ()
    assert plugins.phase("review column", "kanban") == "validate"
    assert plugins.phase("anything", "kanban") == "implement"
    assert plugins.phase("odd", "kanban") == "explore"
    kept = bare.remember("At most three cards in review", type="wip_limit")
    assert [record.id for record in bare.list(["wip_limit"])] == [kept.id]
    validate = bare.context("cards in review", phase="validate")
    assert bare.context("cards in review", phase="review column", methodology="kanban").text == validate.text
    with pytest.raises(InvalidInput, match="unknown methodology 'scrum'") as caught:
        bare.context("cards", phase="review column", methodology="scrum")
    assert "kanban" in caught.value.hint
    with pytest.raises(InvalidInput, match="the methodology 'kanban' failed on the phase 'broken'"):
        bare.context("cards", phase="broken", methodology="kanban")
    assert list(methodologies(bare._project)) == []


def test_one_that_fails_takes_no_other_with_it(bare: Memory) -> None:
    """What cannot be loaded, is none, or takes another's name is left out, and the doctor says so."""
    here = "tests.app.project.test_methodologies"
    plugins = load(
        [
            point("gone", "no_such_module_anywhere:X"),
            point("text", f"{here}:MODULE"),
            point("taken", f"{here}:TAKEN"),
            point("native again", "remora.core.methodology:NATIVE"),
        ]
    )
    assert plugins.known == {NATIVE.id: NATIVE}
    gone, text, taken = plugins.problems
    assert "gone (no_such_module_anywhere:X) cannot be loaded" in gone
    assert "is not a methodology" in text
    assert "has the id 'native', which is taken" in taken
    bare._project._plugins = plugins
    told = methodologies(bare._project)
    assert [(f.level, f.detail) for f in told] == [("warning", problem) for problem in plugins.problems]
