"""Finding: the transcripts of a project that this machine has."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from remora.core.errors import NotFound, SourceError
from remora.sources.transcripts.discovery import Found, Transcript, find, find_in, folders_of
from remora.sources.transcripts.paths import slug
from remora.sources.transcripts.plain import header
from tests.helpers import Repo
from tests.sources.transcripts.records import claude, codex, put


def _names(found: tuple[Transcript, ...]) -> list[str]:
    return [transcript.path.stem for transcript in found]


def _env(tmp_path: Path) -> dict[str, str]:
    return {"HOME": str(tmp_path / "home")}


def _project(tmp_path: Path) -> Path:
    root = tmp_path / "app"
    root.mkdir()
    return root


def _ran(tmp_path: Path, name: str, cwd: Path | str, at: int = 0, folder: str = "") -> Path:
    """Write a session of Claude Code that ran in a folder, by default where it keeps those."""
    place = tmp_path / "home" / ".claude" / "projects" / (folder or slug(str(cwd)))
    return put(place / f"{name}.jsonl", [claude("user", name, "hi", sessionId=name, cwd=str(cwd), at=at)])


def test_sessions_of_the_project_in_order_of_time(tmp_path: Path) -> None:
    """Root and subfolders count, neighbours whose names begin alike do not."""
    root = _project(tmp_path)
    _ran(tmp_path, "late", root, 9)
    _ran(tmp_path, "early", root / "src", 1)
    _ran(tmp_path, "neighbour", f"{root}-two", 2)
    _ran(tmp_path, "elsewhere", "/w/other", 3)
    _ran(tmp_path, "moved", "/w/other", 4, slug(str(root)))
    found = find(root, _env(tmp_path))
    assert _names(found.transcripts) == ["early", "late"]
    first = found.transcripts[0]
    assert (first.host, first.session_id, first.started) == (
        "claude-code",
        "early",
        "2026-01-05T12:00:01.000Z",
    )
    assert first.cwd == str(root / "src")
    assert first.size == first.path.stat().st_size


def test_the_configured_folders_are_used(tmp_path: Path) -> None:
    """Both programs let their folder be moved, and one lets the project's folder be named."""
    root = _project(tmp_path)
    put(tmp_path / "conf" / "projects" / "mine" / "a.jsonl", [claude("user", "u", "hi", cwd=str(root))])
    put(
        tmp_path / "cdx" / "sessions" / "2026" / "01" / "05" / "rollout-b.jsonl",
        [codex("session_meta", 5, id="b", cwd=str(root))],
    )
    env = {"CLAUDE_CONFIG_DIR": str(tmp_path / "conf"), "CODEX_HOME": str(tmp_path / "cdx"), **_env(tmp_path)}
    assert _names(find(root, env).transcripts) == ["rollout-b"]
    env["CLAUDE_CODE_PROJECT_DIR_NAME"] = "mine"
    assert _names(find(root, env).transcripts) == ["a", "rollout-b"]
    assert _names(find(root, env, hosts=("codex",)).transcripts) == ["rollout-b"]


def test_work_trees_are_of_the_project(tmp_path: Path) -> None:
    """A session in a work tree beside the repository is found from either."""
    work = Repo(tmp_path / "app").init()
    work.commit("one", {"a.py": "1\n"})
    tree = tmp_path / "beside"
    work.git("worktree", "add", "-q", str(tree), "-b", "fix")
    _ran(tmp_path, "in-tree", tree, 1)
    _ran(tmp_path, "in-root", work.root, 2)
    for root in (work.root, tree):
        assert _names(find(root, _env(tmp_path)).transcripts) == ["in-tree", "in-root"]
    assert str(tree) in folders_of(work.root)


def test_a_link_to_the_project_is_the_project(tmp_path: Path) -> None:
    """Recorded through a link or without it, the folder is the same."""
    root = _project(tmp_path)
    link = tmp_path / "link"
    link.symlink_to(root)
    _ran(tmp_path, "a", link)
    assert _names(find(link, _env(tmp_path)).transcripts) == ["a"]
    _ran(tmp_path, "b", root, 1)
    assert _names(find(link, _env(tmp_path)).transcripts) == ["a", "b"]


def test_compressed_rollouts_are_reported(tmp_path: Path) -> None:
    """What cannot be read is said, not passed over in silence."""
    put(tmp_path / "home" / ".codex" / "sessions" / "2026" / "rollout-a.jsonl.zst", [b"\x28\xb5"])
    found = find(_project(tmp_path), _env(tmp_path))
    assert [bad.reason for bad in found.bad] == ["1 compressed rollouts (.zst) are not read"]


def test_a_folder_of_all_kinds(tmp_path: Path) -> None:
    """Each file is told by its content; what is nobody's is named, what is empty is not."""
    reply = {"kind": "reply", "session_id": "p", "key": "k", "at": "2026-01-05T12:00:02Z"}
    put(tmp_path / "x" / "a.jsonl", [claude("user", "u", "hi", at=3)])
    put(tmp_path / "x" / "sub" / "b.jsonl", [codex("session_meta", 1, id="c", cwd="/w")])
    put(tmp_path / "x" / "c.ndjson", [header("me"), reply])
    put(tmp_path / "x" / "d.jsonl", [{"a": 1}])
    put(tmp_path / "x" / "empty.jsonl", [])
    put(tmp_path / "x" / "notes.txt", ["hi"])
    found = find_in(tmp_path / "x")
    sessions = [("codex", "c"), ("plain", "p"), ("claude-code", "s1")]
    assert [(t.host, t.session_id) for t in found.transcripts] == sessions
    assert [Path(bad.path).name for bad in found.bad] == ["d.jsonl"]
    assert found.bad[0].reason == "not a transcript of a known host"


def test_one_file_is_found_by_name(tmp_path: Path) -> None:
    """A file that was named and cannot be read is an error, with what can be read."""
    path = put(tmp_path / "log.txt", [claude("user", "u", "hi")])
    assert [t.path for t in find_in(path).transcripts] == [path]
    with pytest.raises(SourceError, match="not a transcript of a known host"):
        find_in(put(tmp_path / "b.jsonl", [{"a": 1}]))
    with pytest.raises(SourceError, match="empty"):
        find_in(put(tmp_path / "c.jsonl", []))
    with pytest.raises(NotFound):
        find_in(tmp_path / "none")


def test_files_of_subagents_go_with_their_session(tmp_path: Path) -> None:
    """Below its folder, beside its file, with a parent's id, or a later copy: they are parts of it."""
    agent = {"isSidechain": True, "agentId": "a1"}
    below = put(tmp_path / "s1" / "subagents" / "agent-a1.jsonl", [claude("user", "x1", "do", **agent)])
    assert [(t.path, t.session_id) for t in find_in(tmp_path).transcripts] == [(below, "s1")]  # an orphan
    beside = put(tmp_path / "agent-a2.jsonl", [claude("user", "x2", "do", **agent)])
    main = put(tmp_path / "s1.jsonl", [claude("user", "u1", "hi", at=1)])
    copy = put(tmp_path / "a.jsonl", [claude("user", "u2", "more", at=2)])
    parent = put(tmp_path / "rollout-1.jsonl", [codex("session_meta", 1, id="c1", cwd="/w")])
    source = {"subagent": {"thread_spawn": {"parent_thread_id": "c1"}}}
    child = put(tmp_path / "rollout-2.jsonl", [codex("session_meta", 2, id="c2", cwd="/w", source=source)])
    found = {t.path: set(t.parts) for t in find_in(tmp_path).transcripts}
    assert found == {main: {below, beside, copy}, parent: {child}}


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no named pipes")
def test_a_pipe_is_not_waited_for(tmp_path: Path) -> None:
    """What is no regular file is passed over in a folder."""
    os.mkfifo(tmp_path / "a.jsonl")
    (tmp_path / "b.jsonl").mkdir()
    assert find_in(tmp_path) == Found((), ())


@pytest.mark.parametrize(("origin", "fork"), [("b", "a"), ("a", "b")])
def test_a_fork_comes_after_its_origin(tmp_path: Path, origin: str, fork: str) -> None:
    """Both begin at one time, whatever their files are called: the fork has what the origin had, and more."""
    copied = [claude("user", "u1", "hi", at=1), claude("assistant", "u2", "yes", at=2)]
    more = [claude("user", f"f{at}", "else", at=at) for at in (6, 7)]
    for name, lines in ((origin, copied), (fork, copied + more)):
        put(tmp_path / f"{name}.jsonl", [{**line, "sessionId": name} for line in lines])
    assert _names(find_in(tmp_path).transcripts) == [origin, fork]


@pytest.mark.parametrize(("origin", "fork"), [("b", "a"), ("a", "b")])
def test_a_fork_that_says_so_comes_after_its_origin(tmp_path: Path, origin: str, fork: str) -> None:
    """The origin went on only when the fork had gone on already, so that times alone would not tell."""
    copied, on, else_ = (claude("user", name, "hi", at=at) for name, at in (("u1", 1), ("u2", 9), ("f2", 5)))
    forked = {**copied, "forkedFrom": {"sessionId": origin, "messageUuid": "u1"}}
    for name, lines in ((origin, (copied, on)), (fork, (forked, else_))):
        put(tmp_path / f"{name}.jsonl", [{**line, "sessionId": name} for line in lines])
    assert _names(find_in(tmp_path).transcripts) == [origin, fork]


def test_a_copy_does_not_count_beside_its_session(tmp_path: Path) -> None:
    """SpecStory writes sessions of other hosts anew, under their ids; one that is not here is read."""
    root = _project(tmp_path)
    subprocess.run(["git", "init", "-q", str(root)], check=True)
    _ran(tmp_path, "here-0001", root)
    history = root / ".specstory" / "history"
    history.mkdir(parents=True)
    for name in ("here-0001", "away-0001"):
        (history / f"{name}.md").write_text(
            f"<!-- Claude Code Session {name} (2026-01-05 12:00:00Z) -->\n\n_**User**_\n\nhi\n", "utf-8"
        )
    found = find(root, _env(tmp_path)).transcripts
    assert sorted((t.host, t.session_id) for t in found) == [
        ("claude-code", "here-0001"),
        ("specstory", "away-0001"),
    ]
