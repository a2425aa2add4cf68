"""Every benchmark on a handful of made-up data, in seconds: shows that they run and that results are sane.

The data sets are generated in the formats of the real ones, so that reading them is tried too. Each
made-up fact stands in one place only and is asked for in nearly its own words, so a search that works
finds it. What is asserted is stated beside each step; a failed assertion ends the run with status 1.
"""

from __future__ import annotations

import ast
import gzip
import json
import random
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from benchmarks import (
    beam,
    cochange,
    concurrency,
    conversations,
    cosqa,
    crash,
    entries,
    hook,
    indexing,
    latency,
    locomo,
    resolution,
    smoke_poison,
    smoke_sessions,
    smoke_trees,
    wild,
)
from benchmarks.common import Check, Options, Report, Table, memory_in, say, workplace
from benchmarks.paths import OURS
from benchmarks.repository import build, consistent, stand_at
from benchmarks.scip_calls import call_sites
from remora.embeddings.onnx import OnnxEmbedder
from remora.graph.scip_index import DEFINITION, ScipDocument, ScipOccurrence
from remora.retrieval.pipeline import PARTS
from remora.sources.git import Commit, FileChange

_PEOPLE = ("Mira", "Tomas")
_THINGS = (
    ("the violin", "bought it at a flea market in Porto"),
    ("the greenhouse", "painted it dark green last weekend"),
    ("the marathon", "finished it in under four hours"),
    ("the recipe for plum cake", "got it from a neighbour called Ilse"),
    ("the old bicycle", "sold it to a student from Ghent"),
    ("the telescope", "saw the rings of Saturn with it"),
    ("the dentist", "has an appointment there on Thursday"),
    ("the allotment garden", "grows beans and pumpkins on it"),
    ("the sailing course", "passed the exam on the second try"),
    ("the broken boiler", "had it repaired by a plumber named Otto"),
    ("the choir", "sings the bass part in it"),
    ("the kitten", "named it Pepper because of its colour"),
)
_SMALL_TALK = ("How was your week?", "Not bad, thanks!", "It rained all day here.", "Talk to you soon.")
CONVERSATIONS = conversations.Sizes(log=300, history=60, repeats=10, memories=20, seconds=2)
_VERBS = ("parse", "merge", "sort", "count", "reverse", "hash", "split", "join", "trim", "rotate")
_NOUNS = ("csv rows", "json keys", "date strings", "byte blocks", "log lines", "file paths")


def locomo_data(folder: Path) -> None:
    """Write one dialogue of four sessions in which each fact is told once."""
    conversation: dict[str, Any] = {"speaker_a": _PEOPLE[0], "speaker_b": _PEOPLE[1]}
    questions: list[dict[str, Any]] = []
    for number in range(1, 5):
        conversation[f"session_{number}_date_time"] = f"10:0{number} am on {number} May, 2024"
        turns: list[dict[str, Any]] = []
        for thing, what in _THINGS[3 * (number - 1) : 3 * number]:
            speaker = _PEOPLE[len(turns) % 2]
            for text in (_SMALL_TALK[len(turns) % 4], f"Remember {thing}? I {what}."):
                turn = {"speaker": speaker, "dia_id": f"D{number}:{len(turns) + 1}", "text": text}
                turns.append(turn)
            questions.append(
                {
                    "question": f"What did {speaker} tell about {thing}?",
                    "evidence": [f"D{number}:0{len(turns)}"],
                    "category": 4 if number % 2 else 2,
                }
            )
        turns[0]["blip_caption"] = "a photo of a rainy street"
        conversation[f"session_{number}"] = turns
    both = [f"{questions[0]['evidence'][0]}; {questions[1]['evidence'][0]}"]
    asked = f"What was said about {_THINGS[0][0]} and {_THINGS[1][0]}?"
    questions.append({"question": asked, "evidence": both, "category": 1})
    questions.append({"question": "What was never said?", "evidence": [], "category": 5})
    dialogue = {"sample_id": "made-up", "conversation": conversation, "qa": questions}
    (folder / "made_up.json").write_text(json.dumps([dialogue]))


def beam_data(folder: Path) -> None:
    """Write one chat with marks at the end of its messages."""
    messages: list[dict[str, Any]] = []
    questions: list[dict[str, Any]] = [
        {"category": "abstention", "evidence_ids": [], "question": "What was never said?"}
    ]
    for place, (thing, what) in enumerate(_THINGS):
        said = f"About {thing}: I {what}. ->-> 1,{place}"
        messages.append({"id": 2 * place, "role": "user", "time": "May-01-2024", "content": said})
        reply = f"That sounds good. Shall I keep a note on it for you? {_SMALL_TALK[place % 4]}"
        messages.append({"id": 2 * place + 1, "role": "assistant", "time": None, "content": reply})
        asked = f"What did I tell you about {thing}?"
        questions.append({"category": "recall", "evidence_ids": [2 * place], "question": asked})
    chat = {"chat": 1, "messages": messages, "questions": questions}
    with gzip.open(folder / "chat_01.json.gz", "wt", encoding="utf-8") as file:
        json.dump(chat, file)


def cosqa_data(folder: Path) -> None:
    """Write sixty small functions and a query for every fifth; one function is too empty to store."""
    codes: dict[str, int] = {"...": 60}
    queries: list[dict[str, Any]] = []
    for number, (verb, noun) in enumerate((v, n) for v in _VERBS for n in _NOUNS):
        name = f"{verb}_{noun.replace(' ', '_')}"
        codes[f'def {name}(data):\n    """{verb.title()} {noun}."""\n    return tools.{verb}(data)'] = number
        if number % 5 == 0:
            queries.append({"doc": f"python {verb} {noun}", "retrieval_idx": number})
    (folder / "code_idx_map.txt").write_text(json.dumps(codes))
    (folder / "cosqa-retrieval-dev-500.json").write_text(json.dumps(queries))


def history_data(folder: Path) -> None:
    """Write two histories in which a module changes with its test, and one file is renamed."""
    for name in cochange.HISTORIES:
        with gzip.open(folder / f"{name}.jsonl.gz", "wt", encoding="utf-8") as lines:
            lines.writelines(json.dumps(record) + "\n" for record in _history())


def _history() -> Iterator[dict[str, Any]]:
    draw = random.Random(5)
    names = ["auth", "cache", "parser", "server", "index", "report", "queue", "mail"]
    extra = [f"docs/page{n}.md" for n in range(24)]
    everything = [f for n in names for f in (f"src/{n}.py", f"tests/test_{n}.py")] + extra
    for number in range(60):
        if number == 0:
            files = [["A", path] for path in everything]
        elif number == 30:
            files = [["R090", "src/mail.py", "src/post.py"], ["M", "tests/test_mail.py"]]
        else:
            name = draw.choice(names)
            source = "src/post.py" if name == "mail" and number > 30 else f"src/{name}.py"
            page = f"docs/page{names.index(name)}.md"
            files = [["M", source], ["M", f"tests/test_{name}.py"], ["M", page]]
        date = f"2024-03-{1 + number // 24:02d}T{number % 24:02d}:00:00+00:00"
        yield {
            "commit": f"{number:040x}",
            "parent": f"{number - 1:040x}" if number else "",
            "date": date,
            "subject": "Fix the crash on empty input" if number % 7 == 3 else f"Change {number}",
            "body": "",
            "files": files,
        }


def real_repository() -> list[Check]:
    """Read a real git repository with rules and fixes, remember something and find all of it again."""
    paths = [f"src/{n}.py" for n in ("auth", "cache", "parser")]
    texts = ["Add the modules", "Fix the token refresh that lost the session", "Change the cache"]
    added = tuple(FileChange("A", p) for p in paths)
    changed = tuple(FileChange("M", p) for p in paths[:2])
    commits = [
        Commit("", (), f"2024-05-0{day}T10:00:00.000Z", "Ann", text, "", files)
        for day, text, files in zip((1, 2, 3), texts, (added, changed, changed), strict=True)
    ]
    with workplace() as place:
        project = place / "project"
        shas = build(project, list(consistent(commits)))
        stand_at(project, shas[-1])
        (project / "AGENTS.md").write_text("# Rules\n\n- Always run `make lint` before a commit.\n")
        with memory_in(place) as memory:
            first, second = memory.init(), memory.init()
            memory.remember("Access tokens expire after 24 hours", related_files=["src/auth.py"])
            rule = memory.search("what to run before I commit", k=3)
            token = memory.search("how long do access tokens live", k=3)
            near = memory.related_files("src/auth.py", k=3)
    return [
        _holds("init reads the rules and the history", first.stored >= 1 and first.commits_read >= 3),
        _holds("a second init stores nothing", second.stored == 0 and second.commits_new == 0),
        _holds("a rule is found", any("make lint" in hit.text for hit in rule)),
        _holds("a memory is found first", bool(token) and "24 hours" in token[0].text),
        _holds("a hit says why it came up", bool(token) and bool(token[0].why)),
        _holds("related files are named", bool(near) and near[0].path == "src/cache.py"),
    ]


_PACKAGE = {
    "made/__init__.py": "from .shapes import Shape, make\n",
    "made/shapes.py": """class Shape:
    def area(self):
        return 1

    def grow(self):
        return self.area()


def make():
    return Shape()
""",
    "made/draw.py": """from made import make
from made.shapes import Shape


def draw():
    shape = Shape()
    return shape.area() + make().grow()
""",
}
# Where each name of the package is defined; every call of a name leads to it.
_DEFINED = {
    "Shape": ("made/shapes.py", 1, 6, "Shape#"),
    "area": ("made/shapes.py", 2, 8, "Shape#area()."),
    "grow": ("made/shapes.py", 5, 8, "Shape#grow()."),
    "make": ("made/shapes.py", 9, 4, "make()."),
    "draw": ("made/draw.py", 5, 4, "draw()."),
}


def resolved_package() -> list[Check]:
    """Compare a made-up package with the interpreter and with what a type checker would say of it."""
    with workplace() as place:
        for path, text in _PACKAGE.items():
            (place / path).parent.mkdir(exist_ok=True)
            (place / path).write_text(text)
        package = resolution.compare(place, [_scip(place, path) for path in _PACKAGE])
    figures = resolution.measure([package]).figures
    run, calls = figures["imports"]["together"]["run"], figures["calls"]["together"]
    return [
        Check("made-up package: imports", float(run["theirs"]), "3", run["theirs"] == run["ours"] == 3),
        _holds("made-up package: the same imports", run["precision"] == run["recall"] == 1.0),
        Check("made-up package: calls", float(calls["recall"]["edges"]), "6", calls["recall"]["edges"] == 6),
        _holds("made-up package: calls are confirmed", calls["precision, no guess"]["value"] == 1.0),
        Check.at_least("made-up package: calls found", calls["recall with guesses"]["value"], 0.8),
    ]


def _scip(place: Path, path: str) -> ScipDocument:
    """Return what a type checker's index would hold of a file."""

    def symbol(name: str) -> str:
        module = _DEFINED[name][0].removesuffix(".py").replace("/", ".")
        return f"scip-python python made 0.1 `{module}`/{_DEFINED[name][3]}"

    found = [
        ScipOccurrence(line, start, start + len(name), symbol(name), DEFINITION)
        for name, (file, line, start, _) in _DEFINED.items()
        if file == path
    ]
    used = [(site.name, *site.place[1:]) for site in call_sites(place, path)]
    for node in ast.walk(ast.parse(_PACKAGE[path])):
        if isinstance(node, ast.ImportFrom):
            used += [(alias.name, alias.lineno, alias.col_offset) for alias in node.names]
    for name, line, start in used:
        found.append(ScipOccurrence(line, start, start + len(name), symbol(name)))
    return ScipDocument(path, tuple(found))


def _holds(what: str, truth: bool) -> Check:
    return Check(what, float(truth), "yes", truth)


def _data_checks(data: Path) -> tuple[list[Check], str]:
    """Run the benchmarks with data on the made-up sets."""
    for name, write in (
        ("locomo", locomo_data),
        ("beam_100k", beam_data),
        ("cosqa", cosqa_data),
        ("git_history", history_data),
    ):
        (data / name).mkdir()
        write(data / name)
    options = Options(data=data, limit=80, ablate=False)
    talk, chat = locomo.run(options._replace(ablate=True)), beam.run(options)
    code, history = cosqa.run(options), cochange.run(options)
    found = {
        "LoCoMo recall@5": talk.figures[OURS]["recall@5"],
        "BEAM recall@5": chat.figures[OURS]["recall@5"],
        **{f"CoSQA MRR, {kind}": code.figures[kind][OURS]["MRR"] for kind in cosqa.NAMES},
        "co-change recall@10": history.figures["click"][OURS]["recall@10 by query"],
    }
    checks = [Check.at_least(f"made-up {what}", value, 0.8) for what, value in found.items()]
    counts: Mapping[str, tuple[int, int]] = {
        "questions of LoCoMo": (talk.figures["questions"], len(_THINGS) + 1),
        "questions of BEAM": (chat.figures["questions"], len(_THINGS)),
        "functions refused": (code.figures["refused"], 1),
        "parts measured": (len(talk.figures["parts"]), len(PARTS)),
    }
    checks += [Check(what, float(n), str(wanted), n == wanted) for what, (n, wanted) in counts.items()]
    return [*checks, *history.checks], talk.model


def run(options: Options) -> Report:
    """Run everything small; no option changes what is run."""
    del options
    model = OnnxEmbedder()
    model.embed_query("kept")  # memories share a loaded model as long as one of them, or this, holds it
    say("smoke: a real repository")
    checks = real_repository()
    with workplace() as data:
        say("smoke: made-up data sets")
        more, model_id = _data_checks(data)
        checks += more
    say("smoke: times")
    times = latency.measure(300, 15, command_line=False)
    checks += [_holds(f"{what} is positive", times[what] > 0) for what in ("search p50 ms", "resident MB")]
    checks += concurrency.run(Options(limit=5)).checks
    crashed = crash.run(Options(limit=3))
    checks += crashed.checks
    checks += entries.sound(entries.measure(200, 8))
    _, counts, race = conversations.measure(CONVERSATIONS)
    checks += conversations.sound(counts, race)
    say("smoke: sessions of agents")
    checks += smoke_sessions.checks()
    checks += smoke_poison.checks()
    say("smoke: repositories with what once stopped a command")
    checks += wild.made_up()
    say("smoke: a hook")
    checks += hook.sound(Options(limit=2))
    say("smoke: the code graph")
    checks += resolved_package()
    checks += smoke_trees.checks()
    sizes = indexing.Sizes(files=24, far=5, edits=2, repeats=1, asked=20)
    checks += indexing.sound(indexing.measure(None, sizes))
    model.close()
    rows = tuple(times.items())
    figures = {"checks": len(checks), "met": sum(c.met for c in checks), "latency of 300": times}
    return Report(
        "smoke", figures, (Table("300 memories", ("", ""), rows),), tuple(checks), crashed.notes, model_id
    )
