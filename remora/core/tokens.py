"""Count tokens: named estimators behind one interface, for texts and for messages.

No estimate is exact for every model, so every budget names the estimator it was written for. The documents
that Remora is based on use five rules, which are here unchanged; `scripts` is the default. Exact
tokenizers have the same interface (`remora.conversation.exact_tokens`).

| name | rule | used by |
|---|---|---|
| `chars/4` | characters / 4, rounded up | packing of the retrieval specification (002) |
| `bytes/4` | UTF-8 bytes / 4, rounded down, at least 1 a message; calls counted | entry store (003) |
| `floor-bytes/4` | UTF-8 bytes of the content / 4, rounded down | conversation memory (004) |
| `chars/3.5` | characters of the contents / 3.5, the sum rounded down once | compaction (001) |
| `scripts` | by word, number, sign and script; 4 more a message; calls counted | the default |

Document 000 has no estimator: it counts messages, not tokens.

Derivation of `scripts`: a current tokenizer has a token for most common words, for three digits and
for two or three punctuation marks that often occur together; for other scripts it depends on its
age: cl100k takes two characters of Russian a token and one of Hindi, o200k three to four of both.
So the estimate is between the two. Measured with bpe-openai 0.1.4; the two last columns are the
estimate as a share of the true number, for cl100k and for o200k:

| text | characters | cl100k | o200k | `scripts` | `chars/4` |
|---|---|---|---|---|---|
| English | 10,700 | 2,016 | 2,017 | 1.16, 1.16 | 1.33, 1.33 |
| German | 11,960 | 3,281 | 2,537 | 0.82, 1.06 | 0.91, 1.18 |
| Polish | 11,188 | 4,154 | 3,507 | 0.76, 0.90 | 0.67, 0.80 |
| Russian | 11,774 | 5,104 | 2,785 | 0.83, 1.52 | 0.58, 1.06 |
| Arabic | 7,621 | 5,251 | 2,378 | 0.67, 1.47 | 0.36, 0.80 |
| Hindi | 10,898 | 10,607 | 3,178 | 0.55, 1.84 | 0.26, 0.86 |
| Japanese | 4,222 | 4,805 | 3,540 | 0.86, 1.17 | 0.22, 0.30 |
| Chinese | 2,895 | 3,291 | 2,252 | 0.86, 1.25 | 0.22, 0.32 |
| Python | 99,661 | 19,632 | 19,785 | 1.19, 1.18 | 1.27, 1.26 |
| JSON | 2,986 | 1,202 | 1,202 | 1.06, 1.06 | 0.62, 0.62 |
| CSV | 6,743 | 2,599 | 2,599 | 1.23, 1.23 | 0.65, 0.65 |
| hexadecimal | 6,499 | 3,742 | 3,759 | 0.96, 0.95 | 0.43, 0.43 |

Prose is the Universal Declaration of Human Rights, Python is argparse.py of Python 3.11, JSON a list of
twenty tool calls, CSV two hundred lines of numbers and addresses, hexadecimal a hundred SHA-256 digests.
"""

from __future__ import annotations

import json
import re
from bisect import bisect_right
from collections import Counter
from collections.abc import Callable, Iterable
from typing import NamedTuple

from remora.core.values import Message

MESSAGE_OVERHEAD = 4  # tokens that a chat format adds to a message: its role and its separator

_WHOLE, _MORE = 7, 4  # letters of a one-token word, and letters per further token of a longer one
_LATIN = "\u00c0-\u00d6\u00d8-\u00f6\u00f8-\u024f\u1e00-\u1eff"
_WORD = re.compile(f"[A-Z]?[a-z{_LATIN}]+|[A-Z]+")  # getUserById is four
_SIGNS = r"!-/:-@\[-`{-~"
# Up to three digits or signs, an indentation, and line ends unless they join the sign before them.
_PIECE = re.compile(rf"[0-9]{{1,3}}|[{_SIGNS}]{{1,3}}|(?<![{_SIGNS}\r\n])[\r\n]+|[ \t]{{2,}}")
_ASCII = re.compile(r"[\x00-\x7f]+")
_PARTS = 20  # parts of a token: the unit of weight of characters outside ASCII
# The start of a character range, and the weight of one of its characters. Letters of Latin script are parts
# of a word as well, so their weight is added.
_WEIGHTS = (
    (0x0080, 20),  # signs
    (0x00C0, 16),  # Latin: accents of western Europe
    (0x0100, 24),  # of the rest of it
    (0x0250, 20),
    (0x0370, 12),  # Greek
    (0x0400, 8),  # Cyrillic
    (0x0530, 20),
    (0x0590, 14),  # Hebrew
    (0x0600, 11),  # Arabic
    (0x0780, 20),
    (0x0900, 13),  # the scripts of India, Thai
    (0x0E80, 20),
    (0x1E00, 22),  # Latin: Vietnamese
    (0x1F00, 20),  # signs, Chinese, Japanese, Korean
    (0x10000, 40),  # emoji, rare signs
)
_BEGINS = [begin for begin, _ in _WEIGHTS]


def ceil_chars_4(text: str) -> int:
    """Return ceil(characters / 4), the estimate of the retrieval specification.

    >>> ceil_chars_4("hello world"), ceil_chars_4(""), ceil_chars_4("a" * 1000)
    (3, 0, 250)
    """
    return -(-len(text) // 4)


def floor_bytes_4(text: str) -> int:
    """Return floor(bytes of UTF-8 / 4), the estimate of the conversation memory: under 4 bytes is free.

    >>> floor_bytes_4("hello world"), floor_bytes_4("abc"), floor_bytes_4("日本語")
    (2, 0, 2)
    """
    return len(text.encode("utf-8", "surrogatepass")) // 4


def bytes_4(text: str) -> int:
    """Return floor(bytes of UTF-8 / 4), at least 1: the estimate of the entry store.

    >>> bytes_4("hello world"), bytes_4("")
    (2, 1)
    """
    return max(1, floor_bytes_4(text))


def scripts(text: str) -> int:
    """Return an estimate for code and other scripts too; see the module's docstring for its accuracy.

    >>> scripts("hello world"), scripts("getUserById(42)"), scripts("日本語"), scripts("")
    (2, 7, 3, 0)
    """
    whole = len(_PIECE.findall(text))
    whole += sum(1 + max(0, (len(word) - _WHOLE + _MORE - 1) // _MORE) for word in _WORD.findall(text))
    if text.isascii():
        return whole
    parts = sum(_weight(sign) * n for sign, n in Counter(_ASCII.sub("", text)).items())
    return whole - (-parts // _PARTS)


def _weight(sign: str) -> int:
    return _WEIGHTS[bisect_right(_BEGINS, ord(sign)) - 1][1]


def _double_length(text: str) -> int:
    return 2 * len(text)


class Estimator(NamedTuple):
    """A rule that turns texts and messages into a number of tokens.

    Rules differ in their rounding. A text has a weight in parts of a token, so that weights can be added
    before rounding; tokens are weights divided by `parts`, rounded down.

    Attributes:
        name: its name in budgets and settings.
        weigh_text: returns the weight of a text, in parts of a token.
        parts: parts in a token.
        overhead: tokens of a message besides its text.
        calls: whether the calls of a message (names, arguments) and the call id of a result count.
    """

    name: str
    weigh_text: Callable[[str], int]
    parts: int = 1
    overhead: int = 0
    calls: bool = True

    def text(self, text: str) -> int:
        """Return the number of tokens of a text."""
        return self.weigh_text(text) // self.parts

    def weigh(self, message: Message) -> int:
        """Return the weight of a message, in parts of a token."""
        return self.weigh_text(self._said(message)) + self.overhead * self.parts

    def tokens(self, messages: Iterable[Message]) -> int:
        """Return the number of tokens of several messages together."""
        return sum(map(self.weigh, messages)) // self.parts

    def fitting(self, tokens: int) -> int:
        """Return the greatest weight within a number of tokens."""
        return (tokens + 1) * self.parts - 1

    def _said(self, message: Message) -> str:
        if not self.calls or not (message.tool_calls or message.tool_call_id):
            return message.content
        said = [message.content, message.tool_call_id or ""]
        for call in message.tool_calls:
            given = call.arguments
            shown = given if isinstance(given, str) else json.dumps(given, ensure_ascii=False, default=str)
            said += [call.name, shown]
        return "".join(said)


ESTIMATORS: dict[str, Estimator] = {
    rule.name: rule
    for rule in (
        Estimator("chars/4", ceil_chars_4),
        Estimator("bytes/4", bytes_4),
        Estimator("floor-bytes/4", floor_bytes_4, calls=False),
        Estimator("chars/3.5", _double_length, parts=7, calls=False),
        Estimator("scripts", scripts, overhead=MESSAGE_OVERHEAD),
    )
}
