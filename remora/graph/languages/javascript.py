"""JavaScript and TypeScript: all forms of imports, path mappings, workspaces, tests named by sentences.

An import edge goes to the file that the specifier names, in the compiler's order: the path itself, `.js`
written for `.ts`, the path with each known ending, its index file. Type-only imports, `export … from`,
`require` and `import()` count alike.

What a file assigns to `module.exports` is its default. `require` returns that, or else the file with its
names.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from remora.core.code import Import
from remora.graph.languages.naming import Entry, Family, Places
from remora.graph.languages.syntax import (
    UNKNOWN,
    Captures,
    Draft,
    Rules,
    Source,
    chain,
    one_line,
    quoted,
    return_type,
)
from remora.graph.manifests import join

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from tree_sitter import Node

    from remora.core.code import Outline
    from remora.graph.roots import JsPackage

_BUILTIN_TYPES = frozenset(
    """string number boolean any unknown never void object symbol bigint undefined null this Array
    ReadonlyArray Map Set WeakMap WeakSet Record Promise Partial Required Readonly Pick Omit Exclude
    Extract ReturnType Parameters NonNullable Awaited InstanceType Date RegExp Error Function Object
    String Number Boolean Symbol Iterable Iterator AsyncIterable AsyncIterator Uint8Array ArrayBuffer
    Buffer HTMLElement Element Event Node unique PropertyKey ArrayLike Uppercase Lowercase Capitalize
    require() super()""".split()
)

_RUNNER = re.compile(
    r"(?:it|test|describe|suite|context|specify|bench|fit|xit|xtest|fdescribe|xdescribe)"
    r"(?:\.(?:only|skip|each|concurrent|sequential|todo|failing|fails|serial|parallel|step|describe|skipIf|runIf|for)"
    r"(?:\(\))?)*"
)
_MAX_SENTENCE = 120


def _define(source: Source, draft: Draft, captures: Captures) -> None:
    draft.name = quoted(draft.name) or draft.name
    if draft.container:
        return
    kind = draft.kind
    if kind == "test":
        _test(source, draft, captures)
    elif kind.startswith("default_"):
        draft.kind, draft.name = kind.removeprefix("default_"), "default"
        draft.classlike = draft.kind == "class"
    holder = captures.get("function") or captures.get("class")
    inner = holder[0] if holder else draft.node
    if "target" in captures:
        _held(source, draft, captures["target"][0])
    body = inner.child_by_field_name("body")
    if body is not None:
        draft.head_end = body.start_byte
    if draft.kind == "function":
        draft.returns = return_type(source.field(inner, "return_type")[:400])
    elif draft.classlike:
        _bases(source, draft, inner)
    elif kind == "type":
        value = inner.child_by_field_name("value")
        draft.classlike = value is not None and value.type == "object_type"


def _test(source: Source, draft: Draft, captures: Captures) -> None:
    runner = chain(source, captures["runner"][0], RULES)
    draft.name = one_line(draft.name, _MAX_SENTENCE)
    draft.test = draft.sentence = True
    draft.drop = not _RUNNER.fullmatch(runner)


def _held(source: Source, draft: Draft, target: Node) -> None:
    """Name a function by its assignment target: `exports.f`, `Foo.prototype.f`, `this.f`, `foo.f`."""
    owner = chain(source, target, RULES)
    if owner == UNKNOWN:
        draft.drop = True
    if owner == "module":
        draft.name = "default"
    if owner not in ("exports", "module.exports", "this", "module", "window", "globalThis"):
        draft.owner = owner.removesuffix(".prototype")


def _bases(source: Source, draft: Draft, node: Node) -> None:
    bases = []
    for part in node.named_children:
        if part.type not in ("class_heritage", "extends_type_clause"):
            continue
        draft.heritage = (part.start_byte, part.end_byte)
        clauses = [
            part,
            *(c for c in part.named_children if c.type in ("extends_clause", "implements_clause")),
        ]
        for clause in clauses:
            for child in clause.named_children:
                if child.type in ("extends_clause", "implements_clause", "type_arguments", "comment"):
                    continue
                base = child.child_by_field_name("name") if child.type == "generic_type" else child
                bases.append(chain(source, base or child, RULES))
    draft.bases = tuple(base for base in bases if not base.startswith(UNKNOWN))


def _imports(source: Source, node: Node, kind: str, captures: Captures) -> Iterator[Import]:
    line = node.start_point[0] + 1
    if kind == "default":
        value = captures["value"][0]
        made = value.child_by_field_name("constructor") if value.type == "new_expression" else None
        name = source.text(value) if made is None else f"{source.text(made)}()"
        yield Import("", ((name, "default"),), "", 0, "export", line)
        return
    if kind in ("require", "dynamic"):
        yield from _required(source, kind, captures)
        return
    module = quoted(source.field(node, "source"))
    clauses = [child for child in node.named_children if child.type != "comment"]
    if kind == "export":
        names = tuple(pair for clause in clauses for pair in _offered(source, clause))
        if module and not any(c.type in ("export_clause", "namespace_export") for c in clauses):
            names = (("*", "*"),)
        if module or names:
            yield Import(module, names, "", 0, "export", line)
        return
    if not module:
        return
    found, alias = list[tuple[str, str]](), ""
    for clause in (child for c in clauses if c.type == "import_clause" for child in c.named_children):
        if clause.type == "identifier":
            found.append(("default", source.text(clause)))
        elif clause.type == "namespace_import" and clause.named_child_count:
            alias = source.text(clause.named_child(0))
        elif clause.type == "named_imports":
            found.extend(_specified(source, clause, "import_specifier"))
    yield Import(module, tuple(found), alias, 0, "import", line)


def _specified(source: Source, clause: Node, kind: str) -> Iterator[tuple[str, str]]:
    for item in clause.named_children:
        if item.type == kind:
            name = source.field(item, "name")
            name = quoted(name) or name
            yield name, source.field(item, "alias") or name


def _offered(source: Source, clause: Node) -> Iterator[tuple[str, str]]:
    if clause.type == "export_clause":
        yield from _specified(source, clause, "export_specifier")
    elif clause.type == "namespace_export" and clause.named_child_count:
        yield "*", source.text(clause.named_child(0))


def _required(source: Source, kind: str, captures: Captures) -> Iterator[Import]:
    place = captures["source"][0]
    module = quoted(source.text(place))
    if not module or "${" in module:
        return
    names, alias = tuple[tuple[str, str], ...](), ""
    target = captures["target"][0] if "target" in captures else None
    if target is not None and target.type == "identifier":
        if "member" in captures:
            names = ((source.text(captures["member"][0]), source.text(target)),)
        else:
            alias = source.text(target)
            names = (("default", alias),) if kind == "require" else ()
    elif target is not None and target.type == "member_expression":  # module.exports = require("…")
        names = (("default", "default"), ("*", "*"))
    elif target is not None and target.type == "object_pattern" and "member" not in captures:
        names = tuple(_taken(source, target))
    yield Import(
        module, names, alias, 0, "require" if kind == "require" else "import", place.start_point[0] + 1
    )


def _taken(source: Source, pattern: Node) -> Iterator[tuple[str, str]]:
    """Return (name, local name) of `{a, b: c, d = 1}`."""
    for item in pattern.named_children:
        if item.type == "object_assignment_pattern":
            left = item.child_by_field_name("left")
            item = left if left is not None else item
        if item.type == "shorthand_property_identifier_pattern":
            yield source.text(item), source.text(item)
        elif item.type == "pair_pattern":
            value = item.child_by_field_name("value")
            if value is not None and value.type == "identifier":
                yield source.field(item, "key"), source.text(value)


RULES = Rules(
    members={
        "member_expression": ("object", "property"),
        "nested_identifier": ("object", "property"),
        "nested_type_identifier": ("module", "name"),
    },
    calls={"call_expression": "function", "new_expression": "constructor"},
    wrappers=frozenset(
        ("parenthesized_expression", "await_expression", "non_null_expression", "instantiation_expression")
    ),
    define=_define,
    imports=_imports,
    heads=frozenset(("lexical_declaration", "variable_declaration")),
    builtins=_BUILTIN_TYPES,
)


_ENDINGS = (
    ".ts",
    ".tsx",
    ".d.ts",
    ".js",
    ".jsx",
    ".mts",
    ".cts",
    ".mjs",
    ".cjs",
    ".vue",
    ".svelte",
    ".astro",
)
_WRITTEN_FOR = {
    ".js": (".ts", ".tsx", ".d.ts", ".jsx"),
    ".jsx": (".tsx",),
    ".mjs": (".mts", ".d.mts"),
    ".cjs": (".cts", ".d.cts"),
}
_SCRIPT = re.compile(r"\.(?:[cm]?[jt]sx?|vue|svelte|astro)$")
_BUILT = re.compile(r"(^|/)(?:dist|lib|build|out|es|esm|cjs|types)(?=/)")
_WORD = re.compile(r"\W+")


def _entries(item: Import) -> Iterator[Entry]:
    for name, local in item.names:
        if not item.module and name == local:
            continue  # `export { a }` of the file's own name
        if name == "*" and local != "*":
            yield Entry(local, item.module, "", item)
        else:
            yield Entry(local, item.module, name, item)
    if item.alias:  # after the names: `require` returns the file's default, or else the file
        yield Entry(item.alias, item.module, "", item)


def _file(places: Places, base: str | None) -> str:
    """Return the file of a path without query or loader, "" if there is none."""
    return next(filter(places.symbols.exists, _forms(base) if base is not None else ()), "")


def _forms(base: str) -> Iterator[str]:
    """Yield the files that a path may name, in the compiler's order."""
    folder = ""
    if base:
        folder = f"{base}/"
        yield base
        stem, written = posixpath.splitext(base)
        yield from (stem + ending for ending in _WRITTEN_FOR.get(written, ()))
        yield from (base + ending for ending in _ENDINGS)
    yield from (f"{folder}index{ending}" for ending in _ENDINGS)


def _inside(folder: str, path: str) -> bool:
    return not folder or path.startswith(folder + "/")


def _mapped(places: Places, path: str, name: str) -> str:
    """Return the file that the nearest configuration maps a bare name to."""
    for config in places.roots.typescript:
        if not _inside(config.folder, path):
            continue
        for pattern, targets in config.paths:
            middle = _middle(pattern, name)
            for target in targets if middle is not None else ():
                if found := _file(places, target.replace("*", middle or "")):
                    return found
        if config.base is not None and (found := _file(places, join(config.base, name))):
            return found
        if config.paths or config.base is not None:
            break  # the nearest configuration is the one that counts
    return ""


def _middle(pattern: str, name: str) -> str | None:
    """Return the text that the "*" of a pattern stands for in a name, None if the pattern does not match."""
    before, star, after = pattern.partition("*")
    if not star or name == pattern:
        return "" if name == pattern else None
    matches = name.startswith(before) and name.endswith(after) and len(name) >= len(before) + len(after)
    return name[len(before) : len(name) - len(after)] if matches else None


def _of_package(places: Places, path: str, name: str) -> str:
    parts = name.split("/")
    length = 2 if name.startswith("@") else 1
    package_name, rest = "/".join(parts[:length]), "/".join(parts[length:])
    same = [package for package in places.roots.packages if package.name == package_name]
    for package in sorted(same, key=lambda p: (not _inside(p.folder, path), p.folder)):
        if found := _in_package(places, package, rest):
            return found
    return ""


def _in_package(places: Places, package: JsPackage, rest: str) -> str:
    for file in _targets(package.exports, f"./{rest}" if rest else "."):
        if found := _built(places, package.folder, file):
            return found
    if rest:
        return _built(places, package.folder, rest) or _file(places, join(package.folder, f"src/{rest}"))
    return _file(places, join(package.folder, "src")) or _file(places, package.folder)


def _targets(pairs: Sequence[tuple[str, Sequence[str]]], wanted: str) -> Iterator[str]:
    """Yield the files that a package.json offers under a name, the most exact pattern first."""
    for name, files in pairs:
        if (middle := _middle(name, wanted)) is not None:
            yield from (file.replace("*", middle) for file in files)


def _built(places: Places, folder: str, file: str) -> str:
    """Return a package's file, or the source of a file in its build output."""
    if found := _file(places, join(folder, file)):
        return found if _SCRIPT.search(found) else ""
    written = file.removeprefix("./")
    stem = _SCRIPT.sub("", written.removesuffix(".d.ts"))
    for source in ("src", ""):
        base = _BUILT.sub(rf"\g<1>{source}" if source else r"\g<1>.", stem, count=1)
        if base != stem and (found := _file(places, join(folder, base))):
            return found
    return ""


def _resolve(places: Places, path: str, module: str) -> str:
    module = module.split("?")[0].rpartition("!")[2]
    if not module:
        return ""
    if module.startswith("."):
        return _file(places, join(path.rpartition("/")[0], module))
    if module.startswith("/"):
        return _file(places, module.lstrip("/"))
    return _mapped(places, path, module) or _of_package(places, path, module)


def _default(outline: Outline, local: str) -> Iterable[str]:
    """Return the possible names of the default export: the requested one, else the only one."""
    names = [d.name for d in outline.definitions if not d.parent and not d.sentence]
    if local in names:
        return (local,)
    folded = _WORD.sub("", local).lower()
    same = [name for name in names if name.lower() == folded]
    return same or (names if len(names) == 1 else ())


FAMILY = Family(
    name="javascript",
    entries=_entries,
    module=lambda places, path, entry: _resolve(places, path, entry.module) if entry.module else path,
    edges=lambda places, path, item: (_resolve(places, path, item.module),),
    default=_default,
    supers=frozenset(("super", "super()")),
    last_wins=True,
    builtins=_BUILTIN_TYPES,
)
