r"""Observations of user interfaces: classify the results of browser and UI tools, and word them.

Section 10 defines five classes. A language model classifies a result if there is one (`e2e.prompt`); rules do
if there is none, or if it fails. The rules match the failure messages of the tools themselves, each anchored
at the beginning of a line: a page may contain any words, so an uncertain result gives no observation. In both
cases the words are external text, and the caller stores them as such.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping
from typing import Any, NamedTuple

from remora.core.errors import RemoraError
from remora.core.text import clean, collapse, shorten, words_or_pairs
from remora.llm.client import LanguageModel, Message, complete_in_time, strip_thinking
from remora.llm.prompts import fill, load

KINDS = {
    "A": "precondition",
    "B": "timing",
    "C": "ui_behavior",
    "D": "test_sequence",
    "E": "mcp_gotcha",
}
RULES = "rules"  # the judge without a model
CONFIDENCE = 0.75  # section 10
SHOWN = 400  # characters of a result that a model sees; section 10
TOKENS = 100  # of its answer; section 10
SECONDS = 5.0
LOOKED_AT = 6_000  # characters of a result that the rules read
LEAST_WORDS, LONGEST = 4, 300  # of a sentence
QUOTE = 160  # characters of a line that is quoted

# Section 10's names, and words in the name of any other tool of a browser or an interface, or of its server.
_NAMES = ("take_screenshot", "click_by_text", "fill_input", "get_page_structure", "eval")
_WORDS = ("browser", "playwright", "puppeteer", "chrome", "electron")


def is_ui_tool(tool: str) -> bool:
    """Return whether a tool observes or controls a browser or a user interface, by its name in a host.

    >>> [is_ui_tool(t) for t in ("mcp__playwright__click", "take_screenshot", "browser_navigate", "eval")]
    [True, True, True, True]
    >>> [is_ui_tool(t) for t in ("mcp__electron__eval", "mcp__redis__eval", "Bash", "mcp__gh__click")]
    [True, False, False, False]
    """
    lower = tool.lower()
    if any(word in lower for word in _WORDS):
        return True
    server, name = _parts(lower)
    return name in _NAMES and not (name == "eval" and server)  # databases have an `eval` too


def _parts(tool: str) -> tuple[str, str]:
    """Return the server and the name of a tool: `mcp__a__b`, `a__b`, `a.b`, `a/b` and `mcp_a_b`."""
    lower = tool.lower()
    for between in ("__", "/", ".", ":"):
        server, found, name = lower.rpartition(between)
        if found:
            return server.removeprefix("mcp").strip("_"), name
    if lower.startswith("mcp_"):
        server, _, name = lower[4:].partition("_")
        return server, name
    return "", lower


class Seen(NamedTuple):
    """An observation: one of the five kinds, and a sentence."""

    kind: str
    text: str


class Judged(NamedTuple):
    """The judgement of a result: the observation (None if there is none), the judge, a note on failure."""

    seen: Seen | None
    by: str = RULES
    note: str = ""


def judge(
    tool: str,
    result: str,
    arguments: Mapping[str, Any] | None = None,
    *,
    model: LanguageModel | None = None,
    seconds: float = SECONDS,
) -> Judged:
    """Return the judgement of a tool's result; by rules if there is no model, or if it fails.

    Args:
        tool: the name of the tool.
        result: its result, as text.
        arguments: its arguments, for the wording of the rules.
        model: called once.
        seconds: the time limit of the model.
    """
    text = clean(result).strip()
    if not _says_something(text):
        return Judged(None)
    note = ""
    if model is not None:
        try:
            asked = [Message("user", question(tool, text))]
            answer = complete_in_time(model, asked, max_tokens=TOKENS, timeout=seconds)
            return Judged(read_answer(answer.text), model.model_id)
        except (RemoraError, OSError) as error:
            note = f"the model did not classify the result of {tool}: {error}"
    return Judged(by_rules(tool, text, arguments), RULES, note)


def question(tool: str, result: str) -> str:
    """Return the prompt for a model about a result."""
    shown = re.sub(r"={5,}", "====", result[:SHOWN])  # the data cannot contain the end marker
    return fill(load("remora.injection", "e2e"), tool=shorten(tool, 100), result=shown)


def _says_something(text: str) -> bool:
    """Return whether a text has words; an image in base64 has none."""
    return len(re.findall(r"(?<!\w)[^\W\d_]{2,20}(?!\w)", text[:LOOKED_AT])) >= LEAST_WORDS


_ANSWER = re.compile(
    r"\W{0,20}(?P<letter>[A-F])[*_`]{0,4}(?: \(\w{1,20}\))?[*_`]{0,4}\s?[:.)–—-][*_`\"']{0,4}\s+"
    r"(?P<rest>[^\n]+)"
)


def read_answer(answer: str) -> Seen | None:
    """Return the observation in a model's answer; None for the letter F and for any other form.

    >>> read_answer("C: The Save button stays disabled until a title is entered.")
    Seen(kind='ui_behavior', text='The Save button stays disabled until a title is entered.')
    >>> read_answer("A button was clicked."), read_answer("F: nothing"), read_answer("I say C: it moves.")
    (None, None, None)
    """
    found = _ANSWER.match(strip_thinking(answer))
    if found is None or found["letter"] not in KINDS:
        return None
    text = shorten(clean(found["rest"]).strip("\"'*`_ "), LONGEST)
    if len(words_or_pairs(text)) < LEAST_WORDS:
        return None
    return Seen(KINDS[found["letter"]], text)


def mark(tool: str, result: str, arguments: Mapping[str, Any] | None = None) -> str:
    """Return a digest that is equal for the same result of the same tool.

    Numbers and references of elements differ between runs and do not count.
    """
    text = re.sub(r"\b(?:ref=)?[ef]\d+\b|\d+", "#", clean(result)[:LOOKED_AT].casefold())
    named = f"{_parts(tool)[1]}\n{_named(arguments)}\n{collapse(text)}"
    return hashlib.sha256(named.encode("utf-8", "surrogatepass")).hexdigest()[:16]


# By rules, each anchored: only marks of Markdown, words such as "Error:" and a call of the library
# ("locator.click: ") may precede it. Group 1 is quoted.

_BEFORE = (
    r"^[ \t>#*\-]*(?:(?:\w*Error|Exception|### Error|Result)\b:?[ \t]*)*"
    r"(?:[a-z]\w{0,30}\.[\w.$]{1,40}:[ \t]+)?"
)
_PATTERNS = {
    "precondition": r"net::ERR_(?:CONNECTION_REFUSED|NAME_NOT_RESOLVED|ADDRESS_UNREACHABLE)\b[^\n]{0,200}",
    "test_sequence": (
        r"[A-Z][^\n.]{0,120}\b(?:must|has to|have to|needs? to) be (?:\w+ ){0,2}"
        r"(?:first\b|before )[^\n]{0,120}"
    ),
    "mcp_gotcha": r"Ref \S{1,20} not found in the current page snapshot[^\n]{0,200}",
    "ui_behavior": (
        r"<[a-z][^\n]{0,400} intercepts pointer events"
        r"|element is not (?:enabled|editable|visible|attached)[^\n]{0,100}"
    ),
    "timing": r"(?:Navigation timeout of|Timeout) \d+ ?ms exceeded[^\n]{0,100}",
}
_RULES = {kind: re.compile(f"{_BEFORE}({one})", re.MULTILINE) for kind, one in _PATTERNS.items()}


def by_rules(tool: str, result: str, arguments: Mapping[str, Any] | None = None) -> Seen | None:
    """Return the observation in a result that matches a rule; None if no rule matches.

    >>> by_rules("browser_click", "TimeoutError: locator.click: Timeout 5000ms exceeded.").text
    '`browser_click`: “Timeout 5000ms exceeded.”'
    >>> by_rules("browser_snapshot", "- paragraph: The job timed out after lunch")
    """
    for kind, pattern in _RULES.items():
        if found := pattern.search(result[:LOOKED_AT]):
            target = f" on “{named}”" if (named := _named(arguments)) else ""
            said = shorten(found[1].strip(" \"'"), QUOTE)
            return Seen(kind, f"`{_parts(tool)[1]}`{target}: “{said}”")
    return None


def _named(arguments: Mapping[str, Any] | None) -> str:
    """Return the target of a call, in the words of its arguments; empty if they name none."""
    for key in ("element", "text", "selector", "label", "url"):
        value = (arguments or {}).get(key)
        if isinstance(value, str) and value.strip():
            plain = value.partition("?")[0] if key == "url" else value
            return shorten(plain.replace("“", '"').replace("”", '"'), 80)
    return ""
