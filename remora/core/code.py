"""Facts about source code: what a file defines, imports and uses, and the parts it is cut into.

They are what passes between reading a file (graph.extract), resolving names (graph.resolve), storing
(store.graph) and answering (graph.impact, retrieval). Lines count from 1 and ends are inclusive.
Paths are relative to the project's root, with "/".
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from typing import NamedTuple, Protocol

from remora.core.values import Skipped

# How sure an edge of the syntax tree is. Below GUESS_BELOW it is a guess, and is shown as one.
EXACT = 0.95  # the language's own rules name the target: an import, `self.x`, a name in the same file
LIKELY = 0.75  # through an inherited method or the type of a variable that was seen assigned
GUESS = 0.4  # the only definition of that name in the project
GUESS_BELOW = 0.6


def hash_of(data: bytes) -> str:
    """Return what tells the content of a file from another one.

    >>> hash_of(b"a") == hash_of(b"a"), len(hash_of(b""))
    (True, 32)
    """
    return hashlib.blake2b(data, digest_size=16).hexdigest()


class Definition(NamedTuple):
    """One definition in a file.

    Attributes:
        qualname: "Class.method", unique in the file; a repeated name gets "#2", "#3" in order.
        name: its last part, as written in the source.
        kind: "module" (a namespace), "class" (also struct, enum, record, object), "function", "method",
            "interface" (also trait, protocol), "type" (an alias, a typedef) or "test".
        start_line, end_line: with its decorators, attributes and the doc comment right above it.
        line: where its own first line (`def`, `class`, `fn` …) stands.
        parent: the qualname of the definition around it, "" at the top level.
        signature: its head without the body, one line, at most 300 characters.
        doc: its doc string or comment as plain text, at most 1,000 characters.
        bases: the names it inherits from or implements, as written ("base.Model", "Iterable").
        sentence: it is a test that a call makes, as in `it("adds")`: what it is called names nothing in code.
        fixture: the name by which tests take what it gives, where it is a fixture; "" where it is none.
        gives: the type of what a fixture gives, as in `Binding`; "" when it shows none.
    """

    qualname: str
    name: str
    kind: str
    start_line: int
    end_line: int
    line: int
    parent: str = ""
    signature: str = ""
    doc: str = ""
    bases: tuple[str, ...] = ()
    sentence: bool = False
    fixture: str = ""
    gives: str = ""


class Import(NamedTuple):
    r"""One import, as written.

    Attributes:
        module: what is imported from: "a.b" (Python), "./x" or "react" (JavaScript), "crate::a::b" (Rust),
            "example.com/m/pkg" (Go), "com.a.B" (Java), "dir/x.h" (C), "A\\\\B\\\\C" (PHP), "a/b" (Ruby).
        names: (name, local name) pairs taken out of it; ("*", "*") for all of them.
        alias: the local name of the module itself, "" when it gets none.
        level: leading dots of a relative Python import.
        kind: "import", "from", "require", "include", "include_system", "use", "mod", "using", "export".
        line: where it stands.
        scope: qualname of the definition it stands in, "" at the top level.
    """

    module: str
    names: tuple[tuple[str, str], ...] = ()
    alias: str = ""
    level: int = 0
    kind: str = "import"
    line: int = 0
    scope: str = ""


class Reference(NamedTuple):
    """One use of a name that may lead to a definition.

    Attributes:
        name: the last part: `run` in `self.pool.run(x)`.
        receiver: what stands before it, as written: "self.pool", "" when nothing does. A call in the
            receiver is kept as "f()", anything more complicated as "?".
        kind: "call", "new", "decorator" or "type". (Bases are in `Definition.bases`.) "fixture" is a name by
            which a test or a fixture takes a fixture: a parameter, or with the receiver "usefixtures" a mark.
        line: where it stands.
        scope: qualname of the innermost definition it stands in, "" at the top level.
    """

    name: str
    receiver: str
    kind: str
    line: int
    scope: str = ""


class Binding(NamedTuple):
    """A variable whose type the source shows.

    `name` is "x" or "self.x"; `type` the type or the called class as written ("Foo", "pkg.Foo"), and
    "f()" for the result of a function whose return type is not written. What another name holds is "=y" or
    "=self.y", one of several values "=y|Foo", and "?" is something unknown.
    """

    name: str
    type: str
    line: int
    scope: str = ""


class Outline(NamedTuple):
    """What a file offers to others."""

    language: str
    package: str = ""  # the package or namespace that it declares
    doc: str = ""  # its doc string or first comment, at most 1,000 characters
    definitions: tuple[Definition, ...] = ()
    imports: tuple[Import, ...] = ()
    exports: tuple[str, ...] = ()  # names in __all__, where it is written out


class Uses(NamedTuple):
    """What a file uses."""

    references: tuple[Reference, ...] = ()
    bindings: tuple[Binding, ...] = ()


class FileFacts(NamedTuple):
    """Everything read from one file; `errors` counts the places its grammar could not read."""

    outline: Outline
    uses: Uses
    lines: int
    errors: int = 0


class Chunk(NamedTuple):
    """A part of a file, to be found and shown by itself.

    Attributes:
        kind: "function", "class", "module", "prose" or "data".
        name: qualname of its definition, "" for the rest of a module, prose and data.
        start_line, end_line: the lines of `text` in the file (a repeated signature is not counted).
        text: the source; a later piece of a long body begins with the signature again.
        context: what is put in front when it is embedded: "File: a/b.py | method: A.run".
        doc: doc string, for the index.
    """

    kind: str
    name: str
    start_line: int
    end_line: int
    text: str
    context: str
    doc: str = ""


class Link(NamedTuple):
    """An edge found by resolving names. Keys are "path" for a file and "path:qualname" for a definition."""

    from_key: str
    to_key: str
    type: str
    confidence: float
    line: int = 0
    count: int = 1  # type: ignore[assignment]  # instead of the method of tuples


class Symbol(NamedTuple):
    """A definition as seen from other files."""

    path: str
    definition: Definition

    @property
    def key(self) -> str:
        """Its node's key."""
        return f"{self.path}:{self.definition.qualname}"


class Symbols(Protocol):
    """What resolving names asks of the project; in memory for a first index, the database later."""

    def exists(self, path: str) -> bool:
        """Return whether the project has an indexed file at a path."""
        ...

    def in_folder(self, folder: str) -> Sequence[str]:
        """Return the indexed files directly in a folder ("" is the root), in order."""
        ...

    def ending(self, suffix: str) -> Sequence[str]:
        """Return the indexed files whose path is `suffix` or ends in "/" + `suffix`, in order."""
        ...

    def outline(self, path: str) -> Outline | None:
        """Return what a file offers, None for an unknown file."""
        ...

    def package(self, name: str) -> Sequence[str]:
        """Return the files that declare a package or namespace, in order."""
        ...

    def packages_in(self, name: str, sign: str) -> bool:
        """Return whether a package or namespace is declared, or one inside of it; `sign` parts its names."""
        ...

    def named(self, name: str, limit: int = 10) -> Sequence[Symbol]:
        """Return the definitions with a name anywhere in the project, by path; at most `limit`."""
        ...

    def promised(self, name: str) -> Sequence[Symbol]:
        """Return the methods of a name that interfaces at the top level of a file ask for, by path."""
        ...

    def embedding(self, name: str) -> Sequence[Symbol]:
        """Return the interfaces of Go, at the top level of a file, that embed a type of a name, by path."""
        ...


class Impact(NamedTuple):
    """Something that may break when a target changes.

    Attributes:
        path: its file.
        symbol: its qualname, None for a file as a whole.
        depth: steps from the target, from 1.
        via: the edges on the shortest way, from the target's side: "a.py:f <-calls- b.py:g".
        confidence: product of the edges' confidence, 0..1.
        kind: of a definition as `Definition` has it, or "file" or "config".
        test: it is a test.
        source: of the last edge: "ast", "scip", …
    """

    path: str
    symbol: str | None
    depth: int
    via: tuple[str, ...]
    confidence: float
    kind: str = "file"
    test: bool = False
    source: str = "ast"

    @property
    def guess(self) -> bool:
        """Whether the way leads over a call that could not be resolved for certain."""
        return self.confidence < GUESS_BELOW


class IndexReport(NamedTuple):
    """What `index` found and did.

    Attributes:
        files: how many files the graph now holds.
        read: how many were read anew; `unchanged` were not.
        resolved: of how many files the names were resolved, the read ones among them.
        deleted: files that are gone since the last run.
        left_out: (reason, how many) for what is not read, most first.
        broken: files that their grammar could only read in part.
        skipped: what could not be read, with the reason.
        nodes, edges, chunks: how many there are now.
        waiting: chunks that have no vector yet; words find them.
        precise: edges taken from a SCIP index.
        complete: False when the run was stopped before its end; the next one goes on.
    """

    files: int
    read: int
    unchanged: int
    resolved: int
    deleted: int
    left_out: tuple[tuple[str, int], ...]
    broken: int
    skipped: tuple[Skipped, ...]
    nodes: int
    edges: int
    chunks: int
    waiting: int
    precise: int = 0
    complete: bool = True
    notes: tuple[str, ...] = ()
    seconds: float = 0.0
