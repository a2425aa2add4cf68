"""Java names lead to classes of the project."""

from __future__ import annotations

import pytest

from tests.graph.projects import Project

BASE = "src/main/java/com/a"
TREE = {
    f"{BASE}/Base.java": "package com.a;\npublic class Base { protected void start() {} }\n",
    f"{BASE}/Runner.java": "package com.a;\ninterface Runner { void run(); }\n",
    f"{BASE}/Sib.java": "package com.a;\n"
    "class Sib { static Sib make() { return new Sib(); } void poke() {} }\n",
    f"{BASE}/model/User.java": "package com.a.model;\npublic class User { public void rename(String n) {}\n"
    "  public static class Key { } }\n",
    f"{BASE}/util/Text.java": "package com.a.util;\npublic class Text { public static void up() {} }\n",
}


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("import com.a.model.User;\nclass X {}", ["model/User.java"]),
        ("import com.a.model.User.Key;\nclass X {}", ["model/User.java"]),
        ("import static com.a.util.Text.up;\nclass X {}", ["util/Text.java"]),
        ("import static com.a.util.Text.*;\nclass X {}", ["util/Text.java"]),
        ("import com.a.util.*;\nclass X { void f() { Text.up(); } }", ["util/Text.java"]),
        ("import com.a.util.*;\nclass X { }", []),
        ("class X { Sib s; }", ["Sib.java"]),
        ("class X { String s; java.util.List l; }", []),
    ],
)
def test_classes_are_imported_by_name_or_use(body: str, expected: list[str]) -> None:
    """Full names give the class's file; wildcards and the own package give the classes in use."""
    path = f"{BASE}/X.java"
    found = Project({**TREE, path: f"package com.a;\n{body}\n"}).imports(path)
    assert found == [f"{BASE}/{name}" for name in expected]


def test_methods_are_found_through_fields_bases_and_statics() -> None:
    """Fields and inherited methods need no `this`; a static import stands for the method."""
    path = f"{BASE}/App.java"
    body = """package com.a;
import com.a.model.User;
import static com.a.util.Text.up;
public class App extends Base implements Runner {
  private final User user;
  public void run() { user.rename("x"); start(); up(); Sib.make().poke(); this.own();
    User v = new User(); v.rename("y"); }
  void own() {}
}
"""
    project = Project({**TREE, path: body})
    assert project.calls(path, "App.run") == {
        f"{BASE}/model/User.java:User.rename": 0.75,
        f"{BASE}/model/User.java:User": 0.95,
        f"{BASE}/Base.java:Base.start": 0.75,
        f"{BASE}/util/Text.java:Text.up": 0.95,
        f"{BASE}/Sib.java:Sib.make": 0.95,
        f"{BASE}/Sib.java:Sib.poke": 0.75,
        f"{path}:App.own": 0.95,
    }
    assert project.targets(path, "implements") == {f"{BASE}/Runner.java": 0.95}


FULL = {
    "a/Util.java": "package com.acme.svc;\npublic class Util { public static void slug(String s) {} }\n",
    "a/Impl.java": "package com.acme.svc;\npublic class Impl { void place() {} }\n",
    "a/Order.java": "package com.acme.model;\npublic class Order { int total() { return 1; }\n"
    "  static class Line { static void count() {} } }\n",
}


def test_full_names_begin_with_a_package_that_no_file_declares() -> None:
    """`com.acme.svc.Util` leads to the class wherever it is written; what is not of the project does not."""
    body = """package org.x;
class Fq extends com.acme.svc.Impl {
  void go(com.acme.model.Order p) { com.acme.svc.Util.slug("x"); p.total();
    com.acme.model.Order o = new com.acme.model.Order(); com.acme.model.Order.Line.count(); }
  void not() { com.acme.svc.Gone.slug(); new com.other.model.Order(); new model.Order(); com(); }
}
"""
    project = Project({**FULL, "Fq.java": body, "b/In.java": "package com.acme;\nclass In {}\n"})
    assert project.targets("Fq.java", "inherits", "Fq") == {"a/Impl.java:Impl": 0.95}
    assert project.calls("Fq.java", "Fq.go") == {
        "a/Util.java:Util.slug": 0.95,
        "a/Order.java:Order": 0.95,
        "a/Order.java:Order.total": 0.75,
        "a/Order.java:Order.Line.count": 0.95,
    }
    assert project.calls("Fq.java", "Fq.not") == {"a/Util.java:Util.slug": 0.4}
    assert project.imports("Fq.java") == ["a/Impl.java", "a/Order.java", "a/Util.java"]


def test_what_looks_like_a_package_may_be_a_variable() -> None:
    """A method of a variable that is not seen is guessed, though a package has the variable's name."""
    body = "package z;\nclass V { void f() { each(com -> com.place()); } }\n"
    assert Project({**FULL, "V.java": body}).calls("V.java", "V.f") == {"a/Impl.java:Impl.place": 0.4}
