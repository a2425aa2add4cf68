"""Three machines, random verbs, a log that fails: in the end all are equal and no text is lost.

The same steps run against every real carrier in `benchmarks sharing`.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from benchmarks.sharing import Trial


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(6))
def test_machines_converge(seed: int, tmp_path: Path) -> None:
    """Partitions, crashes, clocks a day off, batches twice and out of order: equal, and nothing lost."""
    (tmp_path / "carried").mkdir()
    with Trial(tmp_path, f"folder:{tmp_path}/carried", seed) as trial:
        for _ in range(60):
            trial.step()
        trial.heal()
        assert trial.differences() == []
        assert trial.lost() == []
        assert trial.contested_lost() == []
