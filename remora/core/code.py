"""Facts about source code: the definitions, imports and uses of a file, and its chunks.

They are passed between reading a file (graph.extract), resolving names (graph.resolve), storing (store.graph)
and answering (graph.impact, retrieval). Lines count from 1 and ends are inclusive.
Paths are relative to the project's root, with "/".
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from typing import NamedTuple, Protocol

# Confidence of an edge from the syntax tree. Below GUESS_BELOW it is a guess, and shown as one.
EXACT = 0.95  # the language's own rules name the target: an import, `self.x`, a name in the same file
LIKELY = 0.75  # by an inherited method or the type of an assigned variable
GUESS = 0.4  # the only definition of that name in the project
GUESS_BELOW = 0.6


def hash_of(data: bytes) -> str:
    """Return the hash of a file's content.

    >>> hash_of(b"a") == hash_of(b"a"), len(hash_of(b""))
    (True, 32)
    """
    return hashlib.blake2b(data, digest_size=16).hexdigest()


class Listed(NamedTuple):
    """A file of a project as its folder lists it. It is read again if its size or time differs."""

    path: str
    size: int
    mtime_ns: int


class Definition(NamedTuple):
    """One definition in a file.

    Attributes:
        qualname: "Class.method", unique in the file; a repeated name gets "#2", "#3" in order.
        name: its last part, as written in the source.
        kind: "module" (a namespace), "class" (also struct, enum, record, object), "function", "method",
            "interface" (also trait, protocol), "type" (an alias, a typedef) or "test".
        start_line, end_line: including its decorators, attributes and the doc comment right above it.
        line: the line of its head (`def`, `class`, `fn` …).
        parent: the qualname of the enclosing definition, "" at the top level.
        signature: its head without the body, one line, at most 300 characters.
        doc: its doc string or comment as plain text, at most 1,000 characters.
        bases: the names it inherits from or implements, as written ("base.Model", "Iterable").
        sentence: it is a test made by a call, as in `it("adds")`: its name names nothing in code.
        returns: a function's written return type, if it is one named type; "Self" for the class of the
            object; "" otherwise.
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
    returns: str = ""


class Import(NamedTuple):
    r"""One import, as written.

    Attributes:
        module: its source: "a.b" (Python), "./x" or "react" (JavaScript), "crate::a::b" (Rust),
            "example.com/m/pkg" (Go), "com.a.B" (Java), "dir/x.h" (C), "A\\\\B\\\\C" (PHP), "a/b" (Ruby).
        names: imported (name, local name) pairs; ("*", "*") for all of them.
        alias: the local name of the module itself, "" if it has none.
        level: leading dots of a relative Python import.
        kind: "import", "from", "require", "include", "include_system", "use", "mod", "using", "export".
        line: its line.
        scope: qualname of the enclosing definition, "" at the top level.
    """

    module: str
    names: tuple[tuple[str, str], ...] = ()
    alias: str = ""
    level: int = 0
    kind: str = "import"
    line: int = 0
    scope: str = ""


class Reference(NamedTuple):
    """One use of a name that may refer to a definition.

    Attributes:
        name: the last part: `run` in `self.pool.run(x)`.
        receiver: the expression before it, as written: "self.pool", "" if there is none. A call in the
            receiver is kept as "f()", a more complex expression as "?".
        kind: "call", "new", "decorator" or "type". (Bases are in `Definition.bases`.) "fixture" is a
            parameter of a test or of a fixture, which may request a fixture of that name.
        line: its line.
        scope: qualname of the innermost enclosing definition, "" at the top level.
    """

    name: str
    receiver: str
    kind: str
    line: int
    scope: str = ""


class Binding(NamedTuple):
    """A variable whose type is visible in the source.

    `name` is "x" or "self.x"; `type` is the type or the called class as written ("Foo", "pkg.Foo"), or
    "f()" for the result of a function without a written return type.
    """

    name: str
    type: str
    line: int
    scope: str = ""


class Outline(NamedTuple):
    """The names that a file offers to others."""

    language: str
    package: str = ""  # the declared package or namespace
    doc: str = ""  # its doc string or first comment, at most 1,000 characters
    definitions: tuple[Definition, ...] = ()
    imports: tuple[Import, ...] = ()
    exports: tuple[str, ...] = ()  # names in a literal __all__


class Uses(NamedTuple):
    """The names that a file uses."""

    references: tuple[Reference, ...] = ()
    bindings: tuple[Binding, ...] = ()


class FileFacts(NamedTuple):
    """Everything read from one file; `errors` counts the places that its grammar could not parse."""

    outline: Outline
    uses: Uses
    lines: int
    errors: int = 0


class Chunk(NamedTuple):
    """A part of a file that is indexed and shown by itself.

    Attributes:
        kind: "function", "class", "module", "prose" or "data".
        name: qualname of its definition, "" for the rest of a module, prose and data.
        start_line, end_line: the lines of `text` in the file (a repeated signature is not counted).
        text: the source; a later piece of a long body begins with the repeated signature.
        context: the prefix of the embedded text: "File: a/b.py | method: A.run".
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
    """A definition as other files see it."""

    path: str
    definition: Definition

    @property
    def key(self) -> str:
        """The key of its node."""
        return f"{self.path}:{self.definition.qualname}"


class Symbols(Protocol):
    """The project data for resolving names."""

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
        """Return the outline of a file, None for an unknown file."""
        ...

    def package(self, name: str) -> Sequence[str]:
        """Return the files that declare a package or namespace, in order."""
        ...

    def named(self, name: str, limit: int = 10) -> Sequence[Symbol]:
        """Return the definitions with a name anywhere in the project, by path; at most `limit`."""
        ...


class Impact(NamedTuple):
    """Something that may break when a target changes.

    Attributes:
        path: its file.
        symbol: its qualname, None for a file as a whole.
        depth: steps from the target, from 1.
        via: the edges of the shortest path, from the target's side: "a.py:f <-calls- b.py:g".
        confidence: product of the edges' confidence, 0..1.
        kind: the kind of a `Definition`, or "file" or "config".
        test: whether it is a test.
        source: the source of the last edge: "ast", "scip", …
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
    def place(self) -> str:
        """Its file and symbol ("a.py:f"); the path alone for a file as a whole."""
        return self.path if self.symbol is None else f"{self.path}:{self.symbol}"

    @property
    def uses(self) -> str:
        """How it uses the step before it ("calls, imports"); empty without a path."""
        last = self.via[-1] if self.via else ""
        return last.partition(" <-")[2].partition("- ")[0].replace(",", ", ")

    @property
    def guess(self) -> bool:
        """Whether the path includes a call that could not be resolved with certainty."""
        return self.confidence < GUESS_BELOW
