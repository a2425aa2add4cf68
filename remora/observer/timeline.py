"""The timeline of a session: its prompts, replies, commands and changes, to infer its kind and outcome."""

from __future__ import annotations

from typing import NamedTuple

from remora.core.events import Event
from remora.core.programs import CHECKS
from remora.core.text import collapse, shorten
from remora.observer.calls import Call
from remora.observer.errors import Run
from remora.observer.state import State, cut, keep_last, make_room
from remora.shell.location import inside

PROMPTS, REPLIES, COMMANDS, FILES = 300, 12, 600, 1_000
_PROMPT = 600  # characters
_REPLY = 1_500

_MODELS = frozenset({"reply", "reasoning", "tool_call", "tool_result", "step"})  # events within a step


class Said(NamedTuple):
    """A text of the user or of the model, its step, and the key of its event."""

    text: str
    step: int
    key: str = ""


class Timeline(State):
    """The facts of a session over all its agents.

    Long texts are cut, and of many entries the last few hundred are kept, each list in order.

    Attributes:
        prompts: typed by the user; the first one is always kept.
        replies: the last few texts of the model to the user.
        edits: number of changes by file of the repository.
        actions: number of calls by action (ACTIONS).
        last_kind: kind of the last event that was a prompt, a reply or a tool's; the end of a turn is a
            reply, and "interruption" means that the user stopped the model.
        last_edit: step of the last change; None without one.
    """

    def __init__(self) -> None:
        self.prompts: list[Said] = []
        self.replies: list[Said] = []
        self.commands: list[Run] = []
        self.edits: dict[str, int] = {}
        self.actions: dict[str, int] = {}
        self.branches: dict[str, int] = {}
        self.before: int | None = None  # steps before the first event: those of the origin of a fork
        self.last = 0
        self.of_agents = 0  # the highest step of a subagent
        self.last_kind = ""
        self.last_edit: int | None = None
        self.started: str | None = None
        self.finished: str | None = None

    def see(self, event: Event) -> None:
        """Process one event of any kind."""
        self._count(event)
        if event.at:
            self.started = min(self.started or event.at, event.at)
            self.finished = max(self.finished or event.at, event.at)
        if event.branch:
            make_room(self.branches, 200)
            self.branches[event.branch] = self.branches.get(event.branch, 0) + 1
        if event.agent:
            return
        if event.kind == "user_prompt":
            self._asked(event)
        elif event.kind == "reply":
            self.last_kind = "reply"
            keep_last(self.replies, Said(cut(event.text, _REPLY), event.step), REPLIES)
        elif event.kind == "step":
            self._stepped(event)
        elif event.kind in ("tool_call", "tool_result"):
            self.last_kind = event.kind

    @property
    def steps(self) -> int:
        """The number of steps; the numbers of a fork continue those of its origin, which do not count."""
        return max(self.last - (self.before or 0), self.of_agents)

    def _count(self, event: Event) -> None:
        if event.agent:
            self.of_agents = max(self.of_agents, event.step)
        elif event.kind not in ("session_start", "session_end"):
            before = max(0, event.step - (event.kind in _MODELS))
            self.before = before if self.before is None else min(self.before, before)
            self.last = max(self.last, event.step)

    def _stepped(self, event: Event) -> None:
        extra = event.extra or {}
        if extra.get("interrupted"):
            self.last_kind = "interruption"
        elif extra.get("over"):  # the host does not record replies
            self.last_kind = "reply"

    def _asked(self, event: Event) -> None:
        extra = event.extra or {}
        if extra.get("interrupted") or event.text.startswith("[Request interrupted"):
            self.last_kind = "interruption"
            return
        self.last_kind = "user_prompt"
        said = Said(cut(event.text, _PROMPT), event.step, event.key)
        if len(self.prompts) >= PROMPTS:  # the first one states the purpose of the session
            del self.prompts[1]
        self.prompts.append(said)

    def settle(self, call: Call, run: Run | None) -> None:
        """Process a finished call of any agent."""
        self.actions[call.action] = self.actions.get(call.action, 0) + 1
        if call.denied:
            return
        if run is not None:
            if call.failed is not None or run.purpose not in CHECKS:  # a check counts with a known result
                keep_last(self.commands, run, COMMANDS)
        elif call.action in ("edit", "write") and call.worked:
            for path in call.paths[:20]:
                if inside(path):
                    make_room(self.edits, FILES)
                    self.edits[path] = self.edits.get(path, 0) + 1
                    self.last_edit = max(self.last_edit or 0, call.step)

    def branch(self) -> str | None:
        """Return the branch of most events; None if it is unknown."""
        return max(sorted(self.branches), key=lambda b: self.branches[b], default=None)

    def summary(self) -> str:
        """Return the first long paragraph of the last reply that has one, shortened; empty if none has."""
        for said in reversed(self.replies):
            paragraph = next((p for p in said.text.split("\n\n") if len(collapse(p)) >= 60), "")
            if paragraph:
                return shorten(paragraph.strip("# *"), 400)
        return ""
