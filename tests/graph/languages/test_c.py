"""C and C++ includes lead to files, and calls to the definition behind a declaration."""

from __future__ import annotations

import pytest

from tests.graph.projects import Project, facts_of

TREE = {
    "include/geo/shape.hpp": "namespace geo {\nclass Shape { public: double area() const; void note(); };\n"
    "class Disc : public Shape { public: Disc(double r); double area() const; };\n"
    "double total(const Disc& c);\n}\n",
    "src/shape.cpp": '#include "geo/shape.hpp"\nnamespace geo {\n'
    "double Disc::area() const { note(); return square(1); }\n"
    "double total(const Disc& c) { return c.area(); }\n}\n",
    "src/util.h": "double square(double x);\nstatic inline int inc(int a) { return a + 1; }\n",
    "src/util.c": '#include "util.h"\ndouble square(double x) { inc(1); return x * x; }\n',
    "a/config.h": "",
    "b/config.h": "",
    "lib/string.h": "",
}


@pytest.mark.parametrize(
    ("path", "line", "expected"),
    [
        ("src/x.c", '#include "util.h"', ["src/util.h"]),
        ("src/x.c", "#include <geo/shape.hpp>", ["include/geo/shape.hpp"]),
        ("src/x.c", "#include <string.h>", []),
        ("src/x.c", '#include "config.h"', []),
        ("b/inner/x.c", '#include "config.h"', ["b/config.h"]),
        ("src/x.c", '#include "../lib/string.h"', ["lib/string.h"]),
    ],
)
def test_an_include_names_a_file(path: str, line: str, expected: list[str]) -> None:
    """Quotes begin beside the file; a name that could be several files, or the system's, gives nothing."""
    assert Project({**TREE, path: line + "\n"}).imports(path) == expected


def test_calls_lead_to_bodies() -> None:
    """Functions declared in a header and methods written out of their class lead to their bodies."""
    project = Project(
        {
            **TREE,
            "src/main.cpp": '#include "geo/shape.hpp"\nusing namespace geo;\n'
            "int main() { geo::Disc c(1); total(c); c.area(); square(2); c.note(); strlen(0); }\n",
        }
    )
    assert project.calls("src/main.cpp", "main") == {
        "src/shape.cpp:geo.total": 0.95,
        "src/shape.cpp:geo.Disc.area": 0.75,
        "src/util.c:square": 0.75,
        "include/geo/shape.hpp:geo.Shape.note": 0.75,
    }
    assert project.calls("src/util.c", "square") == {"src/util.h:inc": 0.95}
    assert "include/geo/shape.hpp:geo.Shape.note" in project.calls("src/shape.cpp", "geo.Disc.area")


def test_a_template_of_variables_is_a_definition() -> None:
    """`template <…> constexpr bool v = …` defines v, at the top level, in a namespace and in a class."""
    source = (
        "// Whether T is small.\ntemplate <class T>\ninline constexpr bool is_small = sizeof(T) < 8;\n"
        "template <> constexpr bool is_small<int> = true;\n"
        "namespace n { template <class T> T *none = nullptr; template <class T> T zero{}; }\n"
        "struct S { template <class T> static constexpr int count = 1; };\n"
        "template <class T> T make(T x);\nint plain = 1;\n"
    )
    found = facts_of(source.encode(), "cpp").outline.definitions
    assert [(d.kind, d.qualname) for d in found] == [
        ("function", "is_small"),
        ("function", "is_small#2"),
        ("module", "n"),
        ("function", "n.none"),
        ("function", "n.zero"),
        ("class", "S"),
        ("method", "S.count"),
        ("function", "make"),
    ]
    assert found[0][3:8] == (1, 3, 3, "", "inline constexpr bool is_small")
    assert found[0].doc == "Whether T is small."
