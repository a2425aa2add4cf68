"""The supported languages: file detection, grammars and queries.

One row per language. A row with queries can be parsed (`graph.extract`); prose, data and code without a
grammar are only split into chunks. Grammars and queries are loaded at first use and kept.

`.h` is C or C++. The start of the file decides: a class, a namespace, a template, an access label, `std::` or
a standard header without `.h` makes it C++; everything else is C. (`extern "C"` does not count: it occurs in
C headers, for C++ compilers.)
"""

from __future__ import annotations

import re
import threading
from importlib import resources
from typing import TYPE_CHECKING, Literal, NamedTuple

from remora.core.errors import InvalidInput

if TYPE_CHECKING:
    import tree_sitter

Kind = Literal["code", "prose", "data"]


class Language(NamedTuple):
    """One language.

    Attributes:
        name: "python".
        kind: "code", "prose" or "data".
        extensions: lower-case, with the dot; a longer one wins (".d.ts" before ".ts").
        names: file names that identify the language without an extension.
        shebangs: programs in a first line `#!/usr/bin/env python3`, without version numbers.
        queries: files of `queries/`, read one after the other; empty if it cannot be parsed.
    """

    name: str
    kind: Kind
    extensions: tuple[str, ...]
    names: tuple[str, ...] = ()
    shebangs: tuple[str, ...] = ()
    queries: tuple[str, ...] = ()


class Role(NamedTuple):
    """The role of a query pattern: "reference" and "call" for `@reference.call`."""

    name: str
    kind: str


class Grammar(NamedTuple):
    """A language ready to parse; shared between threads, never changed.

    Attributes:
        language: the parser's tables.
        query: all patterns of the language.
        roles: the role of each pattern, by its index.
        mistakes: finds the places that the parser could not read.
    """

    language: tree_sitter.Language
    query: tree_sitter.Query
    roles: tuple[Role, ...]
    mistakes: tree_sitter.Query


def _tables(language: str) -> object:
    """Return the parser's tables of a language; its package is loaded at first use."""
    match language:
        case "python":
            import tree_sitter_python

            return tree_sitter_python.language()
        case "javascript":
            import tree_sitter_javascript

            return tree_sitter_javascript.language()
        case "typescript" | "tsx":
            import tree_sitter_typescript as types

            return types.language_tsx() if language == "tsx" else types.language_typescript()
        case "rust":
            import tree_sitter_rust

            return tree_sitter_rust.language()
        case "go":
            import tree_sitter_go

            return tree_sitter_go.language()
        case "java":
            import tree_sitter_java

            return tree_sitter_java.language()
        case "c":
            import tree_sitter_c

            return tree_sitter_c.language()
        case "cpp":
            import tree_sitter_cpp

            return tree_sitter_cpp.language()
        case "csharp":
            import tree_sitter_c_sharp

            return tree_sitter_c_sharp.language()
        case "ruby":
            import tree_sitter_ruby

            return tree_sitter_ruby.language()
        case "php":
            import tree_sitter_php

            return tree_sitter_php.language_php()
    raise AssertionError(f"{language} has queries and no parser")


_RUBY_FILES = ("Rakefile", "Gemfile", "Guardfile", "Capfile", "Vagrantfile", "Podfile", "Brewfile")

PARSED: tuple[Language, ...] = (
    Language(
        "python",
        "code",
        (".py", ".pyi", ".pyw"),
        ("SConstruct", "SConscript", "wscript"),
        ("python", "pypy"),
        ("python",),
    ),
    Language(
        "javascript",
        "code",
        (".js", ".mjs", ".cjs", ".jsx"),
        ("Jakefile",),
        ("node", "nodejs", "bun"),
        ("javascript", "ecmascript", "jsx"),
    ),
    Language(
        "typescript",
        "code",
        (".ts", ".mts", ".cts"),
        (),
        ("deno", "ts-node", "tsx"),
        ("javascript", "typescript"),
    ),
    Language("tsx", "code", (".tsx",), (), (), ("javascript", "typescript", "jsx")),
    Language("rust", "code", (".rs",), (), ("rust-script",), ("rust",)),
    Language("go", "code", (".go",), (), (), ("go",)),
    Language("java", "code", (".java",), (), (), ("java",)),
    Language("c", "code", (".c", ".h"), (), (), ("c",)),
    Language(
        "cpp",
        "code",
        (".cpp", ".cc", ".cxx", ".c++", ".hpp", ".hh", ".hxx", ".h++", ".ipp", ".tpp", ".inl", ".cu", ".cuh"),
        (),
        (),
        ("c", "cpp"),
    ),
    Language("csharp", "code", (".cs", ".csx"), (), ("dotnet-script",), ("csharp",)),
    Language(
        "ruby",
        "code",
        (".rb", ".rake", ".gemspec", ".ru", ".podspec"),
        _RUBY_FILES,
        ("ruby", "jruby"),
        ("ruby",),
    ),
    Language("php", "code", (".php", ".phtml", ".php5", ".inc"), (), ("php",), ("php",)),
)

UNPARSED: tuple[Language, ...] = (
    Language(
        "shell",
        "code",
        (".sh", ".bash", ".zsh", ".ksh", ".fish"),
        (),
        ("sh", "bash", "zsh", "dash", "ksh", "fish"),
    ),
    Language("make", "code", (".mk", ".mak"), ("Makefile", "makefile", "GNUmakefile"), ()),
    Language("docker", "code", (".dockerfile",), ("Dockerfile", "Containerfile"), ()),
    Language("cmake", "code", (".cmake",), ("CMakeLists.txt",), ()),
    Language("kotlin", "code", (".kt", ".kts")),
    Language("swift", "code", (".swift",)),
    Language("scala", "code", (".scala", ".sc")),
    Language("groovy", "code", (".groovy", ".gradle"), ("Jenkinsfile",)),
    Language("dart", "code", (".dart",)),
    Language("zig", "code", (".zig",)),
    Language("objective-c", "code", (".m", ".mm")),
    Language("lua", "code", (".lua",), (), ("lua",)),
    Language("perl", "code", (".pl", ".pm"), (), ("perl",)),
    Language("r", "code", (".r",), (), ("Rscript",)),
    Language("julia", "code", (".jl",), (), ("julia",)),
    Language("elixir", "code", (".ex", ".exs"), (), ("elixir",)),
    Language("erlang", "code", (".erl", ".hrl"), (), ("escript",)),
    Language("haskell", "code", (".hs",), (), ("runghc",)),
    Language("ocaml", "code", (".ml", ".mli")),
    Language("fsharp", "code", (".fs", ".fsi", ".fsx")),
    Language("clojure", "code", (".clj", ".cljs", ".cljc", ".edn")),
    Language("powershell", "code", (".ps1", ".psm1"), (), ("pwsh",)),
    Language("cython", "code", (".pyx", ".pxd", ".pxi")),
    Language("fortran", "code", (".f", ".f90", ".f95", ".for")),
    Language("vue", "code", (".vue",)),
    Language("svelte", "code", (".svelte",)),
    Language("astro", "code", (".astro",)),
    Language("protobuf", "code", (".proto",)),
    Language("graphql", "code", (".graphql", ".gql")),
    Language("markdown", "prose", (".md", ".markdown", ".mdx", ".mdc")),
    Language("rst", "prose", (".rst",)),
    Language(
        "text",
        "prose",
        (".txt", ".text"),
        ("README", "LICENSE", "LICENCE", "NOTICE", "COPYING", "AUTHORS", "CHANGELOG", "CHANGES", "NEWS"),
    ),
    Language("asciidoc", "prose", (".adoc", ".asciidoc")),
    Language("org", "prose", (".org",)),
    Language("tex", "prose", (".tex",)),
    Language("json", "data", (".json", ".jsonc", ".json5", ".ipynb"), (".babelrc", ".eslintrc")),
    Language("yaml", "data", (".yaml", ".yml"), (".clang-format",)),
    Language("toml", "data", (".toml",), ("Cargo.lock", "Pipfile")),
    Language(
        "ini",
        "data",
        (".ini", ".cfg", ".conf", ".properties", ".editorconfig"),
        (".editorconfig", ".gitconfig", ".npmrc"),
    ),
    Language("gomod", "data", (".mod",), ("go.mod", "go.work")),
    Language("ignore", "data", (), (".gitignore", ".dockerignore")),
    Language("xml", "data", (".xml", ".xsd", ".xsl", ".csproj", ".plist")),
    Language("sql", "data", (".sql",)),
    Language("html", "data", (".html", ".htm", ".xhtml")),
    Language("css", "data", (".css", ".scss", ".sass", ".less")),
    Language("csv", "data", (".csv", ".tsv")),
    Language("terraform", "data", (".tf", ".tfvars", ".hcl")),
    Language("nix", "data", (".nix",)),
)

LANGUAGES: dict[str, Language] = {row.name: row for row in PARSED + UNPARSED}

_BY_NAME = {name: row.name for row in LANGUAGES.values() for name in row.names}
_BY_EXTENSION = {extension: row.name for row in LANGUAGES.values() for extension in row.extensions}
_BY_PROGRAM = {program: row.name for row in LANGUAGES.values() for program in row.shebangs}

# `#!/usr/bin/env -S python3.12 -u`: the first word that is no option and no assignment.
_SHEBANG = re.compile(
    rb"#![ \t]*(?:[^ \t\r\n]*/)?(?:env[ \t]+(?:-\S+[ \t]+|\w+=\S*[ \t]+)*)?(?:[^ \t\r\n]*/)?([\w.+-]+)"
)
_CPP_SIGNS = re.compile(
    rb"^[ \t]*(?:class[ \t]+\w|namespace\b|template[ \t]*<|using[ \t]+\w|(?:public|private|protected)[ \t]*:"
    rb"|#[ \t]*include[ \t]*<\w+>)|\bstd::|\bconstexpr\b|\bnoexcept\b",
    re.MULTILINE,
)

_ERROR_QUERY = "(ERROR) @error (MISSING) @error"
_ROLE = re.compile(
    r"@(definition|reference|import|export|binding|extent|prefix|comment|container|package)(?:\.(\w+))?"
)

_grammars: dict[str, Grammar] = {}
_lock = threading.Lock()


def language_of(path: str, head: bytes = b"") -> str | None:
    """Return the name of a file's language, None if unknown.

    Args:
        path: the file's path; only its last part counts.
        head: the file's first bytes (some kilobytes): they tell C from C++ for a `.h`, and carry the
            first line of a script without an extension.

    >>> language_of("a/b.py"), language_of("Rakefile"), language_of("x.png")
    ('python', 'ruby', None)
    >>> language_of("run", b"#!/usr/bin/env python3"), language_of("a.h", b"class A {};")
    ('python', 'cpp')
    """
    name = path.rsplit("/", 1)[-1]
    if name in _BY_NAME:
        return _BY_NAME[name]
    stem, dot, extension = name.rpartition(".")
    found = _BY_EXTENSION.get(f".{extension.lower()}") if dot and stem else None
    if found == "c" and extension != "c":  # `.h`, and `.C` and `.H` as some write C++
        return "cpp" if extension == "C" or _CPP_SIGNS.search(head) else "c"
    if found is None and (not dot or not stem):
        return _of_shebang(head)
    return found


def _of_shebang(head: bytes) -> str | None:
    match = _SHEBANG.match(head[:256])
    if match is None:
        return None
    program = match[1].decode("ascii", "replace")
    return _BY_PROGRAM.get(program) or _BY_PROGRAM.get(program.rstrip("0123456789."))


def kind_of(path: str) -> Kind | None:
    """Return whether a file is code, prose or data by its name; None if unknown or binary.

    >>> kind_of("a.go"), kind_of("README.md"), kind_of("package.json"), kind_of("logo.png")
    ('code', 'prose', 'data', None)
    """
    name = language_of(path)
    return LANGUAGES[name].kind if name else None


def grammar_of(name: str) -> Grammar | None:
    """Return a language ready to parse, None if it has no grammar. Loaded once, from any thread.

    Raises:
        InvalidInput: no language has this name.
    """
    found = _grammars.get(name)
    if found is not None:
        return found
    row = LANGUAGES.get(name)
    if row is None:
        raise InvalidInput(f"unknown language {name!r}", hint="See graph.grammars.LANGUAGES.")
    if not row.queries:
        return None
    with _lock:
        if name not in _grammars:
            _grammars[name] = _load(row)
        return _grammars[name]


def query_source(row: Language) -> str:
    """Return the text of a language's queries."""
    folder = resources.files("remora.graph") / "queries"
    return "\n".join((folder / f"{name}.scm").read_text(encoding="utf-8") for name in row.queries)


def _load(row: Language) -> Grammar:
    import tree_sitter

    language = tree_sitter.Language(_tables(row.name))
    source = query_source(row)
    query = tree_sitter.Query(language, source)
    return Grammar(language, query, _roles(query, source), tree_sitter.Query(language, _ERROR_QUERY))


def _roles(query: tree_sitter.Query, source: str) -> tuple[Role, ...]:
    """Return the role of each pattern: its one capture with the name of a role."""
    data = source.encode()
    roles = []
    for index in range(query.pattern_count):
        text = data[query.start_byte_for_pattern(index) : query.end_byte_for_pattern(index)].decode()
        text = re.sub(r"^[ \t]*;.*$", "", text, flags=re.MULTILINE)
        found = {Role(match[1], match[2] or "") for match in _ROLE.finditer(text)}
        if len(found) != 1:
            raise InvalidInput(f"a pattern has {len(found)} roles, not one: {text.strip()[:200]}")
        roles.append(found.pop())
    return tuple(roles)
