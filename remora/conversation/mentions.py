"""Find the files and commands that a conversation names, in its text and in the arguments of tool calls."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any

from remora.core.edits import NEW, OLD
from remora.core.text import collapse, shorten

COMMAND_CHARACTERS = 100
_PATH_CHARACTERS = 120  # a longer run is data, not a name

# Letters of scripts that put spaces between words: "请看src/auth.py的" names src/auth.py.
_RUN = re.compile(r"[A-Za-z0-9\u00c0-\u024f\u0370-\u052f_.@~+/\\-]+")
_URL = re.compile(r"[A-Za-z][A-Za-z0-9+.-]{1,11}://\S+")
_EXTENSION = re.compile(r"[^./\\]\.([A-Za-z][A-Za-z0-9]{0,9})$")
_EXTENSIONS = frozenset(
    """bash bat bib c cc cfg cjs clj cmake conf cpp cs css csv cxx dart db diff dockerfile ejs env erl
    ex exs fish fs gemspec gif go gql gradle graphql groovy h hbs hcl hpp hs html ico ini ipynb java
    jpeg jpg js json json5 jsonl jsx kt kts less lock log lua m md mdx mjs ml mm patch pdf php pl
    plist png po prisma properties proto ps1 pug py pyi pyx r rb rs rst sass scala scss sh sol sql
    sqlite svelte svg swift tex tf toml ts tsv tsx txt vb vim vue wasm webp xml yaml yml zig zsh""".split()
)
_ATTRIBUTES = frozenset("db diff env log m r".split())  # as often an attribute: console.log, a.m.
_LIBRARIES = frozenset("node.js vue.js next.js nuxt.js react.js express.js three.js d3.js".split())
_NAMED = frozenset(
    """Dockerfile Makefile Jenkinsfile Rakefile Gemfile Procfile Justfile justfile .env .gitignore
    .dockerignore .editorconfig .gitattributes .npmrc .bashrc .zshrc .flake8 .prettierrc .eslintrc
    .cursorrules""".split()
)
_BARE_NAMES = tuple(name for name in _NAMED if "." not in name)
_PROGRAMS = """
    npm pnpm yarn bun npx pip pip3 pipx uv uvx poetry pytest tox nox make just cargo mvn gradle go docker
    docker-compose podman kubectl helm git gh ruff mypy eslint prettier tsc jest vitest playwright rails
    bundle rake composer php dotnet swift flutter dart mix bazel cmake ninja terraform ansible python python3
    node deno ruby bash sh curl psql sqlite3 redis-cli aws gcloud systemctl apt brew conda pre-commit hatch
""".split()
_COMMAND = re.compile(rf"(?:sudo |[A-Z_]+=\S+ )*(?:\./\S+|(?:{'|'.join(_PROGRAMS)}))(?: .*)?")
_CODE = re.compile(r"`([^`\n]{2,200})`|^[ \t]*\$ (.{2,200})$", re.MULTILINE)
_COMMAND_KEYS = frozenset({"command", "cmd"})
_TEXT_KEYS = frozenset((*OLD, *NEW, "patch", "diff"))  # of arguments that hold a file's text, not its name


def files_in(text: str) -> list[str]:
    """Return the files named in a text, each once, in order.

    >>> files_in("See src/auth.py (and https://x.org/a.html), version 1.2, Node.js; 请看lib/b.go。")
    ['src/auth.py', 'lib/b.go']
    """
    found: dict[str, None] = {}
    bare_names = any(name in text for name in _BARE_NAMES)
    for run in _RUN.findall(_URL.sub(" ", text) if "://" in text else text):
        if not bare_names and "." not in run:
            continue
        name = run.rstrip("./\\-+~").lstrip("-+@")
        if len(name) <= _PATH_CHARACTERS and _is_file(name):
            found[name] = None
    return list(found)


def _is_file(name: str) -> bool:
    base = name.replace("\\", "/").rpartition("/")[2]
    if base in _NAMED:
        return True
    match = _EXTENSION.search(name)
    if match is None or "@" in name or name.lower() in _LIBRARIES:
        return False
    extension = match[1].lower()
    return extension in _EXTENSIONS and (extension not in _ATTRIBUTES or base != name)


def commands_in(text: str) -> list[str]:
    r"""Return the commands in a text, as code or after a prompt, each once, in order.

    >>> commands_in("Run `uv run pytest -q` in `src`.\n$ make check")
    ['uv run pytest -q', 'make check']
    """
    if "`" not in text and "$ " not in text:
        return []
    shown = (collapse(match[1] or match[2]) for match in _CODE.finditer(text))
    return list(dict.fromkeys(shorten(c, COMMAND_CHARACTERS) for c in shown if _COMMAND.fullmatch(c)))


def in_arguments(arguments: Any) -> tuple[list[str], list[str]]:
    r"""Return the files and the commands named in the arguments of a tool call.

    >>> in_arguments({"file_path": "a/b.py", "command": "git diff c.py\necho", "content": "d.py"})
    (['a/b.py', 'c.py'], ['git diff c.py'])
    """
    if isinstance(arguments, str):
        try:
            arguments = json.loads(arguments)
        except (ValueError, RecursionError):
            return files_in(arguments[:1000]), []
    files: dict[str, None] = {}
    commands: dict[str, None] = {}
    for key, value in _strings("", arguments):
        if key in _TEXT_KEYS:
            continue
        if key in _COMMAND_KEYS and value.strip():
            commands[shorten(value.strip().split("\n")[0], COMMAND_CHARACTERS)] = None
        files.update(dict.fromkeys(files_in(value[:1000])))
    return list(files), list(commands)


def _strings(key: str, value: Any) -> Iterator[tuple[str, str]]:
    if isinstance(value, str):
        yield key, value
    elif isinstance(value, Mapping):
        for name, inner in value.items():
            yield from _strings(str(name), inner)
    elif isinstance(value, list | tuple):
        for inner in value:
            yield from _strings(key, inner)
