"""Types of Go and the interfaces that they satisfy without naming them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from remora.core.code import GUESS, LIKELY
from remora.graph.go_interfaces import Shape, shape
from remora.graph.impact import impact
from tests.graph.projects import Project
from tests.graph.test_indexer import world_in

if TYPE_CHECKING:
    from pathlib import Path

MODULE = "module example.com/shop\n\ngo 1.22\n"
SAVER = "type Saver interface {\n\tSave(id string) error\n\tLoad(id string) (string, error)\n}\n"
DISK = """type Disk struct{}
func (d *Disk) Save(id string) error { return nil }
func (d *Disk) Load(key string) (text string, err error) { return "", nil }
"""


def satisfied(files: dict[str, str], path: str, name: str) -> dict[str, float]:
    """Return what a type satisfies in a project of packages by their files."""
    texts = {p: f"package {p.rpartition('/')[0] or 'main'}\n{text}" for p, text in files.items()}
    return Project({"go.mod": MODULE, **texts}).targets(path, "implements", name)


@pytest.mark.parametrize(
    ("signature", "name", "parameters", "results"),
    [
        ("func (f *F) Close() error", "Close", (), ("error",)),
        ("Put(a, b string, c int)", "Put", ("string", "string", "int"), ()),
        ("Put(o api.Order, all ...*api.Order) api.Id", "Put", ("Order", "...*Order"), ("Id",)),
        ("Put(x map[string]int, y []byte)", "Put", ("map[string]int", "[]byte"), ()),
        (
            "Sub(n int, f func(a, b int) (x int, err error)) func()",
            "Sub",
            ("int", "func(int, int) int, error"),
            ("func()",),
        ),
        ("Each(func(Order) error, chan int)", "Each", ("func(Order) error", "chan int"), ()),
        ("Do(any interface{}, v interface{})", "Do", ("any", "any"), ()),
        ("Do(in <-chan int, n int)", "Do", ("\N{LEFTWARDS ARROW}chan int", "int"), ()),
        ("func (d *Do) Do(ctx context.Context) func() error", "Do", ("Context",), ("func() error",)),
    ],
)
def test_shapes_are_types_in_order(
    signature: str, name: str, parameters: tuple[str, ...], results: tuple[str, ...]
) -> None:
    """Names of parameters and packages of types do not count; types that are shared are repeated."""
    assert shape(signature, name) == Shape(parameters, results)
    assert shape(signature.rpartition(name)[0] + name, name) is None  # what is not seen whole is not compared


@pytest.mark.parametrize(
    ("disk", "expected"),
    [
        (DISK, True),
        (DISK.replace("*Disk", "Disk"), True),
        (DISK.replace("key string", "key, more string"), False),
        (DISK.replace("id string", "id int"), False),
        (DISK.replace("Save(id string) error", "Save(id string)"), False),
        (DISK.replace("Save", "Keep"), False),
        (DISK.replace("(d *Disk) Load", "(d *Other) Load") + "type Other struct{}\n", False),
        (DISK.replace("struct{}", "func()"), True),
    ],
)
def test_a_type_needs_each_method_as_it_is_asked_for(disk: str, expected: bool) -> None:
    """One that is missing, or has other parameters or results, is enough to say no."""
    found = satisfied({"api/api.go": SAVER, "disk/disk.go": disk}, "disk/disk.go", "Disk")
    assert found == ({"api/api.go:Saver": LIKELY} if expected else {})


def test_methods_stand_anywhere_in_the_package_or_are_embedded() -> None:
    """Methods of other files of the package count, and those of what a type embeds; not of other packages."""
    head, save, load = DISK.splitlines(keepends=True)
    apart = {"api/api.go": SAVER, "disk/disk.go": head + save, "disk/more.go": load}
    assert satisfied(apart, "disk/disk.go", "Disk") == {"api/api.go:Saver": LIKELY}
    assert satisfied(apart, "disk/more.go", "Disk") == {}
    elsewhere = {"api/api.go": SAVER, "disk/disk.go": head + save, "more/more.go": load}
    assert satisfied(elsewhere, "disk/disk.go", "Disk") == {}
    fast = 'import "example.com/shop/disk"\ntype Fast struct {\n\t*disk.Disk\n}\n'
    embedded = {"api/api.go": SAVER, "disk/disk.go": DISK, "fast/fast.go": fast}
    assert satisfied(embedded, "fast/fast.go", "Fast") == {"api/api.go:Saver": LIKELY}


def test_interfaces_ask_for_what_they_embed() -> None:
    """Embedded interfaces of the project and of the standard library count; unseen ones make a guess."""
    close = "func (d *Disk) Close() error { return nil }\n"
    api = (
        SAVER
        + "type Closer interface {\n\tClose() error\n}\ntype Both interface {\n\tSaver\n\tCloser\n}\n"
        + "type Std interface {\n\tSaver\n\tio.Closer\n}\ntype Odd interface {\n\tSaver\n\tfoo.Bar\n}\n"
        + "type Number interface {\n\t~int | ~string\n}\n"
    )
    files = {"api/api.go": api, "disk/disk.go": DISK}
    saver, odd = {"api/api.go:Saver": LIKELY}, {"api/api.go:Odd": GUESS}
    assert satisfied(files, "disk/disk.go", "Disk") == saver | odd
    files["disk/disk.go"] += close
    names = {f"api/api.go:{name}": LIKELY for name in ("Both", "Closer", "Std")}
    assert satisfied(files, "disk/disk.go", "Disk") == saver | odd | names
    only = {"api/api.go": "type Out interface {\n\tio.Writer\n}\n"}
    write = "type Log struct{}\nfunc (l Log) Write(b []byte) (int, error) { return 0, nil }\n"
    assert satisfied(only | {"log/log.go": write}, "log/log.go", "Log") == {"api/api.go:Out": LIKELY}


def test_what_is_not_exported_stays_in_its_package() -> None:
    """No type of another package can have a method that is not exported."""
    inner = "type inner interface {\n\tkeep()\n}\n"
    keep = "type Disk struct{}\nfunc (d Disk) keep() {}\n"
    assert satisfied({"api/api.go": inner, "disk/disk.go": keep}, "disk/disk.go", "Disk") == {}
    assert satisfied({"disk/api.go": inner, "disk/disk.go": keep}, "disk/disk.go", "Disk") == {
        "disk/api.go:inner": LIKELY
    }


def test_generic_types_are_compared_by_count() -> None:
    """What a type parameter stands for is not known."""
    store = "type Store[T any] interface {\n\tGet(id string) (T, error)\n}\n"
    users = "type Users struct{}\nfunc (u *Users) Get(id string) (User, error) { return User{}, nil }\n"
    found = satisfied({"api/api.go": store, "users/users.go": users}, "users/users.go", "Users")
    assert found == {"api/api.go:Store": LIKELY}
    less = users.replace("(User, error)", "User")
    assert satisfied({"api/api.go": store, "users/users.go": less}, "users/users.go", "Users") == {}


def test_impact_goes_through_interfaces(tmp_path: Path) -> None:
    """Who calls a method through an interface may call that of each type; methods stand in any file."""
    head, save, load = DISK.splitlines(keepends=True)
    api = f'package api\n{SAVER}func Put(s Saver) error {{ return s.Save("x") }}\n'
    with world_in(tmp_path) as world:
        files = {"api/api.go": api, "disk/disk.go": f"package disk\n{head}{load}"}
        world.put({"go.mod": MODULE, **files, "disk/more.go": f"package disk\n{save}"})
        world.index()
        given = {i.symbol: i.via for i in impact(world.db, "api/api.go:Saver.Save").impacts}
        assert given["Disk.Save"] == ("api/api.go:Saver.Save <-overrides- disk/more.go:Disk.Save",)
        found = {i.symbol: i for i in impact(world.db, "disk/more.go:Disk.Save").impacts}
        assert found["Put"].guess
        assert found["Put"].via == ("api/api.go:Saver.Save <-calls- api/api.go:Put",)
        assert [i.path for i in impact(world.db, "api/api.go", 1).impacts] == ["disk/disk.go"]


def test_interfaces_that_are_called_as_what_they_embed() -> None:
    """An unseen base of the same name still counts, and so does `error`; one that lists types is no such."""
    api = (
        "type Writer interface {\n\tio.Writer\n\tFlush() error\n}\n"
        "type Client interface {\n\tother.Client\n\tFlush() error\n}\n"
        "type Coded interface {\n\terror\n\tCode() int\n}\n"
        "type Only interface {\n\tcomparable\n\tCode() int\n}\n"
        "type Ints interface {\n\t~int | ~string\n\tCode() int\n}\n"
        "type Int interface {\n\tint\n\tCode() int\n}\n"
    )
    out = (
        "type Out struct{}\nfunc (o Out) Flush() error { return nil }\nfunc (o Out) Code() int { return 1 }\n"
    )
    found = {"api/api.go:Client": GUESS, "api/api.go:Only": LIKELY}
    assert satisfied({"api/api.go": api, "out/out.go": out}, "out/out.go", "Out") == found
    more = (
        out
        + "func (o Out) Write(p []byte) (int, error) { return 0, nil }\n"
        + 'func (o Out) Error() string { return "" }\n'
    )
    found |= {"api/api.go:Writer": LIKELY, "api/api.go:Coded": LIKELY}
    assert satisfied({"api/api.go": api, "out/out.go": more}, "out/out.go", "Out") == found


def test_tests_from_outside_are_another_package() -> None:
    """A type of the same name in the package of outside tests has its own methods."""
    inside = "type Fake struct{}\n"
    outside = "type Fake struct{}\nfunc (f Fake) Save(id string) error { return nil }\n"
    texts = {
        "go.mod": MODULE,
        "api/api.go": f"package api\n{SAVER.replace('Load', 'Save2').split('Save2')[0]}}}\n",
        "api/fake.go": f"package api\n{inside}",
        "api/fake_test.go": f"package api_test\n{outside}",
    }
    project = Project(texts)
    assert project.targets("api/fake.go", "implements", "Fake") == {}
    assert project.targets("api/fake_test.go", "implements", "Fake") == {"api/api.go:Saver": LIKELY}
