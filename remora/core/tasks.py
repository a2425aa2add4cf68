"""Predict the files that a task will change, from its text: signals for each file, and their sum.

A task is an issue, a request or a commit message. Its first line counts most; the rest is divided line by
line into prose, code and tracebacks, since a name in a traceback says less than one in a title.

Signals rate a file, each from 0 to 1, and their weighted sum ranks it:

    parts     the words of the task in the file's parts: its five best count 1, .7, .49, .34 and .24
    names     identifiers of the task that the file defines, rare ones most
    called    words of the task in the file's own path, rare ones most
    frames    tracebacks that go through the file, the innermost most
    paths     files that the text names
    modules   files of the dotted names in the text (`shop.cart.Cart`)
    imports   files imported by the best files of the signals above
    commits   the words of the task in the messages of commits that touched the file
    sessions  the same in the prompts of earlier sessions that edited it
    meaning   similarity in meaning, if parts have vectors
    often     number of sessions that edited the file
    lately    recency of its last session
    heat      number and recency of the commits that changed it
    branch    whether the current branch has changed it

A score counts by its excess over the thirty-first score: a ranking in which all are alike says nothing,
however sure its best file looks. The weights are few and round, chosen on the sessions of some projects and
measured on others; weights fitted to a project's own sessions changed little there (`sessions` in
benchmarks/README.md).

A file whose path is in the first line or the prose ranks before all others. Two variants were worse: adding
ranks in place of scaled scores, and passing the words of tests on to the files that change with them
(benchmarks/README.md). So were partners, by commits or sessions, of the best files.
"""

from __future__ import annotations

import math
import re
from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from functools import lru_cache
from types import MappingProxyType
from typing import NamedTuple

from remora.core.fences import fence_after
from remora.core.stems import stem
from remora.core.text import STOP_WORDS, identifier_parts

PARTS, DECAY = 5, 0.7  # parts (or commits) of a file that count; relative weight of the next
TOP_PARTS, TOP_COMMITS, TOP_SESSIONS, TOP_FILES = 300, 500, 50, 20  # candidates of each signal, best first
SESSIONS, COMMITS = 200, 400  # the newest, whose files are counted
LATELY = 0.7  # weight of a session relative to the next one
HALF_LIFE = 40  # commits after which a change counts half in `heat`
TERMS = 48  # words that are searched for: those with the highest weight x rarity
IN_FOLDER = 0.4  # weight of a word of a folder, relative to one of the file's name
TITLE, OFTEN, ONCE = 3, 2, 1  # weight of a word: in the first line, three times or more in the rest, else
OFTEN_FROM = 3
MAX_CHARS = 200_000  # of a task that are read; the longest issues have half of that
MOST_MODULES = 50  # dotted names of a task that are looked up
MOST_PARTS = 10  # of a dotted name
MODULE_ENDINGS = (".py", "/__init__.py", ".java", ".kt", ".scala", ".cs")
MOST_WORDS = 400  # of a task that are counted; longer texts are logs
ZONE_OF_NAME = {"title": 2.0, "prose": 1.0, "code": 1.0, "trace": 0.5}
WORTH_OF_KIND = {"class": 1.0, "function": 1.0, "interface": 1.0, "type": 1.0, "method": 0.6}
WORTH_OF_OTHERS = 0.5

BESIDE = 30  # files that are ranked alike say nothing

Signals = Mapping[str, Mapping[str, float]]

WEIGHTS: Mapping[str, float] = MappingProxyType(
    {
        "parts": 1.0,
        "names": 1.0,
        "called": 0.5,
        "frames": 1.0,
        "paths": 1.0,
        "modules": 0.25,  # an imported module of an example is used, but not always at fault
        "imports": 0.3,
        "meaning": 1.0,
        "commits": 1.0,
        "sessions": 1.0,
        "often": 1.0,
        "lately": 0.5,
        "heat": 1.0,
        "branch": 2.0,
    }
)
SIGNALS: tuple[str, ...] = tuple(WEIGHTS)

_CODE = re.compile(r"    |\t|\s*(>>>|\.\.\. |In ?\[|Out ?\[)")
_TRACE = re.compile(
    r"""\s*(File\ "|Traceback\ \(most|\S+\.\w{1,4}\ in\ |\S+\.\w{1,4}:\d+|/\S+\.pyc?\ in
        |[-=]+>\ *\d+|E\ \ |\d+\ |at\ \S+\s?\(|\#\d+\s)""",
    re.VERBOSE,
)
_WORD = re.compile(r"\w+")
_PART = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[^\W\d_A-Za-z]+|\d+")
_IDENTIFIER = re.compile(r"[^\W\d]\w*")
# A path is tried only where it can begin, not at each character: pasted base64 is one long word.
_PLACE = re.compile(
    r"""File\ "([^"\n]+)",\ line\ \d+            # a frame of Python
      | (?<![^\s"'`()<>])([^\s"'`()<>]+\.\w{1,5})(?::\d+|\ in\ [\w<>]+)  # of pytest, IPython, Node, Go …
      | (?<![^\s"'`()<>:])([^\s"'`()<>:]*[\w-]\.[a-zA-Z]\w{0,4})\b    # a path in passing
    """,
    re.VERBOSE,
)


_FROM = re.compile(r"\bfrom[ \t]+(\w+(?:\.\w+)*)[ \t]+import[ \t]+(?:\([ \t]*)?(\w+)")
_DOTTED = re.compile(r"(?<![\w./@-])[^\W\d]\w+(?:\.[^\W\d]\w+)+(?![\w/@-])")
_WRITTEN = re.compile(r"[^\s\"'`()<>,;|*]+")
_ENDING = re.compile(r"\w?\.\w+$")


class Zones(NamedTuple):
    """A task cut into its first line, prose, code and traceback lines."""

    title: str
    prose: str
    code: str
    trace: str


def zones(text: str) -> Zones:
    r"""Cut a task into its zones; HTML comments are left out.

    >>> zones("Crash in f\nIt fails:\n```\nf(1)\n```\nE   boom")
    Zones(title='Crash in f', prose='It fails:', code='f(1)', trace='E   boom')
    """
    lines = _without_comments(text[:MAX_CHARS].replace("\r", "")).strip().split("\n")
    found: dict[str, list[str]] = {"prose": [], "code": [], "trace": []}
    fence = ""
    for line in lines[1:]:
        inside, fence = fence, fence_after(line, fence)
        if bool(inside) != bool(fence):
            continue
        if _TRACE.match(line):
            found["trace"].append(line)
        elif fence or _CODE.match(line):
            found["code"].append(line)
        else:
            found["prose"].append(line)
    return Zones(lines[0], *("\n".join(found[zone]) for zone in ("prose", "code", "trace")))


def _without_comments(text: str) -> str:
    kept: list[str] = []
    at = 0
    while (start := text.find("<!--", at)) >= 0 and (end := text.find("-->", start + 4)) >= 0:
        kept += (text[at:start], " ")
        at = end + 3
    return "".join([*kept, text[at:]])


def words(text: str) -> list[str]:
    """Return lower-case words in order; a compound name gives itself and its parts.

    >>> words("call parse_args in HTTPServer")
    ['call', 'parse_args', 'parse', 'args', 'in', 'httpserver', 'http', 'server']
    """
    found: list[str] = []
    for word in _WORD.findall(text):
        found.append(word.lower().strip("_") or word)
        found += identifier_parts(word)
    return found


def word_weights(task: Zones, holding: Callable[[str], int], total: int) -> dict[str, int]:
    """Return the words to search for, TERMS at most, each with a whole-number weight.

    FTS5 has no word weights, but bm25 adds up every phrase of a query: a word of weight 3 is put into the
    query three times and counts three times.

    Args:
        task: the zones of the text.
        holding: returns the number of code parts with a word.
        total: number of code parts.
    """
    weight: dict[str, int] = {}
    for text, counts in ((task.trace, False), (task.code, True), (task.prose, True)):
        for word, number in Counter(words(text)).most_common(MOST_WORDS):
            often = OFTEN if counts and number >= OFTEN_FROM else ONCE
            weight[word] = max(weight.get(word, 0), often)
    weight.update((word, TITLE) for word in words(task.title)[:MOST_WORDS])
    value: dict[str, float] = {}
    for word, times in weight.items():
        if len(word) >= 2 and word not in STOP_WORDS and (number := holding(word)):
            value[word] = times * max(math.log((total - number + 0.5) / (number + 0.5)), 1e-6)
    best = sorted(value, key=lambda word: (-value[word], word))[:TERMS]
    return {word: weight[word] for word in best}


def by_paths(asked: Zones, paths: Iterable[str]) -> dict[str, float]:
    """Return how well the words of a title and its prose fit the words of each path, as shares of the best.

    A word counts by its rarity among the paths, one of the title TITLE times, one of a folder IN_FOLDER
    times. Long names match more by chance: the sum is divided by the root of the number of their words.

    >>> task = zones("the managed installer forgets its exit code")
    >>> found = by_paths(task, ["src/managed_guest_installer.py", "src/installer/main.py", "src/help.md"])
    >>> {path: round(share, 2) for path, share in found.items()}
    {'src/managed_guest_installer.py': 1.0, 'src/installer/main.py': 0.28}
    """
    weight = dict.fromkeys(_stems(asked.prose), ONCE) | dict.fromkeys(_stems(asked.title), TITLE)
    held: dict[str, tuple[set[str], set[str]]] = {}
    for path in paths:
        folder, _, name = path.rpartition("/")
        own = set(_stems(name.rpartition(".")[0] or name))
        held[path] = own, set(_stems(folder)) - own
    common = Counter(word for both in held.values() for part in both for word in part)

    def worth(words: set[str]) -> float:
        return sum(weight[w] * math.log(1 + len(held) / common[w]) for w in words if w in weight)

    total = {
        path: (worth(own) + IN_FOLDER * worth(folders)) / math.sqrt(max(1, len(own)))
        for path, (own, folders) in held.items()
    }
    return scaled({path: score for path, score in total.items() if score > 0})


@lru_cache(maxsize=20_000)  # folders have many files, and the next task asks for the same names
def _stems(text: str) -> tuple[str, ...]:
    """Return the stems of the words of a text or a path, those of compound names too, without stop words."""
    parts = (part.lower() for part in _PART.findall(text))
    return tuple(stem(part) for part in parts if len(part) > 1 and part not in STOP_WORDS)


def scaled(scores: Mapping[str, float]) -> dict[str, float]:
    """Return scores as shares of the best; empty if no score is above 0."""
    top = max(scores.values(), default=0.0)
    return {path: score / top for path, score in scores.items()} if top > 0 else {}


def best_of(hits: Iterable[tuple[float, Sequence[str]]]) -> dict[str, float]:
    """Add up each file's best hits, each weighted by DECAY of the one before, as shares of the best file.

    >>> best_of([(2.0, ["a"]), (1.0, ["a", "b"])])
    {'a': 1.0, 'b': 0.37037037037037035}
    """
    count: Counter[str] = Counter()
    total: defaultdict[str, float] = defaultdict(float)
    for score, files in sorted(hits, key=lambda hit: -hit[0]):
        for path in files:
            if score > 0 and count[path] < PARTS:
                total[path] += score * DECAY ** count[path]
                count[path] += 1
    return scaled(total)


def by_commits(hits: Iterable[tuple[float, Sequence[str]]]) -> dict[str, float]:
    """Return the signal of commits: (score of the message, its files of today).

    A commit's score is divided by the square root of its number of files.
    """
    return best_of((score / math.sqrt(len(files)), files) for score, files in hits if files)


def names(task: Zones) -> dict[str, float]:
    """Return the possible code names in a task, each with its weight."""
    weight: defaultdict[str, float] = defaultdict(float)
    for zone, text in task._asdict().items():
        for name in dict.fromkeys(_IDENTIFIER.findall(text)[: 4 * MOST_WORDS]):
            if len(name) >= 3 and name.lower() not in STOP_WORDS:
                weight[name] += ZONE_OF_NAME[zone]
    return dict(weight)


def by_names(
    weights: Mapping[str, float],
    defined: Mapping[str, Sequence[tuple[str, str]]],
    users: Mapping[str, int],
    files: int,
) -> dict[str, float]:
    """Return the signal of names: a name scores the files that define it, divided among them.

    Args:
        weights: the task's identifiers, see `names`.
        defined: name to the (path, node kind) of its definitions.
        users: name to the number of files that use it.
        files: number of files.
    """
    found: defaultdict[str, float] = defaultdict(float)
    for name, weight in weights.items():
        worth: dict[str, float] = {}
        for path, kind in defined.get(name, ()):
            worth[path] = max(worth.get(path, 0.0), WORTH_OF_KIND.get(kind, WORTH_OF_OTHERS))
        rarity = math.log(1 + files / (1 + users.get(name, 0)))
        for path, share in worth.items():
            found[path] += weight * share * rarity / len(worth)
    return scaled(found)


class Places(NamedTuple):
    """Paths in a text, as written: of traceback frames in order, and of other mentions."""

    frames: tuple[str, ...]
    paths: tuple[str, ...]


def places(text: str) -> Places:
    r"""Return the files that a text names.

    >>> places('File "/x/a/b.py", line 3\nsee c/d.go and e.py:7')
    Places(frames=('/x/a/b.py', 'e.py'), paths=('c/d.go',))
    """
    frames: list[str] = []
    said: list[str] = []
    for match in _PLACE.finditer(text[:MAX_CHARS].replace("\r", "")):
        written = (match[1] or match[2] or match[3]).replace("\\", "/")
        written = written.removesuffix("c") if written.endswith(".pyc") else written
        (said if match[3] is not None else frames).append(written)
    return Places(tuple(frames), tuple(dict.fromkeys(said)))


def written_paths(task: Zones) -> tuple[str, ...]:
    r"""Return the possible paths in the first line and the prose of a task, in order, each once.

    These are words with a slash or an ending; the project checks which of them exist. A path in code or a
    traceback is no request to change that file.

    >>> written_paths(zones("Fix ./shop/cart.py:12 and docs\\guide.md.\nSee [scripts/run], e.g. https://a.b/c"))
    ('shop/cart.py', 'docs/guide.md', 'scripts/run', 'e.g')
    """
    found: list[str] = []
    for word in _WRITTEN.findall(f"{task.title}\n{task.prose}"):
        if "://" in word:
            continue
        path = word.partition(":")[0].replace("\\", "/").lstrip("[{").rstrip("]}.!?…")
        path = path.removeprefix("./")
        if not path.endswith("/") and ("/" in path or _ENDING.search(path)):
            found.append(path)
    return tuple(dict.fromkeys(found))


def by_suffix(written: str, paths: Iterable[str]) -> list[str]:
    """Return the files whose paths share the longest ending with a written path.

    One common part (the file name) is enough only if the written path has no other: the `pathlib.py` of a
    traceback through Python's own library is not the project's.

    >>> by_suffix("/site-packages/shop/cart.py", ["src/shop/cart.py", "old/cart.py"])
    ['src/shop/cart.py']
    >>> by_suffix("/usr/lib/cart.py", ["shop/cart.py"]), by_suffix("cart.py", ["shop/cart.py"])
    ([], ['shop/cart.py'])
    """
    asked = [part for part in written.split("/") if part not in ("", ".")]
    best: list[str] = []
    deepest = 0
    for path in paths:
        parts = path.split("/")
        depth = 0
        while depth < min(len(parts), len(asked)) and parts[-1 - depth] == asked[-1 - depth]:
            depth += 1
        if depth > deepest:
            best, deepest = [path], depth
        elif depth and depth == deepest:
            best.append(path)
    return best if deepest > 1 or len(asked) == 1 else []


def modules(text: str) -> tuple[str, ...]:
    r"""Return the possible module names in a text, in order, each once; those of imports in full.

    >>> modules("from shop.cart import Cart\nimport os.path\nshop.tax.Rate.of() fails, e.g. in v1.2")
    ('shop.cart.Cart', 'os.path', 'shop.tax.Rate.of')
    """
    head = text[:MAX_CHARS]
    found = {m.start(1): f"{m[1]}.{m[2]}" for m in _FROM.finditer(head)}
    whole = {m.span(1) for m in _FROM.finditer(head)}
    found |= {m.start(): m[0] for m in _DOTTED.finditer(head) if m.span() not in whole}
    return tuple(dict.fromkeys(found[place] for place in sorted(found)))[:MOST_MODULES]


def module_files(name: str) -> list[str]:
    """Return the possible paths of a dotted name, the longest first, down to two parts.

    >>> module_files("shop.tax.Rate")[:3], module_files("shop.tax")[-1]
    (['shop/tax/Rate.py', 'shop/tax/Rate/__init__.py', 'shop/tax/Rate.java'], 'shop/tax.cs')
    """
    parts = name.split(".", MOST_PARTS)[:MOST_PARTS]
    return [f"{'/'.join(parts[:n])}{ending}" for n in range(len(parts), 1, -1) for ending in MODULE_ENDINGS]


def by_places(
    said: Places, ending: Callable[[str], Sequence[str]]
) -> tuple[dict[str, float], dict[str, float]]:
    """Return the signals of frames and paths; `ending` returns the files for a written path."""
    through = [found[0] for written in said.frames if (found := ending(written))]
    frames: dict[str, float] = {}
    for step, path in enumerate(reversed(through), start=1):
        frames.setdefault(path, 1 / step)
    paths: dict[str, float] = {}
    for written in said.paths:
        found = ending(written)
        for path in found:
            paths[path] = max(paths.get(path, 0.0), 1 / len(found))
    return frames, paths


def by_imports(scores: Mapping[str, float], imports: Iterable[tuple[str, str]]) -> dict[str, float]:
    """Pass the scores of files on to their imports, damped by the numbers of imports and importers."""
    edges = list(imports)
    out = Counter(a for a, _ in edges)
    into = Counter(b for _, b in edges)
    found: defaultdict[str, float] = defaultdict(float)
    for a, b in edges:
        if a in scores:
            found[b] += scores[a] / math.sqrt(out[a] * into[b])
    return scaled(found)


def by_number(groups: Iterable[Collection[str]]) -> dict[str, float]:
    """Return the number of groups that contain each file, as shares of the highest.

    >>> by_number([["a"], ["a", "b"]])
    {'a': 1.0, 'b': 0.5}
    """
    return scaled(Counter(path for files in groups for path in set(files)))


def by_last(groups: Iterable[Collection[str]]) -> dict[str, float]:
    """Return the recency of each file's last group; the newest group is first.

    >>> by_last([["a"], ["a", "b"]])
    {'a': 1.0, 'b': 0.7}
    """
    found: dict[str, float] = {}
    for age, files in enumerate(groups):
        for path in files:
            found.setdefault(path, LATELY**age)
    return found


def by_heat(groups: Iterable[Collection[str]]) -> dict[str, float]:
    """Return frequency and recency of each file in groups, the newest first; large groups count less."""
    total: defaultdict[str, float] = defaultdict(float)
    for age, files in enumerate(groups):
        for path in files:
            total[path] += 0.5 ** (age / HALF_LIFE) / math.sqrt(len(files))
    return scaled(total)


def standing_out(scores: Mapping[str, float]) -> dict[str, float]:
    """Return the scores as shares of the best, less that of the file which BESIDE others beat.

    >>> standing_out({"a": 2.0, "b": 1.0}), standing_out(dict.fromkeys(map(str, range(99)), 1.0))
    ({'a': 1.0, 'b': 0.5}, {})
    """
    top = max(scores.values(), default=0.0)
    if top <= 0:
        return {}
    ordered = sorted(scores.values(), reverse=True)
    least = ordered[BESIDE] if len(ordered) > BESIDE else 0.0
    return {path: (score - least) / top for path, score in scores.items() if score > max(least, 0.0)}


def weighed(signals: Signals) -> dict[str, float]:
    """Return the sum of the signals for each file, each signal times its weight.

    >>> weighed({"parts": {"a": 0.5}, "branch": {"a": 1.0, "b": 1.0}})
    {'a': 2.5, 'b': 2.0}
    """
    total: dict[str, float] = {}
    for name, votes in signals.items():
        for path, vote in votes.items():
            total[path] = total.get(path, 0.0) + WEIGHTS[name] * vote
    return total


def ranked(scores: Mapping[str, float]) -> list[str]:
    """Return the files, best first, ties by path."""
    return sorted(scores, key=lambda path: (-round(scores[path], 12), path))
