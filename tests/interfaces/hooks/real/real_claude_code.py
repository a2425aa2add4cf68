"""Remora inside the real Claude Code, offline: `python dev.py claude-code` runs this.

The CLI comes in the wheel of `claude-agent-sdk`; the model is `scripted_api`, which plays a script and keeps
what it was sent. Everything else is what a person has: the plugin, installed from the marketplace of this
repository, a repository with checks that fail, and two sessions in it. Pytest does not find this file by
itself, since the CLI is large.
"""

from __future__ import annotations

import hashlib
import json
import os
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from remora.core.moments import KINDS
from remora.disk.live import LEARNT
from tests.interfaces.hooks.real.accidents import Accidents
from tests.interfaces.hooks.real.scripted_api import Say, Script, ScriptedApi, Turn, Use, texts_of
from tests.interfaces.hooks.real.seen import answers, heard, page, said_by_hooks
from tests.interfaces.hooks.real.world import ROOT, SERVER, Session, World

GOLDEN = Path(__file__).parent / "golden"
FIRST = (
    "Lint complains about app; mend it, then run the tests and the report. "
    "Always keep times in UTC here, because the tills stand in three countries."
)
SECOND = "Give an invoice the time when it was made, then run the tests and the report."
CHECKS = "Run the tests of the shop and its report, please."
TESTS = "Run the tests of the shop, please."
AGAIN = "Run the tests once more, please."
WRONG, RIGHT = "python3 -m unittest --fail-fast", "python3 -m unittest --failfast"
WARNING = f"`{WRONG}` fails with"
REFUSED = "Error executing tool search_memory: "


def run(command: str) -> Use:
    """The model runs a command."""
    return Use("Bash", {"command": command, "description": "Run it"})


def edit(path: Path, old: str, new: str) -> Use:
    """The model changes a file."""
    return Use("Edit", {"file_path": str(path), "old_string": old, "new_string": new})


def read(path: Path, **more: int) -> Use:
    """The model reads a file."""
    return Use("Read", {"file_path": str(path), **more})


def wrong_tests(times: int = 1) -> list[Turn]:
    """The model runs the tests with a flag that there is not, and gives up."""
    return [*[(run(WRONG),)] * times, (Say("They cannot be run."),)]


class Taught:
    """A world in which sessions have been learned, the first of them, and its state to come back to."""

    def __init__(self, world: World, first: Session, kept: Path) -> None:
        self.world, self.first, self.kept = world, first, kept

    def again(self) -> World:
        """Put everything back to how it was after those sessions."""
        self.world.settled()
        shutil.rmtree(self.world.folder)
        shutil.copytree(self.kept, self.world.folder, symlinks=True)
        return self.world


@pytest.fixture(scope="module")
def claude() -> Path:
    """The program of Claude Code."""
    if not Path("/proc/self/environ").exists() or shutil.which("make") is None:
        pytest.skip("needs /proc and make")
    given = os.environ.get("REMORA_CLAUDE")
    found = (
        [Path(given)] if given else list((ROOT / ".venv-claude").rglob("claude_agent_sdk/_bundled/claude"))
    )
    if not found or not found[0].is_file():
        pytest.skip("Claude Code is not here: `python dev.py claude-code` fetches it")
    return found[0]


@pytest.fixture(scope="module")
def api() -> Iterator[ScriptedApi]:
    """The service that plays the model."""
    with ScriptedApi() as service:
        yield service


@pytest.fixture(scope="module")
def taught(tmp_path_factory: pytest.TempPathFactory, claude: Path, api: ScriptedApi) -> Taught:
    """Two sessions: commands that fail, and what mended them."""
    folder = tmp_path_factory.mktemp("claude")
    world = World(folder / "world", claude, api)
    world.make()
    world.install_plugin()
    first = world.session(_first(world))
    world.learnt(first.id)
    assert world.left_behind() == []
    (world.repo / "shop.db").unlink()
    world.learnt(world.session(_once_more()).id)  # what helped twice is a memory
    (world.repo / "shop.db").unlink()
    world.remora("trust", "2")  # what a store of an earlier version has, and a person who confirms reaches
    shutil.copytree(world.folder, folder / "kept", symlinks=True)
    return Taught(world, first, folder / "kept")


@pytest.fixture
def world(taught: Taught) -> Iterator[World]:
    """A machine on which sessions were learned; afterwards nothing of ours may be left on it."""
    found = taught.again()
    yield found
    found.settled()
    assert found.left_behind() == []


def _first(world: World) -> Script:
    clock, orders = world.repo / "app/clock.py", world.repo / "app/orders.py"
    utc = "datetime.now(timezone.utc)"
    return {
        FIRST: [
            (Say("Let me run the tests first."), run(WRONG)),
            (run(RIGHT),),
            (run("make lint"),),
            (read(clock), read(orders)),
            (edit(clock, "datetime.now() -", f"{utc} -"),),
            (edit(orders, "datetime.now()}", f"{utc}}}"),),
            (run("make lint"),),
            (run(WRONG),),
            (run(RIGHT),),
            (run("python3 -m app.report"),),
            (run("python3 -m app.report"),),
            (run("make setup"),),
            (run("python3 -m app.report"),),
            (run("git commit -qam 'Keep times in UTC'"),),
            (Say("Lint passes, the tests pass and the report runs."),),
        ]
    }


def _once_more() -> Script:
    return {
        CHECKS: [
            (run(WRONG),),
            (run(RIGHT),),
            (run("python3 -m app.report"),),
            (run("make setup"),),
            (run("python3 -m app.report"),),
            (Say("The tests pass and the report runs."),),
        ]
    }


def _second(world: World) -> Script:
    invoices = world.repo / "app/invoices.py"
    search = {"query": "datetime.now without a zone", "limit": 2}
    found: dict[str, Any] = json.loads(world.remora("search", "fail-fast", "--json", "-k", "1"))
    decision = "An invoice has the time when it was made, because the tax office asks for it."
    return {
        SECOND: [
            (Use(f"{SERVER}__search_memory", search),),
            (read(invoices),),
            (edit(invoices, '{"total": total}', '{"total": total, "at": datetime.now()}'),),
            (edit(invoices, "datetime.now()}", "datetime.now(timezone.utc)}"),),
            (run(WRONG),),
            (run(RIGHT),),
            (run("python3 -m app.report"),),
            (run("make setup"), run("python3 -m app.report")),
            (
                Use(
                    f"{SERVER}__record_memory",
                    {"content": decision, "type": "decision", "files": ["app/invoices.py"]},
                ),
            ),
            (Use("ToolSearch", {"query": f"select:{SERVER}__why"}),),
            (Use(f"{SERVER}__why", {"memory_id": found["hits"][0]["id"]}),),
            (Say("Invoices have a time; the tests pass and the report runs."),),
        ]
    }


# The two sessions


def test_an_empty_memory_says_nothing(taught: Taught) -> None:
    """In a project's first session the model gets the tools and their instructions, and not a word more."""
    assert said_by_hooks(taught.first) == []
    assert heard(taught.first) == []
    assert taught.first.code == 0
    assert all(hook["exit_code"] == 0 and not hook["stderr"] for hook in taught.first.hooks)
    assert "with its instructions" in page(taught.first, taught.world, FIRST)


def test_what_the_first_session_taught_is_said_in_the_second(world: World) -> None:
    """The model sees the brief, the advice at that very edit and that very command, and the tools answer."""
    session = world.session(_second(world))
    assert session.code == 0
    _compare("second-session.txt", page(session, world, SECOND))
    world.learnt(session.id)
    said = [line["t"] for line in world.live(session.id) if line.get("said")]
    assert said == ["brief", "command", "error"]
    assert "Keep" not in "".join(heard(session)[1:])  # the brief is said once
    assert "the tax office asks for it" in world.remora("list", "--type", "decision")
    told = world.remora("log")
    assert all(session.id in line for line in told.splitlines()[:3])
    assert {"error", "command", "brief"} == {line.split("  ")[1] for line in told.splitlines()[:3]}


def test_a_new_project_is_told_what_no_person_confirmed_with_a_mark(world: World) -> None:
    """At the first trust level it is said at the same command that failed in two sessions."""
    world.remora("trust", "1")
    session = world.session({TESTS: wrong_tests()})
    (told,) = heard(session)[1:]
    assert told.startswith("This project's memory about this command")
    assert "unconfirmed" in told


def _compare(name: str, text: str) -> None:
    """Hold a page against the one that was kept; `REMORA_GOLDEN=write` keeps it anew."""
    path = GOLDEN / name
    if os.environ.get("REMORA_GOLDEN") == "write":
        path.parent.mkdir(exist_ok=True)
        path.write_text(text, "utf-8")
    assert text == path.read_text("utf-8")


# The rest of a session's life


def test_a_session_that_goes_on_is_told_once(world: World) -> None:
    """On resuming neither the brief nor advice comes again, for both are there; both halves are learned."""
    one = world.session({TESTS: wrong_tests()})
    world.learnt(one.id)
    other = world.session({AGAIN: wrong_tests()}, "--resume", one.id)
    assert other.id == one.id
    assert [hook["hook_name"] for hook in other.hooks][:1] == ["SessionStart:resume"]
    assert said_by_hooks(other) == []
    assert sum(WARNING in text for text in _texts(other)) == 1
    assert sum("Remora, the memory" in text for text in _texts(other)) == 1
    world.learnt(one.id, times=2)
    half = "start prompt before failed stop end learnt".split()
    assert _kinds(world, one) == half * 2


def test_after_compaction_the_brief_comes_again(world: World) -> None:
    """What the summary lost is said anew; the summarizer counts for no subagent."""
    script: Script = {TESTS: wrong_tests(), AGAIN: wrong_tests()}
    session = world.session(script, prompts=(TESTS, "/compact", AGAIN))
    names = [hook["hook_name"] for hook in session.hooks]
    assert "SessionStart:compact" in names
    brief, warning, again = said_by_hooks(session)
    assert WARNING in warning
    assert again.startswith("Remora, the memory")
    assert again == brief
    assert heard(session, AGAIN) == [brief]
    world.learnt(session.id)
    one, between, other = "start prompt before failed stop", "compacting start compacted", "end learnt"
    assert _kinds(world, session) == f"{one} {between} {one.removeprefix('start ')} {other}".split()


@pytest.mark.parametrize("behind", [False, True], ids=["waited-for", "in-the-background"])
def test_a_subagent_is_advised_for_itself(world: World, behind: bool) -> None:
    """What the parent was told the helper has not heard: it is told once, and counted for the helper."""
    helper = "HELPER, run the tests of the shop twice."
    given = {"description": "Run the tests", "prompt": helper, "subagent_type": "general-purpose"}
    script: Script = {
        TESTS: [(run(WRONG),), (Use("Agent", {**given, "run_in_background": behind}),), (Say("Well."),)],
        helper: wrong_tests(2),
    }
    session = world.session(script)
    assert len([text for text in heard(session, TESTS) if WARNING in text]) == 1
    assert [WARNING in text for text in heard(session, helper)] == [True]
    world.learnt(session.id)
    lines = world.live(session.id)
    agents = {line.get("g", "") for line in lines if line["k"] == "subagent_start"}
    assert len(agents) == 1
    assert "" not in agents
    (agent,) = agents
    warned = [line.get("g", "") for line in lines if line.get("t") == "command"]
    assert sorted(warned) == ["", agent]
    assert [line["k"] for line in lines if line.get("g") == agent] == (
        "subagent_start before said failed before failed subagent_stop".split()
    )
    assert _kinds(world, session).count("prompt") == 1  # that a helper is done is said by no person


def test_tools_that_run_at_the_same_time_hear_a_memory_once(world: World) -> None:
    """Five hooks at once say what is known of a file one time, and none of their lines is lost."""
    statement = "An invoice is never changed once it was sent; the tax office has its number"
    world.remora("remember", statement, "--type", "gotcha", "--file", "app/invoices.py")
    path = world.repo / "app/invoices.py"
    turn = tuple(read(path, limit=number) for number in range(2, 7))
    with Accidents(world) as accidents:
        accidents.slow_down()
        session = world.session({TESTS: [turn, (Say("I have read it."),)]}, environ=accidents.environ)
    assert sum(statement in text for text in heard(session)) == 1
    assert sum(statement in text for text in said_by_hooks(session)) == 1
    world.learnt(session.id)
    calls = [line["i"] for line in world.live(session.id) if line["k"] == "after"]
    assert len(calls) == len(set(calls)) == 5


# Accidents


@pytest.mark.parametrize(("moment", "told"), [("start", ["command"]), ("before", ["brief", "command"])])
def test_a_hook_that_dies_takes_nothing_with_it(world: World, moment: str, told: list[str]) -> None:
    """Killed with half a line written and the file locked: the agent goes on, and is told the next time."""
    with Accidents(world) as accidents:
        accidents.kill_at(moment)
        session = world.session({TESTS: wrong_tests(2)}, environ=accidents.environ)
        assert accidents.happened
    assert session.code == 0
    assert [_trigger(text) for text in heard(session)] == told
    raw = world.live_file(session.id).read_text("utf-8").splitlines()
    assert len([line for line in raw if not line.endswith("}")]) == 1
    world.learnt(session.id)
    kinds = _kinds(world, session)
    assert kinds[-2:] == ["end", "learnt"]
    assert kinds.count("failed") == 2
    assert kinds.count("before") == (1 if moment == "before" else 2)


def test_a_hook_that_hangs_is_given_up(world: World) -> None:
    """The host ends it after its time; it holds nothing up but itself, and nothing of it stays."""
    with Accidents(world) as accidents:
        accidents.hang_at("before")
        session = world.session({TESTS: wrong_tests(2)}, environ=accidents.environ)
        assert accidents.happened
        world.learnt(session.id)
    assert session.code == 0
    assert [_trigger(text) for text in heard(session)] == ["brief", "command"]


def test_work_that_dies_is_done_by_the_next(world: World) -> None:
    """A session whose learning was killed is learned when the next one ends."""
    with Accidents(world) as accidents:
        accidents.kill_work()
        one = world.session({TESTS: wrong_tests()}, environ=accidents.environ)
        world.settled()
        assert accidents.happened
    assert world.live(one.id)[-1]["k"] == "end"
    other = world.session({AGAIN: wrong_tests()})
    world.learnt(other.id)
    assert world.live(one.id)[-1]["k"] == "learnt"
    told = json.loads(world.remora("search", "unrecognized arguments", "--json", "-k", "1"))
    assert "seen in 4 sessions" in told["hits"][0]["text"]


def test_a_home_that_cannot_be_written_is_no_matter(world: World) -> None:
    """The agent goes on, nothing is said unasked, what it asks for is read, and not a byte changes."""
    before = _bytes(world.data)
    answer = _nothing_was_said(world, *_read_only(world.data))
    assert "for 'fail-fast', best first" in answer
    assert _bytes(world.data) == before


def test_a_file_in_the_place_of_the_home_is_no_matter(world: World) -> None:
    """The agent goes on and nothing is said, however wrong the place of the data is."""
    shutil.rmtree(world.data)
    world.data.write_text("not a folder")
    answer = _nothing_was_said(world)
    assert answer.startswith(REFUSED)
    assert str(world.data) in answer
    assert world.data.read_text() == "not a folder"


def test_a_damaged_database_is_no_matter(world: World) -> None:
    """The agent goes on, nothing is said, the log tells why, and the file stays for whoever can mend it."""
    (path,) = world.data.glob("projects/*/memory.db")
    path.write_bytes(b"\x00garbage" * 10_000)
    answer = _nothing_was_said(world)
    assert answer.startswith(REFUSED)
    assert str(world.data) in answer
    assert path.read_bytes() == b"\x00garbage" * 10_000
    assert "damaged or not a database" in (world.data / "hooks.log").read_text("utf-8")


def _nothing_was_said(world: World, *before: str) -> str:
    """Run a session whose hooks have nothing to write to, and are silent; return what a search answers."""
    search = Use(f"{SERVER}__search_memory", {"query": "fail-fast"})
    session = world.session({TESTS: [(search,), *wrong_tests()]}, before=before)
    world.settled()
    assert session.code == 0
    assert said_by_hooks(session) == heard(session) == []
    assert all(hook["exit_code"] == 0 and not hook["stderr"] for hook in session.hooks)
    (answer,) = answers(session.asked)
    return answer


def _read_only(folder: Path) -> tuple[str, ...]:
    """Return the words that run a program for which a folder cannot be written."""
    if os.geteuid() != 0:
        for path in (folder, *folder.rglob("*")):
            path.chmod(0o500 if path.is_dir() else 0o400)
        return ()
    if shutil.which("unshare") is None:
        pytest.skip("for root, a folder is read-only only with unshare")
    quoted = f"'{folder}'"
    mount = f"mount --bind {quoted} {quoted} && mount -o remount,ro,bind {quoted}"
    return ("unshare", "--mount", "sh", "-c", f'{mount} && exec "$0" "$@"')


def _bytes(folder: Path) -> str:
    """Return a hash of every file below a folder, with its name."""
    found = hashlib.sha256()
    for path in sorted(p for p in folder.rglob("*") if p.is_file()):
        found.update(f"{path}\0".encode())
        found.update(path.read_bytes())
    return found.hexdigest()


# Without the plugin


def test_installed_into_the_settings_it_does_the_same(world: World) -> None:
    """`remora install` in place of the plugin: the same words reach the model, and all of it can go again."""
    world.call(world.claude, "plugin", "uninstall", "remora@remora")
    settings = world.config / "settings.json"
    before = settings.read_bytes() if settings.exists() else None
    world.remora("install", "claude-code", "--scope", "user", "--yes")
    session = world.session(
        {TESTS: [(Use("mcp__remora__search_memory", {"query": "fail-fast"}),), *wrong_tests()]},
        "--allowedTools",
        "Bash,mcp__remora",
    )
    assert [text.split(",")[0][:30] for text in heard(session)] == [
        "Remora",
        "This project's memory about th",
    ]
    assert WARNING in answers(session.asked, "mcp__remora")[0]
    world.learnt(session.id)
    world.remora("uninstall", "claude-code", "--scope", "user", "--yes")
    assert (settings.read_bytes() if settings.exists() else None) == before


def test_who_has_both_is_told_once(world: World) -> None:
    """The plugin and the settings both tell every event; each is noted once, and nothing is said twice."""
    world.remora("install", "claude-code", "--scope", "user", "--hooks", "--no-mcp", "--yes")
    session = world.session({TESTS: wrong_tests(2)})
    assert [hook["hook_name"] for hook in session.hooks].count("PreToolUse:Bash") == 4
    assert [_trigger(text) for text in heard(session)] == ["brief", "command"]
    world.learnt(session.id)
    kinds = _kinds(world, session)
    assert [kinds.count(kind) for kind in ("start", "prompt", "before", "failed")] == [1, 1, 2, 2]


def _trigger(text: str) -> str:
    return "brief" if text.startswith("Remora, the memory") else "command" if WARNING in text else text


def _kinds(world: World, session: Session) -> list[str]:
    """Return which moments of a session were noted, in order, and when it was learned."""
    return [line["k"] for line in world.live(session.id) if line["k"] in (*KINDS, LEARNT)]


def _texts(session: Session) -> list[str]:
    """Return every text of a session's last request that no model wrote."""
    messages = session.asked[-1].messages
    return [text for m in messages for role in ("user", "system") for text in texts_of(m, role)]
