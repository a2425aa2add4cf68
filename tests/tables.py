"""Tables of examples beside the tests that read them."""

from __future__ import annotations

import re
from pathlib import Path

_SIGNS = {"n": "\n", "r": "\r", "t": "\t", "e": "\x1b", "\\": "\\"}


def table(test: str, name: str) -> list[tuple[str, ...]]:
    r"""Return the rows of `corpora/NAME.tsv` beside a test's file.

    In a cell `\n`, `\r`, `\t`, `\e` (escape) and `\\` are the signs that they stand for.
    """
    lines = (Path(test).parent / "corpora" / f"{name}.tsv").read_text("utf-8").removesuffix("\n").split("\n")
    return [tuple(re.sub(r"\\([nrte\\])", _sign, cell) for cell in line.split("\t")) for line in lines]


def _sign(escaped: re.Match[str]) -> str:
    return _SIGNS[escaped[1]]
