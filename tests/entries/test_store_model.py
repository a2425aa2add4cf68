"""Whatever is done to the entry store, in whatever order, it says what a plain dictionary would say."""

from __future__ import annotations

import shutil
import tempfile
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import Bundle, RuleBasedStateMachine, initialize, invariant, rule

from remora.core.errors import Conflict, InvalidInput, NotFound, RemoraError
from remora.core.values import Entry
from remora.entries.names import slug
from remora.entries.store import EntryStore
from tests.entries.reference import naive_scores
from tests.entries.writes import T0, open_store

# Few names, so that they meet; some look like archives of the session "S:1".
NAMES = st.sampled_from(["rust", "b", "ä b", "s-1-1", "s-1-7", "s-1-02", "x"])
WORDS = st.sampled_from(["rust", "memory", "the", "größe", "s", "数据库", "b"])
TEXTS = st.lists(WORDS, max_size=5).map(" ".join)


class Model:
    """The entry store as it is described, in a list."""

    def __init__(self) -> None:
        self.entries: list[Entry] = []
        self.next_id = 1

    def find(self, name: str) -> Entry:
        """Return the entry of a name."""
        for entry in self.entries:
            if name in (entry.name, *entry.aliases):
                return entry
        raise NotFound(name)

    def free(self, *names: str) -> None:
        """Refuse names that somebody has."""
        for name in names:
            if any(name in (e.name, *e.aliases) for e in self.entries):
                raise Conflict(name)

    def put(self, entry: Entry) -> Entry:
        """Replace an entry by what it is now."""
        self.entries = [entry if e.id == entry.id else e for e in self.entries]
        return entry

    def add(self, name: str, content: str, kind: str = "note", aliases: tuple[str, ...] = ()) -> Entry:
        """Add an entry."""
        others = tuple(dict.fromkeys(a for a in aliases if a != name))
        self.free(name, *others)
        entry = Entry(self.next_id, name, content, kind, others, T0)
        self.entries.append(entry)
        self.next_id += 1
        return entry

    def archive(self, slug_of: str, content: str) -> Entry:
        """Add an archive under the first number above all that are taken."""
        stem = slug(slug_of) + "-"
        ends = [
            n.removeprefix(stem) for e in self.entries for n in (e.name, *e.aliases) if n.startswith(stem)
        ]
        numbers = [int(end) for end in ends if end.isdecimal() and str(int(end)) == end]
        return self.add(f"{stem}{max(numbers, default=0) + 1}", content, "archive")

    def rename(self, name: str, new: str) -> Entry:
        """Rename an entry and keep the old name."""
        entry = self.find(name)
        if new == entry.name:
            return entry
        if new not in entry.aliases:
            self.free(new)
        kept = tuple(a for a in entry.aliases if a != new)
        return self.put(entry._replace(name=new, aliases=(*kept, entry.name)))

    def alias(self, name: str, alias: str) -> Entry:
        """Bind a name."""
        entry = self.find(name)
        if alias in (entry.name, *entry.aliases):
            return entry
        self.free(alias)
        return self.put(entry._replace(aliases=(*entry.aliases, alias)))

    def unalias(self, name: str, alias: str) -> Entry:
        """Free a name."""
        entry = self.find(name)
        if alias == entry.name:
            raise InvalidInput(alias)
        if alias not in entry.aliases:
            raise NotFound(alias)
        return self.put(entry._replace(aliases=tuple(a for a in entry.aliases if a != alias)))

    def write(self, name: str, content: str) -> Entry:
        """Replace a content."""
        return self.put(self.find(name)._replace(content=content))

    def remove(self, name: str) -> Entry:
        """Delete an entry."""
        entry = self.find(name)
        self.entries.remove(entry)
        return entry


class StoreMachine(RuleBasedStateMachine):
    """Two store objects on one file, used in turn, against the model."""

    stores = Bundle("stores")

    @initialize()
    def begin(self) -> None:
        """Begin empty."""
        self.folder = Path(tempfile.mkdtemp(prefix="remora-entries-"))
        self.model = Model()
        self.both = [self.fresh(), self.fresh()]
        self.turn = 0

    def fresh(self) -> EntryStore:
        """Return the store through an object that knows nothing yet."""
        return open_store(self.folder / "entries.mem")

    def both_do(self, verb: str, *arguments: object) -> None:
        """Do the same to the store and to the model: the same answer, or an error of the same class."""
        self.turn += 1
        store = self.both[self.turn % 2]
        try:
            expected: object = getattr(self.model, verb)(*arguments)
        except RemoraError as error:
            with pytest.raises(type(error)):
                getattr(store, verb)(*arguments)
        else:
            assert getattr(store, verb)(*arguments) == expected

    @rule(
        name=NAMES,
        text=TEXTS,
        kind=st.sampled_from(["note", "archive"]),
        aliases=st.lists(NAMES, max_size=2).map(tuple),
    )
    def add(self, name: str, text: str, kind: str, aliases: tuple[str, ...]) -> None:
        """Add an entry."""
        self.both_do("add", name, text, kind, aliases)

    @rule(slug_of=st.sampled_from(["S:1", "s", ":::"]), text=TEXTS)
    def archive(self, slug_of: str, text: str) -> None:
        """Add an archive."""
        self.both_do("archive", slug_of, text)

    @rule(verb=st.sampled_from(["rename", "alias", "unalias"]), name=NAMES, other=NAMES)
    def two_names(self, verb: str, name: str, other: str) -> None:
        """Change names."""
        self.both_do(verb, name, other)

    @rule(name=NAMES, text=TEXTS)
    def write(self, name: str, text: str) -> None:
        """Replace a content."""
        self.both_do("write", name, text)

    @rule(name=NAMES | st.integers(0, 251).map("n{}".format))
    def remove(self, name: str) -> None:
        """Delete an entry."""
        self.both_do("remove", name)

    @rule()
    def reopen(self) -> None:
        """Go on with an object that knows nothing yet."""
        self.both[self.turn % 2] = self.fresh()

    @rule(query=TEXTS, kind=st.sampled_from([None, "note", "archive"]), limit=st.integers(0, 4))
    def search(self, query: str, kind: str | None, limit: int) -> None:
        """Find what the reference finds, in its order, with its scores."""
        texts = {e.id: f"{e.content}\n{e.name}" for e in self.model.entries}
        by_id = {e.id: e for e in self.model.entries}
        scores = {i: s for i, s in naive_scores(texts, query).items() if kind in (None, by_id[i].kind)}
        found = self.both[self.turn % 2].search(query, limit, kind)
        best = sorted(scores.values(), reverse=True)[:limit]
        assert [score for _, score in found] == pytest.approx(best)
        assert [e for e, _ in found] == [by_id[e.id] for e, _ in found]
        assert [s for _, s in found] == pytest.approx([scores[e.id] for e, _ in found])
        assert found == sorted(found, key=lambda pair: (-pair[1], pair[0].id))

    @invariant()
    def the_same(self) -> None:
        """Entries and names are those of the model."""
        if not hasattr(self, "model"):
            return
        store = self.both[self.turn % 2]
        assert store.entries() == self.model.entries
        for name in ("rust", "b", "ä b", "s-1-1", "s-1-7", "s-1-02", "x", "s-1-8"):
            try:
                expected: Entry | None = self.model.find(name)
            except NotFound:
                expected = None
            assert store.get(name) == expected

    def teardown(self) -> None:
        """Leave nothing behind."""
        if hasattr(self, "folder"):
            shutil.rmtree(self.folder)


TestStoreMachine = StoreMachine.TestCase
TestStoreMachine.settings = settings(
    max_examples=10, stateful_step_count=30, suppress_health_check=list(HealthCheck)
)
