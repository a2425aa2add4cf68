"""Count tokens: named estimators behind one function.

No tokenizer is exact for every model, so every budget names the estimator it was written for.
`characters/4` (rounded up) is the one that the retrieval specification uses for packing.
"""

from __future__ import annotations

from collections.abc import Callable


def ceil_chars_4(text: str) -> int:
    """Return ceil(characters / 4), the retrieval specification's estimate.

    >>> ceil_chars_4("hello world"), ceil_chars_4(""), ceil_chars_4("a" * 1000)
    (3, 0, 250)
    """
    return -(-len(text) // 4)


def scripts(text: str) -> int:
    """Return an estimate that also holds for mixed scripts: 4 characters a token in ASCII, 1 outside.

    >>> scripts("hello world"), scripts("日本語")
    (3, 3)
    """
    ascii_chars = sum(1 for c in text if c < "\x80")
    return -(-ascii_chars // 4) + (len(text) - ascii_chars)


ESTIMATORS: dict[str, Callable[[str], int]] = {"chars/4": ceil_chars_4, "scripts": scripts}


def count(text: str, estimator: str = "chars/4") -> int:
    """Return the estimated number of tokens of a text.

    Raises:
        KeyError: no estimator has that name.
    """
    return ESTIMATORS[estimator](text)
