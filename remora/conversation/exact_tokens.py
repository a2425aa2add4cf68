"""Count tokens exactly, with the tokenizer of a model; same interface as the estimates of `core.tokens`.

| name | tokenizer | requires |
|---|---|---|
| `cl100k_base`, `o200k_base` | OpenAI's, as in tiktoken | `pip install remora[exact-tokens]` |

For another tokenizer, pass an `Estimator` with its function.
Nothing is downloaded: the extra contains its tables. The count is exact for the text; the overhead of a
message differs between providers and is 4 tokens here, as in `scripts`.
"""

from __future__ import annotations

import warnings
from functools import lru_cache

from remora.core.errors import InvalidInput
from remora.core.text import sound
from remora.core.tokens import ESTIMATORS, MESSAGE_OVERHEAD, Estimator

ENCODINGS = ("cl100k_base", "o200k_base")

_PIECE = 200_000  # characters counted at a time: the tokenizer refuses a million


def token_counter(name: str | Estimator) -> Estimator:
    """Return the estimator or the exact counter of a name; a counter is returned unchanged.

    The first use of an exact one loads its tables (up to a second); they stay in memory.

    Raises:
        InvalidInput: the name does not exist, or the package is not installed.
    """
    if isinstance(name, Estimator):
        return name
    if name in ESTIMATORS:
        return ESTIMATORS[name]
    if name in ENCODINGS:
        return _openai(name)
    known = ", ".join((*ESTIMATORS, *ENCODINGS))
    raise InvalidInput(f"unknown token counter: {name!r}", hint=f"Choose one of {known}.")


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

    def weigh(text: str) -> int:
        text = sound(text)
        # A cut may add one token.
        return sum(len(encode(text[at : at + _PIECE])) for at in range(0, len(text), _PIECE))

    return Estimator(name, weigh, overhead=MESSAGE_OVERHEAD)
