"""What each stage makes of small scenes, as the golden scripts in tests/scripts show it.

`GOLDEN=update pytest tests/retrieval/test_golden.py` writes down what happens now; read the difference
before committing it. How a script is written stands in `script.py` beside this file.
"""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tests.retrieval.script import play

SCRIPTS = sorted((Path(__file__).parent.parent / "scripts").glob("*.txt"))


@pytest.mark.parametrize("path", SCRIPTS, ids=lambda path: path.stem)
def test_a_script_prints_what_it_says(path, tmp_path):
    """Each command of a script prints what the script shows."""
    written = path.read_text("utf-8")
    played = play(written, tmp_path)
    if os.environ.get("GOLDEN") == "update" and played != written:
        path.write_text(played, "utf-8")
        written = played
    assert played.splitlines() == written.splitlines()
