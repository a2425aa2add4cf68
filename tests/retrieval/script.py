"""Golden scripts: commands to a small world, and everything that each stage of a search makes of them.

A script is blocks with an empty line between them. A block is commands, `---`, and what they print;
lines that begin with # are comments. Words are split as a shell does; `name=value` is an option. A
backslash and an n in a memory's text stand for a new line.

    setting NAME VALUE                as a variable of the environment
    embedder none                     no vectors from here on
    remember NAME "text" [type= files= tags= modules= source= scope= confidence= branch= taint=
                          derived=NAME user=yes]
    forget NAME · verify NAME · supersede OLD NEW "text"
    say SESSION SPEAKER "text"        one turn of a conversation
    read-together FILE FILE WEIGHT    an edge from agent sessions
    change-together FILE… [times=]    commits
    wait DAYS
    judge WORD…                       a reranker that likes texts by these words, in this order
    model "answer"                    a language model with this one answer; "busy" lets it fail
    search "query" [k= phase= types= files= modules= scope= branch= kinds= recent= tools= without=]
    context "task" [phase= budget=]
    related FILE
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from remora.core.errors import ProviderBusy
from remora.core.query import detect_type
from remora.core.values import Filters, Reason, Taint
from remora.llm.scripted import ScriptedModel
from remora.retrieval import candidates as gathering
from remora.retrieval import pipeline
from remora.retrieval.request import Candidate, Request, ranked
from tests.retrieval.worlds import Judge, WordEmbedder, World

STANDS = {"forget": "forgotten", "verify": "verified"}  # of a memory, after the command
LISTS = ("types", "files", "modules", "kinds", "tags", "recent", "tools", "without")


def play(text: str, folder: Path) -> str:
    """Return a script with what its commands print in the place of what stood there."""
    blocks = []
    with World(folder, embedder=WordEmbedder()) as world:
        player = Player(world)
        for block in re.split(r"\n\n+", text.strip("\n")):
            commands = block.partition("\n---")[0]
            if all(line.startswith("#") for line in commands.splitlines()):
                blocks.append(commands)
                continue
            printed = [line for command in commands.splitlines() for line in player.run(command)]
            blocks.append("\n".join([commands, "---", *(line.rstrip() or "." for line in printed)]))
    return "\n\n".join(blocks) + "\n"


class Player:
    """Runs commands in a world and prints names where the world has ids."""

    def __init__(self, world: World) -> None:
        self.world = world

    def run(self, command: str) -> Iterator[str]:
        """Run one command and yield the lines that it prints."""
        parts = shlex.split(command, comments=True)
        if not parts:
            return
        options = dict(p.split("=", 1) for p in parts[1:] if re.match(r"[a-z_]+=", p))
        words = [p for p in parts[1:] if not re.match(r"[a-z_]+=", p)]
        if parts[0] in STANDS:
            getattr(self.world.memory, parts[0])(self.world.id_of(words[0]))
            yield f"{words[0]}: {STANDS[parts[0]]}"
            return
        verb: Callable[..., Iterator[str] | None] = getattr(self, "do_" + parts[0].replace("-", "_"))
        for line in verb(*words, **options) or ():
            yield self.named(line)

    def named(self, line: str) -> str:
        """Return a line with names in the place of ids and of the first eight signs of ids."""
        for i, name in self.world.name_of.items():
            line = line.replace(i, name).replace(i[:8], name)
        return line

    def do_setting(self, name: str, value: str) -> None:
        """Open the world again with a setting."""
        self.world.set(name, value)

    def do_embedder(self, which: str) -> None:
        """Open the world again without vectors, or with them."""
        self.world.reopen(embedder=None if which == "none" else WordEmbedder())

    def do_judge(self, *words: str) -> None:
        """Open the world again with a reranker."""
        self.world.reopen(reranker=Judge(*words))

    def do_model(self, answer: str) -> None:
        """Open the world again with a language model of one answer."""
        reply = ProviderBusy("the model is loading") if answer == "busy" else answer
        self.world.reopen(llm=ScriptedModel([reply]))

    def do_remember(self, name: str, text: str, **options: str) -> Iterator[str]:
        """Store a memory."""
        known = {"files": "related_files", "modules": "related_modules"}
        fields = {known.get(n, n): value for n, value in _fields(options).items()}
        if "derived" in fields:
            fields["derived_from"] = (self.world.id_of(fields.pop("derived")),)
        made = self.world.remember(name, text.replace("\\n", "\n"), **fields)
        assert made.receipt is not None
        yield f"{name}: {made.receipt.action}"

    def do_supersede(self, old: str, name: str, text: str) -> Iterator[str]:
        """Put a memory in the place of another."""
        made = self.world.memory.supersede(self.world.id_of(old), text)
        self.world.name_of[made.id] = name
        yield f"{name}: in the place of {old}"

    def do_say(self, session: str, speaker: str, text: str) -> None:
        """Append one turn."""
        self.world.memory.session(session).append(speaker, text)

    def do_read_together(self, one: str, other: str, weight: str) -> None:
        """Write an edge between two files."""
        self.world.co_access(one, other, float(weight))

    def do_change_together(self, *files: str, times: str = "1") -> None:
        """Let files change in the same commits."""
        self.world.commit(*files, times=int(times))

    def do_wait(self, days: str) -> None:
        """Let time pass."""
        self.world.clock.advance(days=float(days))

    def do_related(self, file: str) -> Iterator[str]:
        """Print the files that go with one."""
        for place, found in enumerate(self.world.memory.related_files(file, 5), start=1):
            yield f"#{place} {found.score:.3f} {found.path}: {'; '.join(found.why)}"

    def do_context(self, task: str, phase: str = "explore", budget: str = "2000") -> Iterator[str]:
        """Print the packed block."""
        packed = self.world.memory.context(task, phase, int(budget))
        yield f"{packed.tokens} of {packed.budget} tokens, {packed.left_out} left out"
        yield from (f"| {line}" for line in packed.text.splitlines())

    def do_search(self, query: str, k: str = "5", **options: str) -> Iterator[str]:
        """Print the lists of the paths, the order after every stage, and the hits with their reasons."""
        fields = _fields(options)
        recent, tools = fields.pop("recent", ()), fields.pop("tools", ())
        without, phase = fields.pop("without", ()), fields.pop("phase", None)
        request = Request(query, int(k), Filters(**fields), phase, tools, recent, without=frozenset(without))
        yield detect_type(query, tools)
        yield from self._stages(request)
        found = self.world.search(
            query, int(k), phase=phase, recent_tools=tools, recent_files=recent, without=without, **fields
        )
        for place, hit in enumerate(found.hits, start=1):
            text = f": {hit.text}" if hit.source == "turn" else ""
            yield f"hit #{place} {hit.score:.3f} {self.world.name(hit)}{text}"
            yield from (f"    {_reason(reason)}" for reason in hit.why)
            if hit.disagrees_with:
                yield f"    disagrees with {', '.join(hit.disagrees_with)}"
        if not found.hits:
            yield "no hits"
        yield from (f"note: {note}" for note in found.notes)

    def _stages(self, request: Request) -> Iterator[str]:
        reader = self.world.reader()
        run = pipeline.begin(reader, request, gathering.question(request, reader))
        found: list[Candidate] = []
        for name, stage in pipeline.STAGES:
            if name in request.without:
                continue
            before, found = found, stage(run, found)
            if name == "gather":
                yield "gather"
                for path, keys in run.lists.items():
                    yield f"  {path}: {', '.join(key[2] for key in keys)}"
            elif [(c.key, c.score) for c in found] == [(c.key, c.score) for c in ranked(before)]:
                yield f"{name}: as before"
            else:
                yield name
                for place, c in enumerate(found[: max(request.k, 3)], start=1):
                    yield f"  #{place} {c.score:.3f} {c.key[2]}"


def _reason(reason: Reason) -> str:
    place = f" #{reason.rank}" if reason.rank is not None else ""
    return f"{reason.stage}{place} {reason.score:.3f}" + (f" {reason.note}" if reason.note else "")


def _fields(options: dict[str, str]) -> dict[str, Any]:
    fields: dict[str, Any] = {}
    for name, value in options.items():
        if name in LISTS:
            fields[name] = tuple(value.split(","))
        elif name == "confidence":
            fields[name] = float(value)
        elif name == "taint":
            fields[name] = Taint(value)
        else:
            fields[name] = value == "yes" if name == "user" else value
    return fields
