"""Detectors of searches: repeated patterns, file names that lead nowhere, external references."""

from __future__ import annotations

import re
from typing import NamedTuple

from remora.core.text import shorten
from remora.observer.calls import Call
from remora.observer.scratchpad import Limits, Scratchpad
from remora.observer.state import State, cut, keep_last, make_room
from remora.shell.forms import command_form
from remora.shell.location import inside
from remora.shell.purposes import unwrapped

OFTEN = 3  # steps that search for the same thing
_ANSWER = 4  # steps after a search within which its answer is opened
_ELSEWHERE = 6  # steps after a glob within which another search finds the right file

_KEYWORD = re.compile(
    r"\b(?:func|function|def|class|type|struct|interface|const|var|let|import|package|fn|impl|pub|return"
    r"|export|async)\b"
)
_NAME = re.compile(r"[A-Za-z_][\w-]{3,}")
_NOTHING = re.compile(
    r"\s*+(?:no (?:files|matches|results)(?: were)? found|found 0 |\(no output\))?\.?\s*$", re.IGNORECASE
)
_LOCAL = re.compile(r"^\w+://(?:localhost|127\.|0\.0\.0\.0|\[::1\])", re.IGNORECASE)
_ESCAPES = re.compile(r"\\[bBdDsSwW.(){}\[\]|*+?^$/-]|\[[^\]]{0,200}\]|\{\d*+,?\d*+\}")
_EITHER = re.compile(r"\[(\w)\w\]")  # [Cc]ase
_UUID = re.compile(r"\b[0-9a-f]{8}-[0-9a-f-]{8,27}\b|\b(?=[a-f]*\d)[0-9a-f]{7,40}\b", re.IGNORECASE)
_GREPS = frozenset("grep egrep fgrep rg ag ack".split())
_EVERYTHING = re.compile(r"^(?:\*\*/)?\*(?:\.\w+|\.\{[\w,]+\})?$")


class Hunt(NamedTuple):
    """A repeated search: its pattern as typed, its steps, its last finds and the file opened among them."""

    pattern: str
    steps: tuple[int, ...]
    finds: str
    answer: str
    answer_step: int
    edited: bool
    event: str


class Glob(NamedTuple):
    """A search for file names: its finds, whether one of them was used, and the file used instead."""

    step: int
    finds: str
    used: bool
    answer: str
    answer_step: int
    event: str


class Searches(State):
    """The searches of one agent."""

    hunts: dict[str, Hunt]
    globs: dict[str, Glob]
    hot: list[str]  # keys of the latest hunts
    fetched: list[tuple[str, int]]
    limits: Limits

    def __init__(self, limits: Limits = Limits()) -> None:  # noqa: B008  # immutable
        self.hunts, self.globs = {}, {}
        self.hot, self.fetched = [], []
        self.limits = limits

    def settle(self, call: Call, pad: Scratchpad) -> None:
        """Process a finished call."""
        if call.denied:
            return
        if call.action == "search" and not call.failed:
            self._searched(call.pattern, call, pad)
        elif call.action == "run":
            for pattern in _grepped(call, pad.cwd(call.extra.get("cwd"))):
                self._searched(pattern, call, pad)
        elif call.action == "glob" and not call.failed:
            self._globbed(call, pad)
        elif call.action == "fetch" and call.worked:
            self._fetched(call, pad)
        elif call.action in ("read", "edit", "write") and not call.failed:
            self._opened(call, pad)

    def _searched(self, pattern: str, call: Call, pad: Scratchpad) -> None:
        key = core(pattern)
        if not key:
            return
        if key not in self.hunts:
            pad.dropped += make_room(self.hunts, self.limits.patterns)
        hunt = self.hunts.get(key) or Hunt("", (), "", "", 0, False, call.key)
        steps = hunt.steps if call.step in hunt.steps else (*hunt.steps, call.step)
        self.hunts[key] = hunt._replace(
            pattern=shorten(pattern, 120), steps=steps[-30:], finds=cut(call.text, 3000)
        )
        if key in self.hot:
            self.hot.remove(key)
        keep_last(self.hot, key, 24)

    def _globbed(self, call: Call, pad: Scratchpad) -> None:
        pattern = call.pattern.strip("'\"")
        for home in pad.cwds:
            pattern = pattern.removeprefix(home + "/")
        if not _EVERYTHING.match(pattern):
            pad.dropped += make_room(self.globs, 80)
            finds = cut(call.text, 3000)
            self.globs.setdefault(pattern, Glob(call.step, finds, False, "", 0, call.key))

    def _fetched(self, call: Call, pad: Scratchpad) -> None:
        address = call.url.split("?")[0].split("#")[0].rstrip("/")
        if not address.startswith("http") or _LOCAL.match(address):
            return
        keep_last(self.fetched, (address, call.step), 50)
        pad.suspect(
            "external_reference",
            address,
            call.step,
            at=call.at,
            event=call.key,
            detail={"url": shorten(call.url, 300), "tool": call.tool, "then": ""},
        )

    def _opened(self, call: Call, pad: Scratchpad) -> None:
        path = call.path
        if not inside(path):
            return
        edit = call.action != "read"
        for key in self.hot:
            hunt = self.hunts.get(key)
            if (
                hunt is not None
                and 0 <= call.step - hunt.steps[-1] <= _ANSWER
                and path in hunt.finds
                and (edit or not hunt.edited)
            ):
                self.hunts[key] = hunt._replace(
                    answer=path, answer_step=call.step, edited=edit or hunt.edited
                )
        for pattern, glob in self.globs.items():
            if path in glob.finds:
                self.globs[pattern] = glob._replace(used=True)
            elif not glob.used and not glob.answer and 0 < call.step - glob.step <= _ELSEWHERE:
                # The finds of an unrelated search may belong to another task.
                names = set(core(pattern).split("|")) - {""}
                if any(
                    self.hunts[key].steps[-1] >= glob.step
                    and path in self.hunts[key].finds
                    and not names.isdisjoint(key.split("|"))
                    for key in self.hot
                    if key in self.hunts
                ):
                    self.globs[pattern] = glob._replace(answer=path, answer_step=call.step)
        if edit and self.fetched:
            address, step = self.fetched[-1]
            if 0 < call.step - step <= 10:
                pad.suspect(
                    "external_reference",
                    address,
                    step,
                    paths=(path,),
                    detail={"then": path},
                    count=0,
                    evidence=call.step,
                )

    def finish(self, pad: Scratchpad) -> None:
        """Report the repeated searches and the file names that led nowhere."""
        for key, hunt in self.hunts.items():
            if len(hunt.steps) >= OFTEN and hunt.answer and not _NOTHING.match(hunt.finds):
                pad.suspect(
                    "repeated_grep",
                    key,
                    hunt.steps[0],
                    event=hunt.event,
                    count=len(hunt.steps),
                    paths=(hunt.answer,),
                    evidence=max(hunt.steps[-1], hunt.answer_step),
                    detail={
                        "pattern": hunt.pattern,
                        "found": hunt.answer,
                        "changed": hunt.edited,
                        "steps": list(hunt.steps),
                    },
                )
        for pattern, glob in self.globs.items():
            if not glob.used and glob.answer:
                pad.suspect(
                    "glob_ignore",
                    pattern,
                    glob.step,
                    event=glob.event,
                    paths=(glob.answer,),
                    evidence=glob.answer_step,
                    detail={"instead": glob.answer},
                )


def core(pattern: str) -> str:
    r"""Return the names that a search pattern looks for, sorted, in lower case; empty if they are too short.

    >>> core(r"func.*CountOther\("), core(r"CountOther"), core(r"\bfoo\b")
    ('countother', 'countother', '')
    """
    pattern = _EITHER.sub(r"\1", pattern[:500])
    plain = _KEYWORD.sub(" ", _ESCAPES.sub(" ", _UUID.sub(" ", pattern)))
    return "|".join(sorted({n.lower() for n in _NAME.findall(plain)}))[:160]


def _grepped(call: Call, cwd: str) -> list[str]:
    """Return the patterns that a command greps for, without those that only filter a pipe."""
    if "g" not in call.command:
        return []
    found: list[str] = []
    for part in command_form(call.command, cwd).parts:
        words = list(unwrapped(part.words))
        if words[:2] == ["git", "grep"]:
            words = words[1:]
        if words and words[0] in _GREPS:
            rest = [w for w in words[1:] if not w.startswith("-")]
            if len(rest) > 1 or words[0] in ("rg", "ag"):
                found += [rest[0].strip("'\"")] if rest else []
    return found[:4]
