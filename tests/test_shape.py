"""The shape of the code: what every module opens with, and that importing has no effect."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from collections import defaultdict
from collections.abc import Iterator, Sequence
from fnmatch import fnmatch
from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
MODULES = sorted((ROOT / "remora").rglob("*.py"))


@cache
def tree_of(path: Path) -> ast.Module:
    """Return the syntax tree of a file; all tests of this module share it."""
    return ast.parse(path.read_text("utf-8"))


@cache
def nodes_of(path: Path) -> list[ast.AST]:
    """Return every node of a file."""
    return list(ast.walk(tree_of(path)))


def opening(tree: ast.Module) -> str:
    """Return the first paragraph of a module's docstring."""
    return (ast.get_docstring(tree) or "").split("\n\n")[0].rstrip()


def test_a_module_opens_with_a_sentence() -> None:
    """A module's docstring begins with what it does, in words that end like a sentence."""
    openings = {str(path.relative_to(ROOT)): opening(tree_of(path)) for path in MODULES}
    assert {name: text for name, text in openings.items() if not text.endswith((".", ":"))} == {}


def test_a_module_without_a_sentence_is_found() -> None:
    """A docstring that ends without a full stop does not pass, nor does none."""
    assert opening(ast.parse('"""Reads files."""')).endswith(".")
    assert not opening(ast.parse('"""Reads files\n\nAnd more."""')).endswith(".")
    assert opening(ast.parse("x = 1")) == ""


def test_tests_mirror_modules() -> None:
    """Every folder of tests is named for a package, or is one of the few that stand for themselves."""
    packages = {p.name for p in (ROOT / "remora").iterdir() if p.is_dir()}
    own = {"benchmarks", "scripts", "__pycache__"}
    folders = {p.name for p in (ROOT / "tests").iterdir() if p.is_dir()}
    assert folders - packages - own == set()


def test_importing_loads_nothing_heavy() -> None:
    """`import remora` and the command line's start load no numpy, model, HTTP client or table library."""
    heavy = ("numpy", "onnxruntime", "tokenizers", "httpx2", "pydantic", "rich", "markdown_it", "apsw")
    code = f"import sys, remora, remora.interfaces.cli; print([m for m in {heavy!r} if m in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=ROOT)
    assert done.stdout.strip() == "[]"


def test_no_group_is_matched_possessively() -> None:
    """Python before 3.11.5 matches `(…)++` wrongly; an atomic group `(?>(…)+)` says the same."""
    wrong = re.compile(r"\)(?:[*+?]|\{\{?\d+,?\d*\}?\})\+")
    assert [p.name for p in MODULES if wrong.search(p.read_text("utf-8"))] == []


def modules_of(root: Path) -> dict[str, Path]:
    """Return the modules of a package by name, each with its file."""
    paths = {".".join((root.name, *p.relative_to(root).with_suffix("").parts)): p for p in root.rglob("*.py")}
    return {name.removesuffix(".__init__"): path for name, path in paths.items()}


def imported_by(root: Path) -> dict[str, set[str]]:
    """Return which modules of a package each module imports, inside functions and for type checkers too."""
    paths = modules_of(root)

    def nearest(name: str) -> str:
        while name and name not in paths:
            name = name.rpartition(".")[0]
        return name

    found: dict[str, set[str]] = {}
    for module, path in paths.items():
        named: set[str] = set()
        waiting: list[ast.AST] = [tree_of(path)]
        while waiting:
            node = waiting.pop()
            if isinstance(node, ast.ImportFrom) and node.module and not node.level:
                named |= {nearest(f"{node.module}.{alias.name}") for alias in node.names}
            elif isinstance(node, ast.Import):
                named |= {nearest(alias.name) for alias in node.names}
            waiting += ast.iter_child_nodes(node)
        found[module] = named - {module, ""}
    return found


def circles(imports: dict[str, set[str]]) -> list[set[str]]:
    """Return the modules that import each other, however long the way."""
    reached: dict[str, set[str]] = {}
    for module in imports:
        seen: set[str] = set()
        waiting = [module]
        while waiting:
            for other in imports[waiting.pop()] - seen:
                seen.add(other)
                waiting.append(other)
        reached[module] = seen
    found = [
        {module, *(other for other in reached[module] if module in reached[other])}
        for module in imports
        if module in reached[module]
    ]
    return [circle for number, circle in enumerate(found) if circle not in found[:number]]


def test_no_modules_import_each_other() -> None:
    """The imports of the package have no circle, those inside functions and for type checkers counted."""
    assert circles(imported_by(ROOT / "remora")) == []


def test_a_circle_is_found(tmp_path: Path) -> None:
    """Modules that import each other, in a function or for a type checker, are a circle."""
    package = tmp_path / "house"
    package.mkdir()
    (package / "one.py").write_text("from house.two import b\n")
    (package / "two.py").write_text("def b():\n    from house import one\n")
    (package / "three.py").write_text("if TYPE_CHECKING:\n    from house import four\n")
    (package / "four.py").write_text("import house.three\nimport house.two\n")
    pairs = [{"house.one", "house.two"}, {"house.three", "house.four"}]
    assert sorted(circles(imported_by(package)), key=sorted) == sorted(pairs, key=sorted)


SQL = re.compile(
    r"\bSELECT\b.+\bFROM\b|\bINSERT (?:OR \w+ )?INTO\b|\bDELETE FROM\b|\bUPDATE \w+ SET\b"
    r"|\bjson_(?:extract|each)\(|\bCREATE (?:TABLE|INDEX|VIRTUAL)\b|\b\w+ IS (?:NOT )?NULL\b",
    re.DOTALL,
)


def sql_in(nodes: Sequence[ast.AST]) -> list[str]:
    """Return the texts of a module that are SQL, docstrings left out."""
    docs = {id(node.value) for node in nodes if isinstance(node, ast.Expr)}
    found = (n.value for n in nodes if isinstance(n, ast.Constant) and id(n) not in docs)
    return [text for text in found if isinstance(text, str) and SQL.search(text)]


def test_sql_lives_in_the_store() -> None:
    """No module outside of `remora/store` writes SQL, but for servers that carry a shared log."""
    at_home = ("store", "carriers")
    outside = [path for path in MODULES if path.parent.name not in at_home and "schema" not in path.parts]
    assert {str(p.relative_to(ROOT)): found for p in outside if (found := sql_in(nodes_of(p)))} == {}


def test_sql_is_found() -> None:
    """A query and a condition are found, a sentence with such words is not."""

    def found(source: str) -> list[str]:
        return sql_in(list(ast.walk(ast.parse(source))))

    assert found("x = 'SELECT id FROM memories'\ny = 'm.deprecated = 1 AND m.branch IS NULL'\n") != []
    assert found("def f():\n    'SELECT a FROM b'\n    return 'select a file from the list'\n") == []


# Names that nothing in `remora` uses, and why they stay; "*" stands for any module or member.
UNUSED_WITH_REASON = {
    "remora.app.aio:Async*.*": "what `Memory`, a session and a loop offer, for programs",
    "remora.conversation.memory:MessageMemory.*": "a conversation's buffer, for programs",
    "remora.app.learning.live_observation:Watched.*": "what a program tells of its units of work",
    "remora.sources.transcripts.plain:dump": "a transcript for programs that keep none of their own",
    "remora.core.methodology:*Methodology.*": "what a plugin brings with it, as its specification names it",
    "remora.app.learning.learn:LearnReport.*": "values that are printed as JSON",
    "remora.store.trials:Unit.*": "columns of a row",
    "remora.core.values:Memory*.*": "values that are stored, and printed as JSON",
    "remora.core.values:Receipt.*": "values that are printed as JSON",
    "remora.graph.modules:ModuleInfo.*": "values that are printed as JSON",
    "remora.retrieval.pipeline:PARTS": "what `Request.without` understands, for ablations",
    "remora.interfaces.adapters.*": "called by the frameworks, or by programs that use them",
    "remora.interfaces.cli:Verbs.*": "called by click",
    "remora.interfaces.commands.cli_context:_Ordered.*": "read by click",
    "remora.interfaces.commands.cli_context:*_class": "read by click",
    "remora.interfaces.commands.cli_context:Formatter.*": "called by click",
    "remora.interfaces.hooks.hosts:_ALL": "has each host's module checked against the protocol",
    "remora.interfaces.mcp_server.server:Server.*": "called by the MCP library",
    "remora.interfaces.mcp_server.tools:Tools.*": "called by the name of a tool",
}
REGISTERING = {"command", "group", "register"}  # decorators that keep the function they are given


def defined_in(body: Sequence[ast.stmt], prefix: str = "") -> Iterator[tuple[str, ast.stmt]]:
    """Yield the names that a module or a class binds, those of its classes as "Class.name"."""
    for node in body:
        match node:
            case ast.If() | ast.Try():
                handled = [one for handler in getattr(node, "handlers", ()) for one in handler.body]
                yield from defined_in([*node.body, *node.orelse, *handled], prefix)
            case ast.FunctionDef() | ast.AsyncFunctionDef() | ast.ClassDef():
                yield prefix + node.name, node
                if isinstance(node, ast.ClassDef):
                    yield from defined_in(node.body, f"{node.name}.")
            case ast.Assign() | ast.AnnAssign():
                targets = node.targets if isinstance(node, ast.Assign) else [node.target]
                names = [name for target in targets for name in ast.walk(target)]
                yield from ((prefix + name.id, node) for name in names if isinstance(name, ast.Name))


def unused_in(root: Path) -> list[str]:
    """Return "module:name" of what a package defines and nothing else of it uses.

    A name of a module is used where it is loaded there, imported from there, or read from the module as
    an attribute. A member of a class is used by any attribute of that name, whatever object it is of, and so
    is what a module has for a protocol.
    """
    paths = modules_of(root)
    uses: dict[tuple[str, str], set[tuple[str, int]]] = defaultdict(set)  # module and line of each use
    promised: set[str] = set()
    for module, path in paths.items():
        nodes = nodes_of(path)
        imported: dict[str, str] = {}
        for node in nodes:
            if isinstance(node, ast.Import):
                imported |= {alias.asname or alias.name: alias.name for alias in node.names}
            elif isinstance(node, ast.ImportFrom) and node.module:
                for alias in node.names:
                    imported[alias.asname or alias.name] = f"{node.module}.{alias.name}"
                    uses[node.module, alias.name].add((module, node.lineno))
        modules = {name: full for name, full in imported.items() if full in paths or name == full}
        for node in nodes:
            if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load):
                uses[module, node.id].add((module, node.lineno))
            elif isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Load):
                of = node.value.id if isinstance(node.value, ast.Name) else ""
                uses[modules.get(of, ""), node.attr].add((module, node.lineno))
            elif isinstance(node, ast.ClassDef) and any("Protocol" in ast.unparse(b) for b in node.bases):
                promised |= {name for name, _ in defined_in(node.body)}
    for template in root.rglob("*.html"):
        for name in re.findall(r"\.(\w+)", template.read_text("utf-8")):
            uses["", name].add((template.name, 0))
    found = []
    for module, path in paths.items():
        definitions: dict[str, list[ast.stmt]] = defaultdict(list)
        for name, statement in defined_in(tree_of(path).body):
            definitions[name].append(statement)
        for name, statements in definitions.items():
            short = name.rpartition(".")[2]
            decorators = [d for s in statements for d in getattr(s, "decorator_list", ())]
            names = {ast.unparse(d).partition("(")[0].rpartition(".")[2] for d in decorators}
            own = {(module, n) for s in statements for n in range(s.lineno, (s.end_lineno or s.lineno) + 1)}
            member = name != short or short in promised
            used = not uses[module, short] <= own or (member and not uses["", short] <= own)
            if not (used or names & REGISTERING or short.startswith("__")):
                found.append(f"{module}:{name}")
    return sorted(found)


def test_everything_is_used() -> None:
    """What `remora` defines it uses: there is no code that only tests call, but for what has a reason."""
    unused = unused_in(ROOT / "remora")
    assert [n for n in unused if not any(fnmatch(n, known) for known in UNUSED_WITH_REASON)] == []
    assert [known for known in UNUSED_WITH_REASON if not any(fnmatch(n, known) for n in unused)] == []


def test_what_is_unused_is_found(tmp_path: Path) -> None:
    """Functions, members and constants that nobody but themselves uses are found; what is used is not."""
    package = tmp_path / "house"
    package.mkdir()
    (package / "one.py").write_text(
        "from house import two\n"
        "LEFT, USED = 1, 2\n"
        "def again(n):\n    return again(n - 1)\n"
        "class Plain:\n    field: int = USED\n    left: int = 0\n    def walk(self): return self.field\n"
        "print(Plain(two.shown()).walk())\n"
    )
    (package / "two.py").write_text(
        "import json\ndef shown(): return json.load()\ndef load(): ...\n@cli.command()\ndef verb(): ...\n"
    )
    assert unused_in(package) == [
        "house.one:LEFT",
        "house.one:Plain.left",
        "house.one:again",
        "house.two:load",
    ]
