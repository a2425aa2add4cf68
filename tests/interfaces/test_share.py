"""share, team, sync, conflicts, dispute on the command line: two people, one log."""

from __future__ import annotations

import json
from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from remora.core.clock import FixedClock
from remora.interfaces.cli import cli
from remora.interfaces.commands.cli_context import CliContext

Person = Callable[..., Result]


@pytest.fixture
def people(tmp_path: Path, environ: dict[str, str], clock: FixedClock) -> tuple[Person, Person]:
    """Ann and Ben: each runs commands in a project folder and a home of their own."""
    (tmp_path / "carried").mkdir()

    def run(home: Path, *words: str) -> Result:
        clock.advance(seconds=1)
        (home / "shop").mkdir(parents=True, exist_ok=True)
        own = {**environ, "HOME": str(home), "REMORA_HOME": str(home / "data")}
        line = ["--project", str(home / "shop"), *words]
        return CliRunner(env=own).invoke(cli, line, obj=CliContext(clock))

    return partial(run, tmp_path / "ann"), partial(run, tmp_path / "ben")


@pytest.fixture
def joined(people: tuple[Person, Person], tmp_path: Path) -> tuple[Person, Person, str]:
    """Ann and Ben after Ben joined, and the id of a memory of Ann's."""
    ann, ben = people
    stored = ann("remember", "The gateway rejects RS256", "--type", "decision", "--json")
    assert ann("share", "init", f"folder:{tmp_path}/carried", "--me", "Ann").exit_code == 0
    assert ann("sync", "--yes").exit_code == 0
    invited = ann("team", "invite", "Ben").stdout.split()
    assert invited[:3] == ["remora", "share", "join"]
    assert "The gateway rejects RS256" in ben("share", "join", invited[3]).stdout
    return ann, ben, json.loads(stored.stdout)["id"]


def test_nothing_leaves_before_a_yes(people: tuple[Person, Person], tmp_path: Path) -> None:
    """Before sharing the verbs say how to begin; the first exchange asks, a preview says what would go."""
    ann, _ = people
    for line in ("sync", "team", "share invite"):
        answer = ann(*line.split())
        assert answer.exit_code != 0
        assert "this project is not shared" in answer.stderr
        assert "remora share init git" in answer.stderr
    ann("remember", "The gateway rejects RS256", "--type", "decision")
    ann("remember", "I prefer tabs over spaces", "--type", "preference")
    assert "to send: 1 change" in ann("share", "init", f"folder:{tmp_path}/carried", "--me", "Ann").stdout
    preview = ann("share", "status", "--would-send").stdout
    assert "The gateway rejects RS256" in preview
    assert "a preference; `remora share add ID` shares it" in preview
    listed = ann("share", "status").stdout.partition("Not sent:")[2]
    assert len(listed.strip().splitlines()) == 1
    refused = ann("sync")
    assert refused.exit_code != 0
    assert "1 memory would be sent for the first time" in refused.stderr
    assert not list((tmp_path / "carried").rglob("*.jsonl"))
    assert "1 memory not sent" in ann("sync", "--yes").stdout


def test_a_walk_through_the_verbs(joined: tuple[Person, Person, str]) -> None:
    """Members, a wider circle, a dispute with its answer, a role, a removal and leaving."""
    ann, ben, memory_id = joined
    assert "Ben" in ann("team").stdout or ann("sync").exit_code == 0
    ann("sync")
    assert [m["name"] for m in json.loads(ann("team", "--json").stdout)["members"]] == ["Ann", "Ben"]
    assert "shared with: team" in ann("share", memory_id[:8], "--with", "team").stdout
    ben("dispute", memory_id[:8], "it takes RS256 since May")
    ben("sync"), ann("sync")
    assert "it takes RS256 since May" in ann("dispute", memory_id[:8]).stdout
    assert memory_id[:8] in ann("dispute").stdout
    for person, words, said in ((ben, (), "TEXT is missing"), (ben, ("no",), "only a steward")):
        refused = person("dispute", memory_id, "--uphold", *words)
        assert refused.exit_code != 0
        assert said in refused.stderr
    ann("dispute", memory_id[:8], "not in production", "--uphold")
    ann("sync"), ben("sync")
    assert "No disputes." in ben("dispute").stdout
    assert "steward" in ann("team", "role", "Ben", "steward").stdout
    ann("sync")
    assert "1 memory of others removed" in ben("share", "leave", "--yes").stdout
    assert ben("share").stdout == "Not shared. `remora share init git` shares it.\n"


def test_a_conflict_on_the_command_line(joined: tuple[Person, Person, str], tmp_path: Path) -> None:
    """Of two changes at a time both are listed, one is chosen; a rule of two machines is one line."""
    ann, ben, memory_id = joined
    for person in (ann, ben):
        person("remember", "Run the linter before each commit", "--type", "requirement")
    ann("sync"), ann("team", "role", "Ben", "steward"), ann("sync")
    ben("sync", "--yes"), ann("sync")
    assert len(json.loads(ann("list", "--type", "requirement", "--json").stdout)["memories"]) == 2
    assert ann("export", str(tmp_path / "CLAUDE.md"), "--format", "claude-md").exit_code == 0
    assert (tmp_path / "CLAUDE.md").read_text().count("Run the linter") == 1
    ann("edit", memory_id, "--content", "The gateway rejects RS256 and HS256")
    ben("edit", memory_id, "--content", "The gateway takes ES256 only")
    ann("sync"), ben("sync"), ann("sync")
    told = ann("conflicts").stdout
    assert "The gateway rejects RS256 and HS256" in told
    assert "The gateway takes ES256 only" in told
    assert ann("conflicts", memory_id).exit_code != 0
    mistyped = ann("conflicts", memory_id, "--keep", "01a22389-ffff-7e73-b89f-cbd01af0550c")
    assert mistyped.exit_code != 0
    for version in json.loads(ann("conflicts", "--json").stdout)["conflicts"][0]["versions"]:
        assert version["revision"] in mistyped.stderr
    assert "resolved" in ann("conflicts", memory_id, "--keep", "theirs").stdout
    assert ann("conflicts").stdout == "No conflicts.\n"
    assert "The gateway takes ES256 only" in ann("show", memory_id).stdout
