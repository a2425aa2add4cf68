"""A SCIP index laid over our definitions gives certain edges between them."""

from __future__ import annotations

from remora.core.code import Definition, Import, Link, Outline
from remora.graph.scip import precise_links
from remora.graph.scip_index import DEFINITION, IMPORT
from tests.graph.scip_bytes import document, documents_in, index, occurrence

P = "scip-python python demo 1 "
MODULE_A, MODULE_B = P + "a/__init__:", P + "b/__init__:"
BASE, RUN, HELP = P + "a/Base#", P + "a/Base#run().", P + "a/help()."
SUB, SUB_RUN, MAIN = P + "b/Sub#", P + "b/Sub#run().", P + "b/main()."

# a.py                         b.py
#  1 class Base:                1 from a import (
#  2     def run(self):         2     Base,
#  3         return help()      3     help as h,
#  4                            4 )
#  5 def help():                5 class Sub(Base):
#  6     return help            6     @h
#                               7     def run(self):
#                               8         return h(Base)
#                               9 def main():
#                              10     def inner():
#                              11         return Sub().run()
#                              12     return inner()
#                              13 main(h)
OURS = {
    "a.py": (
        Definition("Base", "Base", "class", 1, 3, 1),
        Definition("Base.run", "run", "method", 2, 3, 2, "Base"),
        Definition("help", "help", "function", 5, 6, 5),
    ),
    "b.py": (
        Definition("Sub", "Sub", "class", 5, 8, 5, bases=("Base",)),
        Definition("Sub.run", "run", "method", 6, 8, 7, "Sub"),
        Definition("main", "main", "function", 9, 12, 9),
        Definition("main.inner", "inner", "function", 10, 11, 10, "main"),
    ),
}
IMPORTS = {"b.py": (Import("a", (("Base", "Base"), ("help", "h")), line=1),)}
A = document(
    "a.py",
    [
        occurrence([0, 0, 0], MODULE_A, DEFINITION),
        occurrence([0, 6, 10], BASE, DEFINITION),
        occurrence([1, 8, 11], RUN, DEFINITION),
        occurrence([1, 12, 16], RUN + "(self)", DEFINITION),
        occurrence([2, 15, 19], HELP),
        occurrence([4, 4, 8], HELP, DEFINITION),
        occurrence([5, 11, 15], HELP),
    ],
)
B = document(
    "./b.py",
    [
        occurrence([0, 0, 0], MODULE_B, DEFINITION),
        occurrence([0, 5, 6], MODULE_A),
        occurrence([1, 4, 8], BASE),
        occurrence([2, 4, 8], HELP),
        occurrence([2, 12, 13], HELP),
        occurrence([4, 6, 9], SUB, DEFINITION),
        occurrence([4, 10, 14], BASE),
        occurrence([5, 5, 6], HELP),
        occurrence([6, 8, 11], SUB_RUN, DEFINITION),
        occurrence([7, 15, 16], HELP),
        occurrence([7, 17, 21], BASE),
        occurrence([8, 4, 8], MAIN, DEFINITION),
        occurrence([9, 8, 13], "local 0", DEFINITION),
        occurrence([10, 15, 18], SUB),
        occurrence([10, 21, 24], SUB_RUN),
        occurrence([11, 11, 16], "local 0"),
        occurrence([12, 0, 4], MAIN),
        occurrence([12, 5, 6], HELP),
        occurrence([12, 7, 8], P + "typing/Any#"),
        occurrence([12, 7, 8], "no name at all"),
    ],
)


def ours(path: str) -> Outline:
    """Return our outline of a file."""
    return Outline("python", definitions=OURS.get(path, ()), imports=IMPORTS.get(path, ()))


def without_imports(path: str) -> Outline:
    """Return our outline of a file without its import statements."""
    return ours(path)._replace(imports=())


def edges(links: list[Link]) -> list[str]:
    """Return links as short lines, with their line and count."""
    return [f"{x.from_key} {x.type} {x.to_key} @{x.line} x{x.count}" for x in links]


def test_uses_become_edges():
    """Calls start at the innermost definition; a base and an imported module make none."""
    links = precise_links(documents_in(index(A, B)), ours)
    assert edges(links) == [
        "a.py:Base.run calls a.py:help @3 x1",
        "b.py calls a.py:help @13 x1",
        "b.py calls b.py:main @13 x1",
        "b.py:Sub.run calls a.py:Base @8 x1",
        "b.py:Sub.run calls a.py:help @6 x2",
        "b.py:main calls b.py:main.inner @12 x1",
        "b.py:main.inner calls b.py:Sub @11 x1",
        "b.py:main.inner calls b.py:Sub.run @11 x1",
    ]
    assert {x.confidence for x in links} == {1.0}
    assert precise_links(documents_in(index(B, A)), ours) == links


def test_an_index_may_mark_imports_itself():
    """A use with the role of an import is no call, without our imports too."""
    data = document("b.py", [occurrence([0, 0, 1], HELP, IMPORT), occurrence([12, 0, 1], HELP)])
    assert edges(precise_links(documents_in(index(A, data)), without_imports))[1:] == [
        "b.py calls a.py:help @13 x1"
    ]


def test_constructors_accessors_and_overloads():
    """They are found under our names; of several forms the longest is the target."""
    known = (
        Definition("C", "C", "class", 1, 20, 1),
        Definition("C.constructor", "constructor", "method", 2, 3, 2, "C"),
        Definition("C.size", "size", "method", 4, 5, 4, "C"),
        Definition("C.f", "f", "method", 6, 6, 6, "C"),
        Definition("C.f#2", "f", "method", 7, 7, 7, "C"),
        Definition("C.f#3", "f", "method", 8, 12, 8, "C"),
    )
    c = "scip-typescript npm p 1 `a.ts`/C#"
    data = index(
        document(
            "a.ts",
            [
                occurrence([1, 2, 13], c + "`<constructor>`().", DEFINITION),
                occurrence([3, 6, 10], c + "`<get>size`().", DEFINITION),
                *(occurrence([line, 2, 3], c + "f().", DEFINITION) for line in (5, 6, 7)),
                occurrence([30, 0, 1], c + "`<constructor>`()."),
                occurrence([31, 0, 1], c + "`<get>size`()."),
                occurrence([32, 0, 1], c + "f()."),
            ],
        )
    )
    assert edges(precise_links(documents_in(data), lambda _: Outline("typescript", definitions=known))) == [
        "a.ts calls a.ts:C.constructor @31 x1",
        "a.ts calls a.ts:C.f#3 @33 x1",
        "a.ts calls a.ts:C.size @32 x1",
    ]


def test_a_definition_of_another_name_or_line_is_not_ours():
    """An index of an older state leads to nothing rather than to the wrong thing."""
    moved = document(
        "a.py", [occurrence([2, 4, 8], HELP, DEFINITION), occurrence([1, 0, 4], BASE, DEFINITION)]
    )
    used = document("b.py", [occurrence([12, 0, 4], HELP), occurrence([12, 0, 4], BASE)])
    assert precise_links(documents_in(index(moved, used)), without_imports) == []


def test_paths_that_lead_out_are_left_out():
    """A document outside the project, or a file that is not known, makes no edge."""
    data = index(
        *(document(path, [occurrence([0, 0, 1], HELP)]) for path in ("../a.py", "/a.py", "..", "")),
        A,
        document("gone.py", [occurrence([0, 0, 1], RUN + "(self)")]),
    )
    assert edges(precise_links(documents_in(data), without_imports)) == [
        "a.py:Base.run calls a.py:help @3 x1"
    ]
