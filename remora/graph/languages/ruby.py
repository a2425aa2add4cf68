"""Ruby: reopened classes, mixins as bases, examples named by sentences; constants of the whole program.

`require_relative` is a path from the file. `require "a/b"` is a/b.rb under some `lib` or the folder of the
tests, or the only file whose path ends so. A constant gives an import edge by use to the first file with it.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from remora.core.code import LIKELY, Import
from remora.graph.languages.naming import (
    MANY,
    Family,
    Places,
    nearest,
    package_key,
    parts_of,
    top_level,
)
from remora.graph.languages.syntax import (
    UNKNOWN,
    Captures,
    Draft,
    Rules,
    Source,
    chain,
    one_line,
    quoted,
    split_chain,
)
from remora.graph.manifests import join

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tree_sitter import Node

    from remora.core.code import Symbol

_RUNNERS = frozenset(
    "describe context it specify test feature scenario example should fit xit fdescribe".split()
)
_MIXINS = ("include", "extend", "prepend")
_MAX_SENTENCE = 120


def _define(source: Source, draft: Draft, captures: Captures) -> None:
    node = draft.node
    if draft.kind == "test":
        draft.drop = source.text(captures["runner"][0]) not in _RUNNERS
        draft.name = one_line(quoted(draft.name) or draft.name, _MAX_SENTENCE)
        draft.test = draft.sentence = True
        block = node.child_by_field_name("block")
        draft.head_end = block.start_byte if block is not None else -1
    elif draft.kind == "function":
        draft.test = draft.name.startswith("test_")
        parameters = node.child_by_field_name("parameters") or node.child_by_field_name("name")
        draft.head_end = parameters.end_byte if parameters is not None else -1
    else:
        owner, draft.name = split_chain(draft.name)
        draft.owner = owner.strip(":").replace("::", ".")
        draft.reopens = True
        draft.classlike = True
        name = node.child_by_field_name("superclass") or node.child_by_field_name("name")
        draft.head_end = name.end_byte if name is not None else -1
        draft.bases = tuple(_bases(source, node))


def _bases(source: Source, node: Node) -> Iterator[str]:
    parent = node.child_by_field_name("superclass")
    if parent is not None and parent.named_child_count:
        name = chain(source, parent.named_child(0), RULES)
        if name != UNKNOWN and "(" not in name:
            yield name
    body = node.child_by_field_name("body")
    for statement in body.named_children[:200] if body is not None else ():
        if statement.type == "call" and source.field(statement, "method") in _MIXINS:
            arguments = statement.child_by_field_name("arguments")
            for argument in arguments.named_children if arguments is not None else ():
                if argument.type in ("constant", "scope_resolution"):
                    yield source.text(argument)


def _imports(source: Source, node: Node, _kind: str, captures: Captures) -> Iterator[Import]:
    how = source.text(captures["require"][0])
    strings = [part for part in captures["arguments"][0].named_children if part.type == "string"]
    path = quoted(source.text(strings[0])) if strings else ""
    if not path or "#{" in path:
        return
    if how == "require_relative" and not path.startswith("."):
        path = f"./{path}"
    yield Import(path, (), "", 0, "require", node.start_point[0] + 1)


RULES = Rules(
    members={"call": ("receiver", "method")},
    calls={"call": "arguments"},
    wrappers=frozenset(("parenthesized_statements",)),
    written=frozenset(("scope_resolution",)),
    define=_define,
    imports=_imports,
    builtins=frozenset(("puts()", "raise()", "require()", "lambda()", "proc()")),
)


_LOAD_PATH = ("/lib", "/spec", "/test", "/tests")


def _required(places: Places, path: str, item: Import) -> str:
    name = item.module if item.module.endswith(".rb") else item.module + ".rb"
    folder = parts_of(path)[0]
    exists = places.symbols.exists
    if name.startswith("."):
        found = join(folder, name)
        return found if found and exists(found) else ""
    ending = places.symbols.ending(name)
    on_path = [other for other in ending if parts_of(f"/{other.removesuffix(name)}")[0].endswith(_LOAD_PATH)]
    if on_path:
        return nearest(path, on_path)
    return ending[0] if len(ending) == 1 and "/" in name else ""


def _package(places: Places, _key: str, name: str) -> Sequence[Symbol]:
    found = [
        s for s in top_level(places.symbols.named(name, MANY)) if s.path.endswith((".rb", ".rake", ".ru"))
    ]
    return found if name[:1].isupper() or len(found) == 1 else ()


FAMILY = Family(
    name="ruby",
    entries=lambda _: (),  # the definitions of a required file are global
    module=lambda *_: "",
    edges=lambda places, path, item: (_required(places, path, item),),
    around=lambda *_: (package_key("ruby", ""),),
    package=_package,
    package_sure=LIKELY,
    selfs=frozenset(("self",)),
    supers=frozenset(("super",)),
    implicit_self=True,
    last_wins=True,
    reopened=lambda _path, other: other.endswith((".rb", ".rake")),
    by_use=True,
    constructor="new",
)
