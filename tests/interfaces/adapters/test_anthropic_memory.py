"""The memory tool answers as the SDK's own class does, and works in the SDK's tool runner."""

from __future__ import annotations

import asyncio
import json
import os
import random
import re
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

import pytest

anthropic = pytest.importorskip("anthropic")
httpx2 = pytest.importorskip("httpx2")

from anthropic.lib.tools import ToolError  # noqa: E402
from anthropic.tools.memory import BetaLocalFilesystemMemoryTool  # noqa: E402

from remora import Memory  # noqa: E402
from remora.interfaces.adapters.anthropic_memory import (  # noqa: E402
    AsyncRemoraMemoryTool,
    RemoraMemoryTool,
)
from tests.helpers import SECRET, holds, no_file_above, texts  # noqa: E402
from tests.tables import table  # noqa: E402

Command = dict[str, Any]


@pytest.fixture
def theirs(tmp_path: Path) -> Any:
    """The SDK's own class on a folder of its own."""
    return BetaLocalFilesystemMemoryTool(base_path=str(tmp_path / "theirs"))


def answer(tool: Any, command: Command) -> str:
    """Return what the model reads; an error of the SDK's own class that it does not word is any error."""
    try:
        return str(tool.call(command))
    except ToolError as error:
        return f"error: {error.content}"
    except Exception:  # noqa: BLE001  whatever the runner would tell the model in its own words
        return "error"


def masked(text: str) -> str:
    """Return a text without the sizes of folders, which are the file system's."""
    return re.sub(r"^\S+\t(/memories|.*/)$", r"\1", text, flags=re.MULTILINE)


def agree(ours: str, reference: str) -> bool:
    """Return whether two answers are the same."""
    return ours.startswith("error") if reference == "error" else masked(ours) == masked(reference)


def tree(folder: Path) -> dict[str, bytes]:
    """Return every file below a folder."""
    return {str(p.relative_to(folder)): p.read_bytes() for p in folder.rglob("*") if p.is_file()}


def command(name: str, path: str, more: str = "") -> Command:
    """Return a command of the corpus, where a long text stands as a piece and how often it comes."""
    if name == "rename":
        return {"command": name, "old_path": path, "new_path": more}
    fields = json.loads(more or "{}")
    if isinstance(text := fields.get("file_text"), list):
        fields["file_text"] = text[0] * text[1]
    return {"command": name, "path": path, **fields}


def compared(memory: Memory, theirs: Any, script: Iterable[Command], tmp_path: Path) -> None:
    """Check that both classes give the same answers to a script and leave the same files."""
    ours = RemoraMemoryTool(memory)
    for number, one in enumerate(script):
        want, got = answer(theirs, one), answer(ours, one)
        assert agree(got, want), f"{number}: {str(one)[:200]}\nwant {want[:300]}\ngot {got[:300]}"
    assert tree(memory.home / "memory" / "tool") == tree(tmp_path / "theirs" / "memories")
    assert theirs.to_dict() == ours.to_dict() == {"type": "memory_20250818", "name": "memory"}
    assert theirs.clear_all_memory() == ours.clear_all_memory()


def test_a_script_has_the_same_answers(memory: Memory, theirs: Any, tmp_path: Path) -> None:
    """Every command, in every way it can go wrong: the same words, and the same files in the end."""
    compared(memory, theirs, [command(*row) for row in table(__file__, "memory_tool")], tmp_path)


@pytest.mark.parametrize("seed", range(6))
def test_random_scripts_have_the_same_answers(memory: Memory, theirs: Any, tmp_path: Path, seed: int) -> None:
    """A few hundred commands in any order on a few paths lead to the same answers and files."""
    compared(memory, theirs, _any_commands(random.Random(seed), 250), tmp_path)


def _any_commands(chance: random.Random, count: int) -> Iterator[Command]:
    names = ["a", "b.md", "c/d", "c/e.md", "c", "c/f/g", ".h", "c/../b.md", "../a", ""]
    words = ["one", "two\n", "\n", "one two", "", "three\nfour\nfive\n", "é\r\n"]
    for _ in range(count):
        path, other = (f"/memories/{chance.choice(names)}" for _ in range(2))
        old, new = chance.choices(words, k=2)
        fields: dict[str, Command] = {
            "view": {"path": path, "view_range": chance.choice([None, [1, 2], [2, -1], [0, 9]])},
            "create": {"path": path, "file_text": old + new + old},
            "str_replace": {"path": path, "old_str": old, "new_str": new},
            "insert": {"path": path, "insert_line": chance.randrange(-1, 5), "insert_text": new},
            "delete": {"path": path},
            "rename": {"old_path": path, "new_path": other},
        }
        name = chance.choice([*fields, "create"])
        yield {"command": name, **fields[name]}


def do(tool: Any, name: str, path: str, **more: Any) -> str:
    """Give a command and return what the model reads; a rename is told where to."""
    given = {"old_path": path} if name == "rename" else {"path": path}
    return answer(tool, {"command": name, **given, **more})


def write(tool: Any, path: str, text: str = "text") -> str:
    """Create a file and return what the model reads."""
    return do(tool, "create", path, file_text=text)


def test_no_sign_that_nobody_sees_is_shown(memory: Memory) -> None:
    """A file from outside, and a path that a model made up, are shown without terminal sequences."""
    ours = RemoraMemoryTool(memory)
    write(ours, "/memories/a", "a\x1b[2Jb\u202e\u200bc\r\nd")
    assert do(ours, "view", "/memories/a").endswith("1\tabc\r\n     2\td")
    missing = do(ours, "view", "/memories/x\x1b[2J\u202e")
    assert missing.startswith("error")
    assert not set("\x1b\u202e") & set(missing)


def test_a_command_that_makes_no_sense_is_a_tool_error(memory: Memory) -> None:
    """Fields that are missing or of another type are told to the model and raise nothing else."""
    tool = RemoraMemoryTool(memory)
    wrong: list[Command] = [
        {"command": "create", "path": "/memories/x"},
        {"command": "view"},
        {"command": "view", "path": 7},
        {"command": "insert", "path": "/memories/a", "insert_line": "two", "insert_text": "x"},
        {"command": "create", "path": "/memories/x", "file_text": ["a"]},
        {"command": "view", "path": "/memories", "view_range": "1"},
    ]
    for one in wrong:
        assert answer(tool, one).startswith(("error: ", "Here're"))
    memory.close()
    assert write(tool, "/memories/x").startswith("error: ")


def test_secrets_are_taken_out(memory: Memory, tmp_path: Path) -> None:
    """No secret that a model writes reaches the disk, in a text or in a name."""
    tool = RemoraMemoryTool(memory)
    path = "/memories/keys.md"
    write(tool, path, f"the key is {SECRET}\nend\n")
    do(tool, "insert", path, insert_line=1, insert_text=f"again {SECRET}")
    do(tool, "str_replace", path, old_str="end", new_str=f"and {SECRET}")
    assert do(tool, "view", path).count("REDACTED") == 3
    assert "holds a secret" in write(tool, f"/memories/{SECRET}.md")
    assert "holds a secret" in do(tool, "rename", path, new_path=f"/memories/{SECRET}")
    memory.search("key")
    assert holds(tmp_path, SECRET) == []


def test_every_change_is_found_at_once(memory: Memory) -> None:
    """The search after a change sees the newest text and the newest name."""
    tool = RemoraMemoryTool(memory)
    path = "/memories/db/cache.md"
    write(tool, path, "The cache is keyed by tenant.\n")
    (hit,) = memory.search("cache tenant", kinds=["note"])
    assert hit.path == str(memory.home / "memory" / "tool" / "db" / "cache.md")
    do(tool, "str_replace", path, old_str="tenant", new_str="region")
    assert texts(memory.search("cache", kinds=["note"])) == ["The cache is keyed by region."]
    do(tool, "rename", "/memories/db", new_path="/memories/kept")
    (hit,) = memory.search("cache", kinds=["note"])
    assert str(hit.path).endswith("tool/kept/cache.md")
    do(tool, "delete", "/memories/kept")
    assert memory.search("cache", kinds=["note"]) == []


@pytest.mark.parametrize("path", ["/memories/../../memory.db", "/memories/out/x", "/memories/out"])
def test_no_path_leads_out(memory: Memory, tmp_path: Path, path: str) -> None:
    """No command reads, makes, changes or removes anything outside."""
    tool = RemoraMemoryTool(memory)
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "x").write_text("theirs")
    (memory.home / "memory" / "tool" / "out").symlink_to(outside)
    write(tool, "/memories/ours")
    for told in (
        do(tool, "view", path),
        write(tool, path, "evil"),
        do(tool, "str_replace", path, old_str="theirs", new_str="evil"),
        do(tool, "insert", path, insert_line=0, insert_text="evil"),
        do(tool, "delete", path),
        do(tool, "rename", path, new_path="/memories/stolen"),
        do(tool, "rename", "/memories/ours", new_path=path),
    ):
        assert told == f"error: Path {path} would escape /memories directory"
    assert (outside / "x").read_text() == "theirs"
    assert holds(tmp_path, "evil") == []


def test_a_failing_disk_is_told_without_the_place_on_disk(memory: Memory, tmp_path: Path) -> None:
    """The old file, its owner's alone, stays, and the model is told why."""
    tool = RemoraMemoryTool(memory)
    write(tool, "/memories/a.md", "old")
    with no_file_above(100):
        told = do(tool, "insert", "/memories/a.md", insert_line=0, insert_text="x" * 5_000)
    assert told.startswith("error: The command failed: ")
    assert str(tmp_path) not in told
    assert tree(memory.home / "memory" / "tool") == {"a.md": b"old"}
    assert write(tool, "/memories/" + "n" * 300) == "error: The command failed: File name too long"
    assert os.name == "nt" or (memory.home / "memory" / "tool" / "a.md").stat().st_mode & 0o777 == 0o600


def test_reading_only(memory: Memory, place: Path) -> None:
    """A memory that is open for reading shows the files and changes none."""
    write(RemoraMemoryTool(memory), "/memories/a")
    with Memory.open(place, read_only=True) as reader:
        tool = RemoraMemoryTool(reader)
        assert do(tool, "view", "/memories/a").endswith("\ttext")
        assert "for reading only" in do(tool, "delete", "/memories/a")
    assert tree(memory.home / "memory" / "tool") == {"a": b"text"}


class Script:
    """A Messages API that answers with prepared content, and keeps what it was asked."""

    def __init__(self, *answers: list[dict[str, Any]]) -> None:
        self._answers = list(answers)
        self.requests: list[dict[str, Any]] = []

    def __call__(self, request: Any) -> Any:
        """Answer one request."""
        self.requests.append(json.loads(request.content))
        content = self._answers.pop(0)
        calls = any(block["type"] == "tool_use" for block in content)
        told = {
            "id": f"msg_{len(self.requests)}",
            "type": "message",
            "role": "assistant",
            "model": "scripted",
        }
        ends = {"stop_reason": "tool_use" if calls else "end_turn", "stop_sequence": None}
        usage = {"usage": {"input_tokens": 1, "output_tokens": 1}}
        return httpx2.Response(200, json={**told, "content": content, **ends, **usage})

    def results(self) -> list[tuple[str, bool]]:
        """Return the tool results that the model was sent: each text, and whether it is an error."""
        found: dict[str, tuple[str, bool]] = {}
        for message in (m for request in self.requests for m in request["messages"]):
            for block in message["content"] if isinstance(message["content"], list) else ():
                if block["type"] == "tool_result":
                    said = block["content"]
                    text = said if isinstance(said, str) else said[0]["text"]
                    found[block["tool_use_id"]] = (text, bool(block.get("is_error")))
        return list(found.values())


def use(number: int, **command: Any) -> dict[str, Any]:
    """Return a call of the memory tool."""
    return {"type": "tool_use", "id": f"toolu_{number}", "name": "memory", "input": command}


def scripted() -> Script:
    """Return a model that writes two files, one of them twice, looks at one, and says something."""
    return Script(
        [use(1, command="view", path="/memories")],
        [
            use(2, command="create", path="/memories/db.md", file_text="The cache is keyed by tenant.\n"),
            use(3, command="create", path="/memories/db.md", file_text="again"),
        ],
        [use(4, command="view", path="/memories/db.md")],
        [{"type": "text", "text": "noted"}],
    )


LINES = "     1\tThe cache is keyed by tenant.\n     2\t"
NOTED = f"Here's the content of /memories/db.md with line numbers:\n{LINES}"
EXPECTED = [
    ("File created successfully at: /memories/db.md", False),
    ("File /memories/db.md already exists", True),
    (NOTED, False),
]


def test_the_documented_example(memory: Memory, example: Callable[..., dict[str, Any]]) -> None:
    """The example of the documentation: the model sees each answer, and the project knows what it wrote."""
    script = scripted()
    transport = httpx2.MockTransport(script)
    client = anthropic.Anthropic(api_key="none", http_client=httpx2.Client(transport=transport))
    names = example("Anthropic memory tool", memory=memory, client=client)
    assert names["final"].content[0].text == "noted"
    assert script.requests[0]["tools"] == [{"type": "memory_20250818", "name": "memory"}]
    assert script.results()[1:] == EXPECTED
    assert texts(memory.search("cache tenant")) == ["The cache is keyed by tenant."]


def test_in_the_async_tool_runner(memory: Memory) -> None:
    """An async client gets the same answers."""
    script = scripted()

    async def run() -> Any:
        transport = httpx2.MockTransport(script)
        async with httpx2.AsyncClient(transport=transport) as http:
            client = anthropic.AsyncAnthropic(api_key="none", http_client=http)
            runner = client.beta.messages.tool_runner(
                model="scripted",
                max_tokens=100,
                tools=[AsyncRemoraMemoryTool(memory)],
                messages=[{"role": "user", "content": "Remember how the cache is keyed."}],
            )
            return await runner.until_done()

    assert asyncio.run(run()).content[0].text == "noted"
    assert script.results()[1:] == EXPECTED

    async def others() -> list[str]:
        tool = AsyncRemoraMemoryTool(memory)
        commands = [
            command("insert", "/memories/db.md", '{"insert_line": 0, "insert_text": "top"}'),
            command("str_replace", "/memories/db.md", '{"old_str": "top", "new_str": "Top"}'),
            command("rename", "/memories/db.md", "/memories/x.md"),
            command("delete", "/memories/x.md"),
        ]
        return [str(await tool.call(one)) for one in commands] + [await tool.clear_all_memory()]

    assert asyncio.run(others())[-2:] == ["Successfully deleted /memories/x.md", "All memory cleared"]
