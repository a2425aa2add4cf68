"""What a task's text says of the files it will touch, and how the evidence for each file adds up.

A task is an issue, a request or a commit message. Its first line counts most; of the rest, prose, code
and tracebacks are told apart line by line, since a name in a traceback says less than one in a title.

Signals speak for a file, each from 0 to 1, and their weighed sum ranks it (`core.weights`):

    parts     the words of the task in the file's parts: its five best count 1, .7, .49, .34 and .24
    names     identifiers of the task that the file defines, rare ones most
    frames    tracebacks that go through the file, the innermost most
    paths     files that the text names
    imports   what the best files by the signals above import
    commits   the words of the task in what commits said that touched the file
    sessions  the same in what earlier sessions were asked for that edited it
    memories  what memories about the task name
    meaning   the meaning of the words, where parts have vectors
    often     how many sessions edited the file
    lately    how lately one did
    heat      how often and how lately commits changed it
    branch    whether the branch in use has changed it

A file that the first line or the prose names by its path comes before all of that, whatever it is. Adding
ranks in place of scaled scores was worse, and so was passing the words of tests on to the files that change
with them (benchmarks/README.md). So were partners, by commits or sessions, of the files that came out first.
"""

from __future__ import annotations

import math
import re
from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from typing import NamedTuple

from remora.core.fences import fence_after
from remora.core.text import STOP_WORDS, identifier_parts

PARTS, DECAY = 5, 0.7  # parts (or commits) of a file that count, and what each is worth of the one before
TOP_PARTS, TOP_COMMITS, TOP_SESSIONS, TOP_FILES = 300, 500, 50, 20  # that are looked at, best first
SESSIONS, COMMITS = 200, 400  # the newest whose files are counted
LATELY = 0.7  # what a file's last session is worth of the one after it
HALF_LIFE = 40  # commits after which a change counts half for what changes most
TERMS = 48  # words that are searched for: those with the most weight x rarity
TITLE, OFTEN, ONCE = 3, 2, 1  # weight of a word: in the first line, three times or more in the rest, else
OFTEN_FROM = 3
MAX_CHARS = 200_000  # of a task that are read; the longest issues have half of that
MOST_MODULES = 50  # dotted names of a task that are looked up
MOST_PARTS = 10  # of a dotted name
MODULE = 0.25  # of the vote of a path: what an example imports is used, and not always what is wrong
MODULE_ENDINGS = (".py", "/__init__.py", ".java", ".kt", ".scala", ".cs")
MOST_WORDS = 400  # of a task that are counted; longer texts are logs
ZONE_OF_NAME = {"title": 2.0, "prose": 1.0, "code": 1.0, "trace": 0.5}
WORTH_OF_KIND = {"class": 1.0, "function": 1.0, "interface": 1.0, "type": 1.0, "method": 0.6}
WORTH_OF_OTHERS = 0.5

_CODE = re.compile(r"    |\t|\s*(>>>|\.\.\. |In ?\[|Out ?\[)")
_TRACE = re.compile(
    r"""\s*(File\ "|Traceback\ \(most|\S+\.\w{1,4}\ in\ |\S+\.\w{1,4}:\d+|/\S+\.pyc?\ in
        |[-=]+>\ *\d+|E\ \ |\d+\ |at\ \S+\s?\(|\#\d+\s)""",
    re.VERBOSE,
)
_WORD = re.compile(r"\w+")
_IDENTIFIER = re.compile(r"[^\W\d]\w*")
# A path is tried where it can begin, not at each of its characters: pasted base64 is one long word.
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
    """Return lower-case words in order; a joined name gives itself and its parts.

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

    FTS5 has no weights for words, but bm25 adds up every phrase of a query: a word of weight 3 that
    stands in it three times counts three times.

    Args:
        task: the zones of the text.
        holding: how many parts of code hold a word.
        total: how many parts there are.
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


def scaled(scores: Mapping[str, float]) -> dict[str, float]:
    """Return scores as shares of the best; nothing when no score is above 0."""
    top = max(scores.values(), default=0.0)
    return {path: score / top for path, score in scores.items()} if top > 0 else {}


def best_of(hits: Iterable[tuple[float, Sequence[str]]]) -> dict[str, float]:
    """Add up each file's best hits, each worth DECAY of the one before, as shares of the best file.

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

    A commit's say is divided by the root of how many files it touched.
    """
    return best_of((score / math.sqrt(len(files)), files) for score, files in hits if files)


def names(task: Zones) -> dict[str, float]:
    """Return the identifiers of a task that may be names in the code, each with its weight."""
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
    """Return the signal of names: a name speaks for the files that define it, shared out among them.

    Args:
        weights: the task's identifiers, see `names`.
        defined: name to the (path, node kind) of its definitions.
        users: name to how many files use it.
        files: how many files there are.
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
    """Paths as a text writes them: of traceback frames in order, and in passing."""

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
    r"""Return what may be paths in the first line and the prose of a task, in order, each once.

    That is what has a slash in it, or an ending; whether there is such a file, the project knows. What
    stands in code or a traceback is no wish to change that file.

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
    """Return the files whose path ends as a written one does, in the most parts.

    One common part (the file's name) is enough only when no more was written: the `pathlib.py` of a
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
    r"""Return the dotted names in a text that may be modules, in order, each once; those of imports whole.

    >>> modules("from shop.cart import Cart\nimport os.path\nshop.tax.Rate.of() fails, e.g. in v1.2")
    ('shop.cart.Cart', 'os.path', 'shop.tax.Rate.of')
    """
    head = text[:MAX_CHARS]
    found = {m.start(1): f"{m[1]}.{m[2]}" for m in _FROM.finditer(head)}
    whole = {m.span(1) for m in _FROM.finditer(head)}
    found |= {m.start(): m[0] for m in _DOTTED.finditer(head) if m.span() not in whole}
    return tuple(dict.fromkeys(found[place] for place in sorted(found)))[:MOST_MODULES]


def module_files(name: str) -> list[str]:
    """Return the paths that a dotted name may mean, the longest first, down to two parts.

    >>> module_files("shop.tax.Rate")[:3], module_files("shop.tax")[-1]
    (['shop/tax/Rate.py', 'shop/tax/Rate/__init__.py', 'shop/tax/Rate.java'], 'shop/tax.cs')
    """
    parts = name.split(".", MOST_PARTS)[:MOST_PARTS]
    return [f"{'/'.join(parts[:n])}{ending}" for n in range(len(parts), 1, -1) for ending in MODULE_ENDINGS]


def by_places(
    said: Places, ending: Callable[[str], Sequence[str]]
) -> tuple[dict[str, float], dict[str, float]]:
    """Return the signals of frames and paths; `ending` gives the files a written path may mean."""
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
    """Pass the scores of files on to what they import, damped by how many import and are imported."""
    edges = list(imports)
    out = Counter(a for a, _ in edges)
    into = Counter(b for _, b in edges)
    found: defaultdict[str, float] = defaultdict(float)
    for a, b in edges:
        if a in scores:
            found[b] += scores[a] / math.sqrt(out[a] * into[b])
    return scaled(found)


def by_number(groups: Iterable[Collection[str]]) -> dict[str, float]:
    """Return how many groups of files have a file, as shares of the one in most.

    >>> by_number([["a"], ["a", "b"]])
    {'a': 1.0, 'b': 0.5}
    """
    return scaled(Counter(path for files in groups for path in set(files)))


def by_last(groups: Iterable[Collection[str]]) -> dict[str, float]:
    """Return how lately a group had a file, the newest group first.

    >>> by_last([["a"], ["a", "b"]])
    {'a': 1.0, 'b': 0.7}
    """
    found: dict[str, float] = {}
    for age, files in enumerate(groups):
        for path in files:
            found.setdefault(path, LATELY**age)
    return found


def by_heat(groups: Iterable[Collection[str]]) -> dict[str, float]:
    """Return how often and how lately groups had a file, the newest first; a large one says less of each."""
    total: defaultdict[str, float] = defaultdict(float)
    for age, files in enumerate(groups):
        for path in files:
            total[path] += 0.5 ** (age / HALF_LIFE) / math.sqrt(len(files))
    return scaled(total)
