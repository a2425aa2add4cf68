"""What people read: each page in French once, what stays English, and the verbs that hints name."""

from __future__ import annotations

import ast
import inspect
import json
import re
import shlex
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from string import Formatter

import click
import pytest

from remora.core import errors as faults
from remora.core.errors import NotFound
from remora.interfaces import words
from remora.interfaces.cli import cli, load
from remora.interfaces.mcp_server.server import _in_words
from remora.interfaces.verbs import VERBS
from tests.helpers import Repo
from tests.interfaces.conftest import Run
from tests.tables import table

SENTENCES = json.loads(Path(words.__file__).with_name("sentences.fr.json").read_text("utf-8"))
OF_OTHERS = {text for (text,) in table(__file__, "of_others")}  # of click and of the system, and units
THIN = "\u202f"  # before a colon
RULES = "# Rules\n\n- Run the tests with pytest -q\n- Never push on Friday\n"
# Lines that change something, each in a project of its own, and those that only show; of the latter the last
# need the code to be indexed. ID stands for the id of the memory that is there.
PAGES = table(__file__, "french")
PACKAGE = Path(words.__file__).parents[2]
COMMAND = re.compile(r"`(remora [a-z][^`]*)`")
# What models and programs read, never people.
NOT_FOR_PEOPLE = ("conversation/", "core/payloads.py", "interfaces/adapters/", "interfaces/mcp_server/")
OF_A_TYPE = re.compile(r"must be|, not (of )?\{\}$")  # click and the panel check the values of people


@cache
def trees() -> dict[Path, ast.Module]:
    """Return the syntax tree of every module of the package."""
    return {path: ast.parse(path.read_text("utf-8")) for path in PACKAGE.rglob("*.py")}


@cache
def constants() -> dict[str, str]:
    """Return the texts that modules give a name."""
    return {
        target.id: node.value.value
        for tree in trees().values()
        for node in tree.body
        if isinstance(node, ast.Assign) and isinstance(node.value, ast.Constant)
        for target in node.targets
        if isinstance(target, ast.Name) and isinstance(node.value.value, str)
    }


@cache
def texts() -> set[str]:
    """Return every text that stands in the code of the package."""
    return {text for tree in trees().values() for text in spelled(tree)}


@pytest.fixture
def french(monkeypatch: pytest.MonkeyPatch, environ: dict[str, str]) -> None:
    """A person who reads French."""
    monkeypatch.setenv("REMORA_LANG", "fr")


@pytest.fixture
def shop(run: Run, project: Path, french: None) -> str:
    """A project with a rule file, a commit and a memory, whose short id is returned."""
    (project / "AGENTS.md").write_text(RULES)
    (project / "tokens.py").write_text("def life():\n    return 24\n")
    Repo(project).init().commit("fix: tokens live 24 hours")
    text = "Access tokens expire after 24 h"
    stored = run("--json", "remember", text, "--type", "decision", "--file", "tokens.py")
    return str(json.loads(stored.stdout)["id"][:8])


@pytest.mark.parametrize(("words", "told"), [row[1:] for row in PAGES if row[0] == "changes"])
def test_a_change_in_french(run: Run, shop: str, words: str, told: str) -> None:
    """What a person reads after a change is French, whichever verb it comes from."""
    assert told.replace("ID", shop) in run(*words.replace("ID", shop).split()).output


def test_pages_in_french(run: Run, shop: str) -> None:
    """What a person reads is French, whichever verb it comes from."""
    english = {}
    for line, told in (row[1:] for row in PAGES if row[0] == "shows"):
        if line.startswith("impact"):
            run("index")
        shown = run(*line.replace("ID", shop).split()).output
        if told.replace("ID", shop) not in shown:
            english[line] = (told, shown)
    assert english == {}


def test_what_programs_and_agents_read_stays_english(
    run: Run, shop: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Documents and errors as JSON, the block of `context` and the brief hold no French."""
    assert "souvenir" not in run("context", "tokens").stdout
    assert "Memories:" in run("status").stdout
    lines = [f"--json {line}" for line in ("list", "show zzzz", f"why {shop}", f"erase {shop}")]
    french = [run(*line.split()).stdout for line in lines]
    monkeypatch.setenv("REMORA_LANG", "en")
    assert [run(*line.split()).stdout for line in lines] == french


def explained(command: click.Command) -> Iterator[str]:
    """Yield the paragraphs of a verb's help and those of its options, white space collapsed."""
    texts = [command.help or "", *(getattr(one, "help", None) or "" for one in command.params)]
    for part in "\n\n".join(map(inspect.cleandoc, texts)).split("\n\n"):
        if part.strip():
            yield " ".join(part.split())
    for one in command.commands.values() if isinstance(command, click.Group) and command is not cli else ():
        yield from explained(one)


def spelled(node: ast.AST) -> Iterator[str]:
    """Yield the texts that stand in code, those with values as templates."""
    for one in ast.walk(node):
        if isinstance(one, ast.Constant) and isinstance(one.value, str):
            yield one.value
        elif isinstance(one, ast.JoinedStr):
            for known in ({}, constants()):
                yield "".join(_part(part, known) for part in one.values)


def _part(part: ast.expr, known: Mapping[str, str]) -> str:
    value = getattr(part, "value", part)
    return value if isinstance(value, str) else known.get(getattr(value, "id", ""), "{}")


def told_apart(text: str) -> bool:
    """Return whether a sentence can be known by its words, whatever its values."""
    return sum(map(str.isalpha, text.replace("{}", ""))) >= 4


def errors(tree: ast.Module) -> Iterator[str]:
    """Yield what the errors of a module say, and their hints; no values of the wrong type."""
    for call in ast.walk(tree):
        if isinstance(call, ast.Call):
            kind = getattr(faults, getattr(call.func, "id", ""), None)
            told = call.args[:1] if isinstance(kind, type) else []
            for one in told + [keyword.value for keyword in call.keywords if keyword.arg == "hint"]:
                for arm in (one.body, one.orelse) if isinstance(one, ast.IfExp) else (one,):
                    if isinstance(arm, ast.Constant | ast.JoinedStr):
                        text = next(spelled(arm))
                        if told_apart(text) and not (kind is faults.InvalidInput and OF_A_TYPE.search(text)):
                            yield text


def test_all_errors_have_their_french() -> None:
    """Every message and hint of an error that a person can read, the values aside."""
    told = {
        text
        for path, tree in trees().items()
        if not path.relative_to(PACKAGE).as_posix().startswith(NOT_FOR_PEOPLE)
        for text in errors(tree)
    }
    assert told - set(SENTENCES) == set()


def test_sentences_with_values_can_be_told_apart() -> None:
    """Each holds enough words to know it by, and the French has each value."""
    for english, french in SENTENCES.items():
        if number := english.count("{}"):
            assert told_apart(english), english
            values = {name for _, name, _, _ in Formatter().parse(french) if name is not None}
            assert values in ({""}, {str(n) for n in range(number)}), english
            told = words.Words("fr").of(english.replace("{}", "x"))
            assert told == french.format(*["x"] * number), english


def test_all_help_has_its_french() -> None:
    """Every paragraph of help, every option and every heading is known, and nothing else but what is said."""
    commands = [cli, *(found for one in VERBS if (found := load(one.name)) is not None)]
    helped = {text for command in commands for text in explained(command)}
    helped |= {text for one in VERBS for text in (one.help, one.section)} | OF_OTHERS
    assert helped - set(SENTENCES) == set()
    assert set(SENTENCES) - helped - texts() == set()


def test_help_in_french(run: Run, french: None) -> None:
    """Usage, headings, verbs, options, defaults and examples; names stay as they are."""
    overview = run("--help").stdout
    assert overview.startswith(f"Usage{THIN}: remora [OPTIONS] VERB ...")
    assert f"Se rappeler{THIN}:" in overview
    assert "search      Chercher dans les souvenirs" in overview
    told = " ".join(run("search", "--help").stdout.split())
    assert "--why Expliquer le rang de chaque résultat." in told
    assert "[défaut : 8; 1<=x<=1000]" in told
    assert 'Exemple : remora search "how long' in told
    assert "Commandes" in run("session", "--help").stdout


# Hints


def test_what_a_hint_tells_to_run_exists() -> None:
    """Each verb and each option that a text of the package names is one that the command line takes."""
    lines = {found for text in texts() for found in COMMAND.findall(text)}
    assert len(lines) > 60
    for line in sorted(lines):
        words = shlex.split(line)[1:]
        command: click.Command | None = cli
        context = click.Context(cli, info_name="remora")
        while isinstance(command, click.Group) and words and words[0][0] not in "-{":
            name, command, words = command.resolve_command(context, words)
            assert command is not None, line
            context = click.Context(command, context, info_name=name)
        if command is not None and words[:1] != ["{}"]:
            command.make_parser(context).parse_args(words)


def test_a_model_is_told_of_tools() -> None:
    """Over MCP a hint names the tool that does it, and what no tool does is for a person at a terminal."""
    listed = NotFound("there is no memory 'x'", hint="`remora list` shows the ids.")
    assert _in_words(listed) == "there is no memory 'x'. `search_memory` shows the ids."
    begun = NotFound("nothing is known of 'x'", hint="`remora init` reads the history and the code.")
    assert _in_words(begun).endswith("At a terminal: `remora init` reads the history and the code.")
    nearly = NotFound("no x", hint="Did you mean y? Give a path. `remora index` reads new files.")
    told = "no x. Did you mean y? Give a path. At a terminal: `remora index` reads new files."
    assert _in_words(nearly) == told
