"""Python: docstrings, tests, the fixtures of pytest; imports by source folders and by level.

An import edge goes to the file of the module that the statement names. `import a.b.c` names a/b/c.py (or
a/b/c/__init__.py), not the packages on the way, although the interpreter runs those too. `from a import b`
names a/b.py if b is a module, and the file of `a` otherwise; `from a import *` names the file of `a`. Imports
under `if TYPE_CHECKING` and inside functions count like any other. A stub (.pyi) represents a module only
without a source.

Source folders are tried in the interpreter's order: the file's own folder if it is no package, source folders
above the file from the nearest, declared ones, then any folder above a package. A module of the standard
library is only resolved in the first two.
"""

from __future__ import annotations

import builtins
import inspect
import re
import sys
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from remora.core.code import Import
from remora.graph.languages.naming import (
    PACKAGE,
    Entry,
    Family,
    Places,
    package_key,
    package_name,
)
from remora.graph.languages.syntax import (
    UNKNOWN,
    Captures,
    Draft,
    Rules,
    Source,
    Use,
    chain,
    limited,
)

if TYPE_CHECKING:
    from tree_sitter import Node


_BUILTIN_TYPES = frozenset(
    """int str float bool bytes bytearray complex object list dict set frozenset tuple type None Any
    Optional Union Callable Iterable Iterator Sequence Mapping List Dict Set Tuple Literal Self Never
    NoReturn Generator AsyncIterator AsyncGenerator AsyncIterable Final ClassVar Annotated Type
    TypeAlias Awaitable Coroutine Collection MutableMapping MutableSequence memoryview slice property
    range True False typing Ellipsis LiteralString ParamSpec TypeVar Concatenate Unpack Protocol Generic
    Hashable Sized FrozenSet DefaultDict Counter Deque Text AnyStr SupportsInt SupportsFloat Buffer
    Required NotRequired""".split()
)

_PREFIX = re.compile(r"^[A-Za-z]*(\"\"\"|'''|\"|')")


def _define(source: Source, draft: Draft, _captures: Captures) -> None:
    node = draft.node
    if node.type == "class_definition":
        _bases(source, draft)
    if node.type == "assignment":
        value = node.child_by_field_name("right")
        body = value.child_by_field_name("body") if value is not None else None
        draft.head_end = body.start_byte if body is not None else node.end_byte
        return
    if node.type == "type_alias_statement":
        draft.head_end = node.end_byte
        return
    body = node.child_by_field_name("body")
    if body is not None:
        draft.doc = doc_string(source, body)
    # The body begins after the comments that follow the colon, so the head is measured by its own parts.
    for field in ("return_type", "superclasses", "parameters", "name"):
        part = node.child_by_field_name(field)
        if part is not None:
            draft.head_end = part.end_byte
            break


def _bases(source: Source, draft: Draft) -> None:
    arguments = draft.node.child_by_field_name("superclasses")
    if arguments is None:
        return
    bases = []
    for argument in arguments.named_children[:40]:
        node: Node | None = argument
        if argument.type in ("keyword_argument", "comment", "dictionary_splat", "list_splat"):
            continue
        if argument.type == "subscript":
            node = argument.child_by_field_name("value")
        name = chain(source, node, RULES) if node is not None else UNKNOWN
        if name != UNKNOWN:
            bases.append(name)
    draft.bases = tuple(bases)


def doc_string(source: Source, body: Node) -> str:
    """Return the docstring of a module's or definition's body, "" if it has none."""
    for index in range(min(body.named_child_count, 50)):
        statement = body.named_child(index)
        if statement.type == "comment":
            continue
        string = statement.named_child(0) if statement.type == "expression_statement" else None
        if string is not None and string.type == "concatenated_string":
            string = string.named_child(0)
        if string is None or string.type != "string":
            return ""
        return string_text(source.text(string))
    return ""


def string_text(text: str) -> str:
    """Return the text of a docstring, without its quotes and its margin."""
    match = _PREFIX.match(text)
    if match is None or "b" in match[0].lower() or "f" in match[0].lower():
        return ""
    return limited(inspect.cleandoc(text[match.end() :].removesuffix(match[1])))


def _settle(draft: Draft, around: Draft | None) -> None:
    if draft.kind == "class":
        bases = (base.rpartition(".")[2] for base in draft.bases)
        draft.test = draft.name.startswith("Test") or any(base.endswith("TestCase") for base in bases)
    elif draft.kind in ("function", "method") and around is None:
        draft.test = draft.name.startswith("test_")
    elif draft.kind in ("function", "method") and around is not None:
        draft.test = draft.name.startswith("test") and around.test and around.classlike


def _imports(source: Source, node: Node, kind: str, _captures: Captures) -> Iterator[Import]:
    line = node.start_point[0] + 1
    if kind == "import":
        for name in node.children_by_field_name("name"):
            module, alias = _aliased(source, name)
            yield Import(module, (), alias, 0, "import", line)
        return
    where = node.child_by_field_name("module_name")
    text = source.text(where) if where is not None else ""
    text = "".join(text.split())
    module = text.lstrip(".")
    names = tuple(
        (name, alias or name)
        for name, alias in (_aliased(source, n) for n in node.children_by_field_name("name"))
    )
    if any(child.type == "wildcard_import" for child in node.named_children):
        names = (*names, ("*", "*"))
    yield Import(module, names, "", len(text) - len(module), "from", line)


def _aliased(source: Source, node: Node) -> tuple[str, str]:
    if node.type != "aliased_import":
        return "".join(source.text(node).split()), ""
    return "".join(source.field(node, "name").split()), source.field(node, "alias")


_STRING = re.compile(r"""["']([^"'\s]+)["']""")
_COMMENT = re.compile(r"#.*")


def exports(text: str) -> Iterable[str]:
    """Return the names listed in the value of `__all__`."""
    return _STRING.findall(_COMMENT.sub("", text))


def _is_class(name: str) -> bool:
    return name.rpartition(".")[2].lstrip("_")[:1].isupper()


_MAX_TAKEN = 40  # parameters of one test
_NO_FIXTURES = frozenset(("self", "cls"))


def _taken(source: Source, draft: Draft) -> Iterator[Use]:
    """Yield the parameters without a default of a test or a fixture: each may name a fixture."""
    function = draft.node
    is_fixture = b"fixture" in source.data[draft.start : function.start_byte]
    if function.type != "function_definition" or not (draft.test or is_fixture):
        return
    parameters = function.child_by_field_name("parameters")
    for parameter in parameters.named_children[:_MAX_TAKEN] if parameters is not None else ():
        typed = parameter.type == "typed_parameter"
        name = parameter.named_child(0) if typed else parameter
        if name is not None and name.type == "identifier" and (text := source.text(name)) not in _NO_FIXTURES:
            yield Use(name.start_byte, text, "", "fixture", name.start_point[0] + 1)


RULES = Rules(
    members={"attribute": ("object", "attribute")},
    calls={"call": "function"},
    wrappers=frozenset(("parenthesized_expression", "await")),
    define=_define,
    imports=_imports,
    settle=_settle,
    returns="return_type",
    builtins=_BUILTIN_TYPES,
    class_call=_is_class,
    taken=_taken,
)


_SUFFIXES = (".py", ".pyi")
_STANDARD = frozenset(sys.stdlib_module_names)


def _entries(item: Import) -> Iterator[Entry]:
    if item.kind == "import":
        if item.alias:
            yield Entry(item.alias, item.module, "", item)
        elif item.module:
            top = item.module.split(".")[0]
            yield Entry(top, top, "", item)
        return
    for name, local in item.names:
        yield Entry(local, item.module, name, item)


def _at(places: Places, base: str) -> str:
    """Return the key of the module at a path without suffix, "" if there is none."""
    packages = [f"{base}/__init__{suffix}" for suffix in _SUFFIXES]
    modules = [base + suffix for suffix in _SUFFIXES]
    return next(filter(places.symbols.exists, [*packages, *modules] if base else ()), "")


def _is_package(places: Places, folder: str) -> bool:
    return bool(folder) and any(places.symbols.exists(f"{folder}/__init__{suffix}") for suffix in _SUFFIXES)


def _under(folder: str, rest: str) -> str:
    return f"{folder}/{rest}" if folder else rest


def _starts(places: Places, path: str, top: str) -> dict[str, bool]:
    """Return source folders to try for a file, in order, and whether only packages are found there."""
    folder = path.rpartition("/")[0]
    starts = {} if _is_package(places, folder) else {folder: False}
    roots = places.roots
    above = [
        root
        for root in {*roots.python, *roots.python_layout}
        if not root or folder == root or folder.startswith(root + "/")
    ]
    for root in sorted(above, key=lambda r: (-len(r), r)):
        starts.setdefault(root, False)
    if top not in _STANDARD:
        for root in roots.python:
            starts.setdefault(root, False)
        for root in roots.python_layout:
            starts.setdefault(root, True)
    return starts


def _absolute(places: Places, path: str, module: str) -> str:
    """Return the key of an absolute module as imported by a file.

    The first source folder with the top package decides, as on the interpreter's path; folders without
    __init__ (namespace packages) are joined, and yield to a package or module.
    """
    top, _, rest = module.partition(".")
    below = module.replace(".", "/")
    folders = []
    for start, packages_only in _starts(places, path, top).items():
        base = _under(start, top)
        found = _at(places, base)
        if found and packages_only and not found.startswith(base + "/"):
            continue
        if found:
            if not rest:
                return found
            return _at(places, _under(start, below)) or _namespace(places, _under(start, below))
        folders.append(_under(start, below))
    modules = (_at(places, folder) for folder in folders if rest)
    namespaces = (_namespace(places, folder) for folder in folders)
    return next(filter(None, modules), "") or next(filter(None, namespaces), "")


def _namespace(places: Places, folder: str) -> str:
    """Return the key of a folder with Python files as a package without __init__, "" for any other."""
    files = places.symbols.in_folder(folder)
    return package_key("python", folder) if any(path.endswith(_SUFFIXES) for path in files) else ""


def _named(places: Places, path: str, module: str, level: int) -> str:
    if not level:
        return _absolute(places, path, module) if module else ""
    folder = path.rpartition("/")[0]
    for _ in range(level - 1):
        if not folder:
            return ""
        folder = folder.rpartition("/")[0]
    base = _under(folder, module.replace(".", "/")) if module else folder
    return _at(places, base) or _namespace(places, base)


def _submodule(places: Places, key: str, name: str) -> str:
    if key.startswith(PACKAGE):
        folder = package_name(key)
    else:
        folder, _, file = key.rpartition("/")
        if not file.startswith("__init__."):
            return ""
    base = _under(folder, name)
    return _at(places, base) or _namespace(places, base)


def _edges(places: Places, path: str, item: Import) -> Iterator[str]:
    module = _named(places, path, item.module, item.level)
    if item.kind == "import":
        yield _file(module)
        return
    for name, _ in item.names if module else ():
        inner = _submodule(places, module, name) if name != "*" else ""
        yield _file(inner) or _file(module)


def _file(key: str) -> str:
    """Return the file of a module, "" for a namespace package."""
    return "" if key.startswith(PACKAGE) else key


FAMILY = Family(
    name="python",
    entries=_entries,
    module=lambda places, path, entry: _named(places, path, entry.module, entry.item.level),
    edges=_edges,
    submodule=_submodule,
    selfs=frozenset(("self", "cls", "mcs", "klass", "metacls")),
    supers=frozenset(("super()",)),
    last_wins=True,
    builtins=frozenset(dir(builtins)),
)
