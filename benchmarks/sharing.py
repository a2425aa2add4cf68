"""One memory on several machines: convergence, concurrent pushes, what leaves, first pull, rights.

`python -m benchmarks sharing` runs everything over a folder and git. `--postgresql URL` and `--libsql URL`
add servers; `dev.py servers` starts both and runs this.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from remora.app.memory import Memory
from remora.app.sharing.outgoing import PERSONAL, SHARED
from remora.core.clock import FixedClock
from remora.core.errors import NotFound, RemoraError, SourceError
from remora.core.merge import Revision
from remora.sharing import addresses
from remora.sharing.carrier import Carrier

START = "2026-03-01T12:00:00Z"
NAMES = ("one", "two", "three")


class Flaky:
    """A carrier that fails, repeats and reorders, by chance.

    Args:
        behind: the real one.
        chance: what decides.
        away: says whether the log cannot be reached.
    """

    def __init__(self, behind: Carrier, chance: random.Random, away: Callable[[], bool]) -> None:
        self._behind = behind
        self._chance = chance
        self._away = away

    def _crash(self) -> None:
        if self._away() or self._chance.random() < 0.03:
            raise SourceError("the line is dead")

    def last(self) -> dict[str, int]:
        """See `Carrier`."""
        self._crash()
        return self._behind.last()

    def read(self, device: str, after: int, limit: int = 500) -> list[str]:
        """See `Carrier`; sometimes a batch comes twice, or out of order."""
        self._crash()
        lines = self._behind.read(device, after, limit)
        if self._chance.random() < 0.1:
            lines = [*lines[:2], *lines]
        if self._chance.random() < 0.1:
            self._chance.shuffle(lines)
        return lines

    def append(self, device: str, lines: Sequence[str], after: int) -> None:
        """See `Carrier`; sometimes nobody learns that it went well, and sometimes it is done twice."""
        self._crash()
        self._behind.append(device, lines, after)
        if self._chance.random() < 0.1:
            self._behind.append(device, lines, after)
        self._crash()

    def empty(self, device: str, lines: Mapping[int, str]) -> None:
        """See `Carrier`."""
        self._crash()
        self._behind.empty(device, lines)

    def uses(self) -> dict[str, str]:
        """See `Carrier`."""
        self._crash()
        return self._behind.uses()

    def put_uses(self, device: str, counts: str) -> None:
        """See `Carrier`."""
        self._crash()
        self._behind.put_uses(device, counts)

    def close(self) -> None:
        """See `Carrier`."""
        self._behind.close()


class Trial:
    """Three machines of one person around a log, and steps by chance.

    Args:
        folder: for their data.
        address: of the log.
        seed: of the chance.
    """

    def __init__(self, folder: Path, address: str, seed: int) -> None:
        self._chance = random.Random(seed)
        self.clocks = {name: FixedClock(START) for name in NAMES}
        self.memories: dict[str, Memory] = {}
        self.folder = folder
        self.acknowledged: dict[str, set[str]] = {}  # the texts that a verb stored, by memory
        self.erased: set[str] = set()
        self._away: set[str] = set()
        self._healed = False
        self._real = addresses.open_carrier
        self._count = 0
        for name in NAMES:
            self.memories[name] = self._opened(name)
        first = self.memories[NAMES[0]]
        first.sharing.init(address, me="Ann", name="shop")
        first.sharing.sync()
        for name in NAMES[1:]:
            self.memories[name].sharing.join(first.sharing.invite())
            self.memories[name].sharing.sync()
            first.sharing.sync()
        for memory in self.memories.values():
            memory.sharing.sync()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for memory in self.memories.values():
            memory.close()

    def _opened(self, name: str) -> Memory:
        root = self.folder / name / "shop"
        root.mkdir(parents=True, exist_ok=True)
        environ = {
            "HOME": str(self.folder / name),
            "REMORA_HOME": str(self.folder / name / "data"),
            "REMORA_CONFIG": str(self.folder / name / "settings"),
            "REMORA_EMBEDDING_PROVIDER": "none",
        }
        return Memory.open(root, environ=environ, clock=self.clocks[name])

    def step(self) -> None:
        """Let one machine do something: a verb, an exchange, a crash, a jump of its clock."""
        name = self._chance.choice(NAMES)
        self.clocks[name].advance(seconds=self._chance.uniform(0.1, 50))
        what = self._chance.random()
        if what < 0.35:
            self._exchange(name)
        elif what < 0.40:
            self._away ^= {name}
        elif what < 0.43:
            self.clocks[name].advance(days=self._chance.choice((-1.0, 1.0)))
        elif what < 0.48:
            self.memories[name].close()  # as after a kill: nothing but what is on the disk
            self.memories[name] = self._opened(name)
        else:
            with suppress(RemoraError):  # such as editing what is forgotten
                self._verb(self.memories[name])

    def _verb(self, memory: Memory) -> None:
        chance, self._count = self._chance, self._count + 1
        text = f"statement {self._count} of the {chance.choice(('red', 'green', 'blue'))} shop holds here"
        known = sorted(record.id for record in memory.list(include_forgotten=True, limit=1_000))
        if not known or chance.random() < 0.3:
            record = memory.remember(text, type="gotcha")
            self.acknowledged.setdefault(record.id, set()).add(text)
            return
        one = chance.choice(known)
        verb = chance.choice(
            ("edit", "edit", "tags", "pin", "verify", "forget", "restore", "confidence", "erase")
        )
        if verb == "edit":
            memory.edit(one, content=text)
            self.acknowledged.setdefault(one, set()).add(text)
        elif verb == "tags":
            memory.edit(one, tags=chance.sample(("a", "b", "c", "d"), 2))
        elif verb == "confidence":
            memory.edit(one, confidence=round(chance.uniform(0.3, 0.9), 2))
        elif verb == "erase":
            if chance.random() < 0.2:
                memory.erase([one])
                self.erased.add(one)
        else:
            getattr(memory, verb)(one)

    def _exchange(self, name: str) -> None:
        def flaky(*arguments: Any) -> Flaky:
            away = name in self._away and not self._healed
            return Flaky(self._real(*arguments), self._chance, lambda: away)

        addresses.open_carrier = self._real if self._healed else flaky  # type: ignore[assignment]
        try:
            self.memories[name].sharing.sync()
        except SourceError:
            if self._healed:
                raise
        finally:
            addresses.open_carrier = self._real

    def heal(self) -> None:
        """Let every machine reach the log, set the clocks right, and exchange until nothing is new."""
        self._healed = True
        for clock in self.clocks.values():
            clock.advance(seconds=FixedClock("2026-06-01T00:00:00Z").now() - clock.now())
        for _ in range(3):
            for name in NAMES:
                self._exchange(name)

    def state(self, name: str) -> dict[str, tuple[object, ...]]:
        """Return the shared columns of every shared memory of a machine, and what is contested, by id."""
        memory = self.memories[name]
        known = memory.list(include_forgotten=True, limit=10_000)
        records = [record for record in known if record.trust_level_scope != "personal"]
        contested = {c.memory.id: tuple(v.revision for v in c.versions) for c in memory.sharing.conflicts()}
        columns = (*SHARED, *PERSONAL)
        return {r.id: (*(getattr(r, c) for c in columns), contested.get(r.id, ())) for r in records}

    def differences(self) -> list[str]:
        """Return the memories that differ between two machines."""
        first, *others = (self.state(name) for name in NAMES)
        return sorted(
            {i for other in others for i in first.keys() | other.keys() if first.get(i) != other.get(i)}
        )

    def lost(self) -> list[str]:
        """Return acknowledged texts that are gone: from where they were written, or from some other machine.

        Before a memory was shared its texts are those of one machine.
        """
        found = []
        for memory_id, texts in self.acknowledged.items():
            if memory_id in self.erased:
                continue
            told = {name: self._texts(name, memory_id) for name in NAMES}
            everywhere = {text for _, since in told.values() for text in since}
            found += [f"nowhere: {text}" for text in texts - {t for all_, _ in told.values() for t in all_}]
            shared = any(memory_id in self.state(name) for name in NAMES)
            found += [f"{n}: {t}" for n in NAMES if shared for t in everywhere - set(told[n][0])]
        return found

    def _texts(self, name: str, memory_id: str) -> tuple[list[str], list[str]]:
        """Return the texts that a machine's log has of a memory: all, and those since it was shared."""
        with suppress(NotFound):
            known = self.memories[name].history(memory_id)
            shares = [place for place, one in enumerate(known) if one.op == "share"]
            since = known[shares[0] :] if shares else []
            return _contents(known), _contents(since)
        return [], []

    def contested_lost(self) -> list[str]:
        """Return memories whose contested texts cannot all be read on some machine."""
        return [
            contested.memory.id
            for memory in self.memories.values()
            for contested in memory.sharing.conflicts()
            if len({version.content for version in contested.versions}) < 2
        ]


def _contents(revisions: Sequence[Revision]) -> list[str]:
    return [str(one.fields["content"]) for one in revisions if "content" in one.fields]
