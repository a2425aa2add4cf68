"""The time that a scanner takes grows with the length of the text, not with its square."""

from __future__ import annotations

import re
from collections.abc import Callable
from time import process_time

import pytest

from remora.core import tasks
from remora.graph import documents, manifests

CHARS = 8_000  # of the shortest of the three texts
FLOOR = 0.05  # seconds of the processor; what stays below is not measured well enough to be judged
GROWTH = 2.5  # times for twice the text that is still called linear
TRIES = 3  # a machine with other work confirms a failure before it counts

# What is repeated: words and signs that open something and never close it, and long words.
BITS = (
    *(
        " ",
        "\n",
        "\r\n",
        "\t",
        '"',
        "'",
        "`",
        "\\",
        '\\"',
        "/",
        "../",
        "./",
        "/*",
        "//",
        "<!--",
        "-",
        "=",
        "#",
    ),
    *(
        "a",
        "0",
        "aB9+/",
        "a.",
        "a.a ",
        "a/",
        "a:",
        ":",
        "x=",
        'x="',
        "[",
        "{",
        "(",
        "[[",
        '{"a":',
        "[a]\n",
        ",",
    ),
    *(
        'File "',
        "module ",
        "\nmodule",
        ", ",
        "`a",
        "``a`",
        "``` ",
        "é",
        "\u2028",
        "a@",
        "a-",
        "a_",
        "@",
        "\0",
    ),
)
ENDS = ("", "!", '"', "\n", "=1")

SCANNERS: dict[str, Callable[[str], object]] = {
    "loose_json": manifests.loose_json,
    "toml": manifests.toml,
    "go_module": manifests.go_module,
    "document_names": documents.document_names,
    "zones": tasks.zones,
    "places": tasks.places,
    "written_paths": lambda text: tasks.written_paths(tasks.zones(text)),
    "words": tasks.words,
}


def seconds(scan: Callable[[str], object], text: str) -> float:
    """Return the processor time of one call."""
    start = process_time()
    scan(text)
    return process_time() - start


def too_fast_growth(scan: Callable[[str], object], bit: str, end: str, chars: int = CHARS) -> str:
    """Return the times of n, 2n and 4n where both doublings grow too fast in every try, else ""."""
    said = ""
    for _ in range(TRIES):
        times: list[float] = []
        for factor in (4, 2, 1):  # the longest first: where that is quick, nothing else needs measuring
            times.insert(0, seconds(scan, bit * (chars * factor // len(bit)) + end))
            if times[-1] < FLOOR:
                return ""
        if times[1] <= GROWTH * times[0] or times[2] <= GROWTH * times[1]:
            return ""
        said = f"{bit!r} with {end!r}: " + ", ".join(f"{time:.3f} s" for time in times)
    return said


@pytest.mark.parametrize("name", SCANNERS)
def test_a_scanner_is_linear(name: str) -> None:
    """A text of one bit repeated takes a scanner at most 2.5 times as long when it is twice as long."""
    found = [said for bit in BITS for end in ENDS if (said := too_fast_growth(SCANNERS[name], bit, end))]
    assert found == []


def test_a_quadratic_pattern_is_found() -> None:
    """A pattern that tries again at each character of a long word fails the measure."""
    assert too_fast_growth(re.compile(r"\w+\.py").search, "a", "!", chars=2_000)


def test_what_the_scanners_read_stays() -> None:
    """Comments, paths behind dots, frames and modules are read as they were when nothing was bounded."""
    assert manifests.loose_json('{"a": "x // \\" /* y */,]", /* c */ "b": [1, ], // d\n}') == {
        "a": 'x // " /* y */,]',
        "b": [1],
    }
    assert manifests.toml('[a.b]\nc."d.e" = 1\n') == {"a": {"b": {"c": {"d.e": 1}}}}
    assert manifests.go_module('\n\n  module "a.b/c"\n') == "a.b/c"
    assert documents.document_names("../../lib/x.py, ``Cart.total()``") == {"x", "Cart", "total"}
    assert tasks.zones("a <!-- b --> c <!-- d").title == "a   c <!-- d"
    assert tasks.places("x:a/b.py (c.py:3) d.py in f") == tasks.Places(("c.py", "d.py"), ("a/b.py",))
