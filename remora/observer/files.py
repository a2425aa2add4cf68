"""Detectors of file use: reads and edits, co-access, abandoned reads, import chains, configuration."""

from __future__ import annotations

import re
from typing import NamedTuple

from remora.core.events import FileUse
from remora.observer.calls import Call
from remora.observer.paths import folder, is_config, is_doc, is_lock, is_test, stem
from remora.observer.scratchpad import Limits, Scratchpad
from remora.observer.state import State, keep_last, make_room
from remora.shell.location import inside

WINDOW = 5  # steps in which two files count as used together
NEAR_CONFIG = 10  # steps around a configuration change
_CHASE = 3  # steps from a file to the imported file that is read next
_WRONG_DOOR = 4  # steps within which the right file is opened after the wrong one
_RECENT = 40  # files in the window that are paired

_IMPORT_LINE = re.compile(
    r"""^[ \t\d→|:]*+(?:import|from|export|use|require|const|let|var|\#include|(?:\w+[ \t]+)?")\b"""
    r"""[^\n]{0,300}""",
    re.MULTILINE,
)


class Touch(NamedTuple):
    """The latest use of a file."""

    path: str
    step: int
    at: str | None
    edit: bool


class Pair(NamedTuple):
    """Two files used together, in alphabetical order: how often in each order, and changed both."""

    forward: int  # the first before the second
    backward: int
    edited: int
    step: int
    at: str | None
    event: str


class Opened(NamedTuple):
    """A file that was read: its step, the words of its imports, and the import chain that led to it."""

    path: str
    step: int
    imports: tuple[str, ...]
    chain: tuple[str, ...]


class Files(State):
    """The file use of one agent."""

    uses: dict[str, FileUse]
    recent: dict[str, Touch]
    pairs: dict[tuple[str, str], Pair]
    opened: list[Opened]
    edits: list[Touch]
    configs: dict[str, list[int]]
    limits: Limits

    def __init__(self, limits: Limits = Limits()) -> None:  # noqa: B008  # immutable
        self.uses, self.recent, self.pairs, self.configs = {}, {}, {}, {}
        self.opened, self.edits = [], []
        self.limits = limits

    def settle(self, call: Call, pad: Scratchpad) -> None:
        """Process a finished call."""
        read = call.extra.get("reads") if call.action == "run" and not call.failed else None
        shown = tuple(read) if isinstance(read, list | tuple) else ()
        if not shown and (not call.worked or call.action not in ("read", "edit", "write")):
            return
        for path in (*call.paths[:20], *shown):
            if inside(path):
                self._use(path, call, pad)

    def _use(self, path: str, call: Call, pad: Scratchpad) -> None:
        edit = call.action not in ("read", "run")
        touch = Touch(path, call.step, call.at, edit)
        self._count(touch, pad)
        self._pair(touch, call.key, pad)
        if edit:
            keep_last(self.edits, touch, 400)
            if is_config(path) and not is_lock(path):
                keep_last(self.configs.setdefault(path, []), call.step, 50)
        else:
            self._chase(path, call, pad)
        use = self.uses[path]
        pad.suspect(
            "file_access",
            path,
            call.step,
            at=call.at,
            paths=(path,),
            event=call.key,
            detail={"reads": use.reads, "edits": use.edits},
            evidence=use.first_step,
        )

    def _count(self, touch: Touch, pad: Scratchpad) -> None:
        use = self.uses.get(touch.path)
        if use is None:
            pad.dropped += make_room(self.uses, self.limits.files)
            use = FileUse(touch.path, 0, 0, touch.step, touch.step, touch.at, touch.at)
        times = [t for t in (use.first_at, use.last_at, touch.at) if t]
        self.uses[touch.path] = use._replace(
            reads=use.reads + (not touch.edit),
            edits=use.edits + touch.edit,
            first_step=min(use.first_step, touch.step),
            last_step=max(use.last_step, touch.step),
            first_at=min(times, default=None),
            last_at=max(times, default=None),
        )

    def _pair(self, touch: Touch, event: str, pad: Scratchpad) -> None:
        for path in [p for p, t in self.recent.items() if touch.step - t.step > WINDOW]:
            del self.recent[path]
        for other in self.recent.values():
            if other.path != touch.path and abs(other.step - touch.step) <= WINDOW:
                self._joined(other, touch, event, pad)
        self.recent.pop(touch.path, None)
        self.recent[touch.path] = touch
        if len(self.recent) > _RECENT:
            del self.recent[next(iter(self.recent))]

    def _joined(self, other: Touch, touch: Touch, event: str, pad: Scratchpad) -> None:
        early, late = (other, touch) if other.step <= touch.step else (touch, other)
        first, second = sorted((early.path, late.path))
        old = self.pairs.get((first, second))
        if old is None:
            pad.dropped += make_room(self.pairs, self.limits.pairs)
            old = Pair(0, 0, 0, late.step, late.at, event)
        self.pairs[first, second] = old._replace(
            forward=old.forward + (early.path == first),
            backward=old.backward + (early.path != first),
            edited=old.edited + (early.edit and late.edit),
        )

    def _chase(self, path: str, call: Call, pad: Scratchpad) -> None:
        before = next(
            (
                o
                for o in reversed(self.opened)
                if o.path != path and 0 <= call.step - o.step <= _CHASE and _imported(path, o.imports)
            ),
            None,
        )
        chain = (*before.chain, path) if before and path not in before.chain else (path,)
        keep_last(self.opened, Opened(path, call.step, _imports(call.text), chain[-6:]), 20)
        if len(chain) >= 3:
            pad.suspect(
                "import_chase",
                f"{chain[0]} -> {chain[-1]}",
                call.step,
                at=call.at,
                paths=chain,
                detail={"chain": list(chain)},
                event=call.key,
            )

    def finish(self, pad: Scratchpad) -> None:
        """Report co-access, abandoned reads and configuration changes."""
        # If there are more pairs than the scratchpad can hold, the weakest never enter it.
        weight = {names: (p.edited, p.forward + p.backward) for names, p in self.pairs.items()}
        strongest = sorted(self.pairs, key=lambda names: weight[names], reverse=True)[: pad.limit // 2]
        pad.dropped += len(self.pairs) - len(strongest)
        for names in strongest:
            pair = self.pairs[names]
            pad.suspect(
                "co_access",
                " + ".join(names),
                pair.step,
                at=pair.at,
                paths=names,
                event=pair.event,
                detail={"forward": pair.forward, "backward": pair.backward, "edited": pair.edited},
                count=pair.forward + pair.backward,
            )
        self._abandoned(pad)
        self._configured(pad)

    def _abandoned(self, pad: Scratchpad) -> None:
        for use in self.uses.values():
            if use.reads != 1 or use.edits or is_doc(use.path) or is_config(use.path):
                continue
            if found := self._right_door(use):
                pad.suspect(
                    "read_abandon",
                    use.path,
                    use.first_step,
                    at=use.first_at,
                    paths=(use.path, found.path),
                    detail={"instead": found.path, "steps": found.first_step - use.first_step},
                    events=pad.events("file_access", use.path, found.path),
                    evidence=found.last_step,
                )

    def _right_door(self, wrong: FileUse) -> FileUse | None:
        """Return the easily confused file that was opened soon after and changed; None if there is none."""
        right = [
            u
            for u in self.uses.values()
            if u.edits
            and 0 < u.first_step - wrong.first_step <= _WRONG_DOOR
            and _mistaken(wrong.path, u.path)
        ]
        return min(right, key=lambda u: (u.first_step, u.path), default=None)

    def _configured(self, pad: Scratchpad) -> None:
        for path, steps in self.configs.items():
            beside = sorted(
                {
                    t.path
                    for t in self.edits
                    if not is_config(t.path)
                    and not is_lock(t.path)
                    and any(abs(t.step - s) <= NEAR_CONFIG for s in steps)
                }
            )
            if beside:
                pad.suspect(
                    "config_touch",
                    path,
                    min(steps),
                    paths=(path, *beside[:8]),
                    count=len(steps),
                    detail={"with": beside[:20], "edits": len(steps)},
                    events=pad.events("file_access", path, *beside[:3]),
                    evidence=max(steps),
                )


def _mistaken(wrong: str, right: str) -> bool:
    """Return whether two files are easily confused."""
    if (
        wrong == right
        or is_test(wrong) != is_test(right)
        or wrong.rsplit(".", 1)[-1] != right.rsplit(".", 1)[-1]
    ):
        return False
    a, b = stem(wrong), stem(right)
    if a == b:
        return True
    return folder(wrong) == folder(right) and (_parts(a) < _parts(b) or _parts(b) < _parts(a))


def _parts(name: str) -> set[str]:
    return {p for p in re.split(r"[_.-]", name) if p}


def _imports(text: str) -> tuple[str, ...]:
    """Return the words of the import lines at the beginning of a file, in lower case."""
    words = re.findall(r"[\w-]+", " ".join(_IMPORT_LINE.findall(text[:2000])).lower())
    return tuple(dict.fromkeys(words))


def _imported(path: str, imports: tuple[str, ...]) -> bool:
    """Return whether imports name a file, or the folder that is its package in Go."""
    own = folder(path).rsplit("/", 1)[-1].lower() if path.endswith(".go") else stem(path)
    return own in imports
