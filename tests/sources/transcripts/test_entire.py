"""Sessions that the Entire CLI keeps in the repository are read as those of their own hosts."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any

import pytest

from remora.core.events import Event
from remora.sources.transcripts import entire
from remora.sources.transcripts.discovery import find, folders_of, roots_of
from remora.sources.transcripts.paths import slug
from remora.sources.transcripts.reader import read
from tests.sources.transcripts.records import claude, use

THEIRS = "/home/anna/app"
CLAUDE = [
    claude("user", "u1", "Make it 30 seconds.", promptId="p1", origin={"kind": "human"}, cwd=THEIRS),
    claude("assistant", "a1", use("Edit", "t1", file_path=f"{THEIRS}/src/a.py"), mid="m1", cwd=THEIRS),
]
OPENCODE = {
    "info": {"id": "ses_31f0a1b2c3d4", "directory": THEIRS, "time": {"created": 1772442000000}},
    "messages": [
        {
            "info": {"id": "msg_31f0a1b2c3d5", "role": "user", "time": {"created": 1772442001000}},
            "parts": [{"id": "prt_31f0a1b2c3d6", "type": "text", "text": "Add a test."}],
        },
        {"info": {"role": "user"}, "parts": []},
    ],
}


class Repository:
    """A repository in which checkpoints are made as the CLI makes them."""

    def __init__(self, root: Path) -> None:
        self.root = root
        root.mkdir()
        subprocess.run(["git", "init", "-q", "--template=", str(root)], check=True)
        self.files: dict[str, str] = {}

    def checkpoint(self, name: str, session: str, agent: str, files: dict[str, str], day: int = 1) -> None:
        """Add a checkpoint of a session to the branch."""
        about = {
            "session_id": session,
            "agent": agent,
            "created_at": f"2026-03-{day:02d}T09:00:00Z",
            "branch": "ttl",
        }
        self.files[f"{name[:2]}/{name[2:]}/metadata.json"] = json.dumps({"checkpoint_id": name})
        for file, text in {"metadata.json": json.dumps(about), **files}.items():
            self.files[f"{name[:2]}/{name[2:]}/0/{file}"] = text
        stream = "commit refs/heads/entire/checkpoints/v1\ncommitter a <a@example.org> 0 +0000\ndata 0\n"
        for path, text in self.files.items():
            stream += f"M 100644 inline {path}\ndata {len(text.encode())}\n{text}\n"
        subprocess.run(
            ["git", "-C", str(self.root), "fast-import", "--quiet", "--force"],
            input=stream.encode(),
            check=True,
        )

    def read(self) -> dict[str, list[Event]]:
        """Return the events of each session by its host."""
        found = find(self.root, self.environ, hosts=["entire"])
        roots = roots_of(found.transcripts, folders_of(self.root))
        return {
            t.host: list(read(t.path, host=t.host, parts=t.parts, roots=roots, session=t.session))
            for t in found.transcripts
        }

    @property
    def environ(self) -> dict[str, str]:
        """The environment of a machine that no agent ran on."""
        return {"HOME": str(self.root.parent / "home")}


@pytest.fixture
def repository(tmp_path: Path) -> Repository:
    """A repository without checkpoints."""
    return Repository(tmp_path / "app")


def lines(records: list[dict[str, Any]]) -> str:
    """Return records as JSON lines."""
    return "".join(json.dumps(record) + "\n" for record in records)


def told(events: list[Event]) -> list[str]:
    """Return what events say and which files they name."""
    return [" ".join(filter(None, (event.kind, event.text, *event.paths))) for event in events]


def test_a_session_is_read_from_its_newest_checkpoint(repository: Repository) -> None:
    """As its own host's, with paths relative to the work tree of whoever ran it."""
    repository.checkpoint("a1b2c3d4e5f6", "2026-03-01-s1", "Claude Code", {"full.jsonl": lines(CLAUDE)}, 2)
    repository.checkpoint("0a1b2c3d4e5f", "2026-03-01-s1", "Claude Code", {"full.jsonl": lines(CLAUDE[:1])})
    assert {host: told(events) for host, events in repository.read().items()} == {
        "claude-code": ["session_start", "user_prompt Make it 30 seconds.", "tool_call src/a.py", "step"]
    }


def test_a_transcript_in_several_objects_is_one(repository: Repository) -> None:
    """The CLI cuts a long one between lines."""
    first, second = (lines([record]).rstrip("\n") for record in CLAUDE)
    repository.checkpoint(
        "a1b2c3d4e5f6", "s1", "Claude Code", {"full.jsonl": first, "full.jsonl.001": second}
    )
    assert len(repository.read()["claude-code"]) == 4


def test_a_document_is_read_too(repository: Repository) -> None:
    """OpenCode's is one JSON value; a message that is none is left out."""
    repository.checkpoint("a1b2c3d4e5f6", "ses_1", "OpenCode", {"full.jsonl": json.dumps(OPENCODE)})
    assert told(repository.read()["opencode"]) == ["session_start", "user_prompt Add a test."]


def test_a_session_of_this_machine_counts_once(repository: Repository, tmp_path: Path) -> None:
    """Its own file is read, not the copy."""
    folder = tmp_path / "home" / ".claude" / "projects" / slug(str(repository.root))
    folder.mkdir(parents=True)
    mine = [{**record, "cwd": str(repository.root)} for record in CLAUDE]
    (folder / "s1.jsonl").write_text(lines(mine), "utf-8")
    repository.checkpoint("a1b2c3d4e5f6", "s1", "Claude Code", {"full.jsonl": lines(mine)})
    assert repository.read() == {}
    assert len(find(repository.root, repository.environ).transcripts) == 1


def test_it_has_to_be_asked_for(repository: Repository) -> None:
    """What others said is not learned unasked."""
    repository.checkpoint("a1b2c3d4e5f6", "s1", "Claude Code", {"full.jsonl": lines(CLAUDE)})
    assert find(repository.root, repository.environ).transcripts == ()


def test_what_came_with_a_clone_is_not_read(repository: Repository, tmp_path: Path) -> None:
    """A repository from anywhere must not say what its user wants."""
    repository.checkpoint("a1b2c3d4e5f6", "s1", "Claude Code", {"full.jsonl": lines(CLAUDE)})
    subprocess.run(
        ["git", "clone", "-q", repository.root, tmp_path / "clone"], check=True, capture_output=True
    )
    assert find(tmp_path / "clone", repository.environ, hosts=["entire"]).transcripts == ()


def test_what_cannot_be_read_is_named(repository: Repository) -> None:
    """An agent that nobody knows, metadata that are none, a name that leads elsewhere."""
    repository.checkpoint("a1b2c3d4e5f6", "s1", "Strange Agent", {"full.jsonl": "hello\n"})
    repository.checkpoint("b1b2c3d4e5f6", "../../s2", "Claude Code", {"full.jsonl": lines(CLAUDE)})
    repository.files["c1/b2c3d4e5f6/0/full.jsonl"] = lines(CLAUDE)
    repository.files["c1/b2c3d4e5f6/0/metadata.json"] = "[]"
    repository.checkpoint(
        "d1b2c3d4e5f6", "s3", "Claude Code", {"full.jsonl": lines(CLAUDE), "metadata.json": "{"}
    )
    found = find(repository.root, repository.environ, hosts=["entire"])
    assert found.transcripts == ()
    assert [Path(line.path).name for line in found.bad] == ["s1"]


def test_a_session_that_grew_looks_different(repository: Repository) -> None:
    """Its name stays, its stamp changes."""
    seen = []
    for day, records in ((1, CLAUDE[:1]), (2, CLAUDE)):
        repository.checkpoint("a1b2c3d4e5f6", "s1", "Claude Code", {"full.jsonl": lines(records)}, day)
        [transcript] = find(repository.root, repository.environ, hosts=["entire"]).transcripts
        seen.append((transcript.path, transcript.stamp))
    assert seen[0][0] == seen[1][0] == entire.name_of(repository.root, entire.stored(repository.root)[0])
    assert seen[0][1] != seen[1][1]
