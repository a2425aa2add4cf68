"""Prompt files: every one loads, and none is filled by halves."""

from __future__ import annotations

from pathlib import Path

import pytest

import remora
from remora.core.errors import InvalidInput
from remora.llm.prompts import fill, load, variables

ROOT = Path(remora.__file__).parent
PROMPTS = sorted(path.relative_to(ROOT) for path in ROOT.rglob("*.prompt"))


@pytest.mark.parametrize("path", PROMPTS, ids=str)
def test_every_prompt_loads_and_is_filled(path: Path) -> None:
    """A prompt file is found through its package and takes a value for each variable."""
    template = load(".".join(("remora", *path.parent.parts)), path.stem)
    assert template
    filled = fill(template, **{name: f"<{name}>" for name in variables(template)})
    assert not variables(filled)


@pytest.mark.parametrize("values", [{}, {"a": "1", "b": "2"}])
def test_missing_and_unknown_values_are_refused(values: dict[str, str]) -> None:
    """A variable without a value is an error, and so is a value without a variable."""
    with pytest.raises(InvalidInput, match="differ in"):
        fill("{{a}}", **values)
