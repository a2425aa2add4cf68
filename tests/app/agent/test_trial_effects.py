"""The results of the trial in use: memories without an effect are silent, some sessions get no advice."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from remora.app.agent.session_brief import head_of
from remora.app.memory import Memory
from remora.core.moments import START, Moment
from remora.store.trials import Effect
from tests.app.conftest import Opens
from tests.helpers import Repo, environment


@pytest.mark.parametrize(("confirmed", "told"), [(False, ["b"]), (True, ["b", "a"])])
def test_a_memory_without_an_effect_is_silent(bare: Memory, *, confirmed: bool, told: list[str]) -> None:
    """The most helpful comes first; one that a person confirmed is told whatever followed."""
    names = {"a": "Make needs one job here", "b": "Start at the root before building"}
    ids = {
        name: bare.remember(text, type="gotcha", source="agent_explicit", triggers={"when": ["make"]}).id
        for name, text in names.items()
    }
    if confirmed:
        bare.verify(ids["a"])
    db = bare._project.db
    with db.transaction():
        effects = [(ids["a"], 0.7), (ids["b"], 1.2)]
        db.trials.set_effects([Effect(one, "rule", factor, 0, 10) for one, factor in effects])
    with bare.loop("s1") as loop:
        text = loop.before("Bash", {"command": "make all"})
    assert [name for name in sorted(names, key=lambda n: text.find(names[n])) if names[name] in text] == told


def test_a_share_of_sessions_gets_no_advice(repo: Repo, opens: Opens, tmp_path: Path) -> None:
    """If whole sessions are compared, a few get none at all, and a few the brief alone."""
    with opens():
        pass
    environ = environment(tmp_path, REMORA_TRIAL_SESSIONS="true")
    heads = [head_of(Moment(START, "claude-code", f"s{n}", str(repo.root)), environ) for n in range(300)]
    arms = Counter(head.arm for head in heads)
    assert set(arms) == {"", "control", "passive"}
    assert arms[""] > 200
    assert all(bool(head.limits) == (head.arm != "control") for head in heads)
