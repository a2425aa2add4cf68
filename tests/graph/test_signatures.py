"""Signatures show parameters and return types."""

from __future__ import annotations

import pytest

from remora.graph.signatures import parameters, return_type


@pytest.mark.parametrize(
    ("language", "signature", "expected"),
    [
        ("python", "def f(a, /, b=g(1, 2), *, c: Dict[str, int] = {}, **d)", {"a", "b", "c", "d"}),
        ("typescript", "f(public a: string, b?: (x: number) => void, ...rest: T[])", {"a", "b", "rest"}),
        ("go", "func (s *S) f(a, b int, c ...string) error", {"a", "b", "c"}),
        ("rust", "fn f(&mut self, mut a: &str)", {"self", "a"}),
        ("java", "public <T> void f(final List<T> a, int b)", {"a", "b"}),
        ("cpp", "void f(const std::map<int, int>& a, int b = 3)", {"a", "b"}),
        ("php", "function f(?Foo $a, int ...$b): void", {"a", "b"}),
        ("python", "def f", set()),
        ("python", "def f(a, b …", {"a", "b"}),
    ],
)
def test_parameters(language: str, signature: str, expected: set[str]) -> None:
    """The names are found in each language's order of name and type."""
    assert parameters(signature, "f", language) == expected


@pytest.mark.parametrize(
    ("language", "signature", "expected"),
    [
        ("python", "def f(a: B) -> C:", "C"),
        ("python", "async def f() -> 'a.C | None'", "a.C"),
        ("python", "def f(self) -> Self", "Self"),
        ("python", "def f(self)", ""),
        ("typescript", "async f(a: B): Promise<C>", "C"),
        ("typescript", "const f = (a): C =>", "C"),
        ("go", "func f() (*pkg.C, error)", "pkg.C"),
        ("go", "func f() (c C, err error)", "C"),
        ("go", "func f() []C", ""),
        ("rust", "pub fn f<'a>(x: &'a str) -> Result<C, E> where X: Y", "C"),
        ("rust", "fn f() -> Self", "Self"),
        ("java", "@Override public static List<C> f(int a)", "List"),
        ("java", "C f()", "C"),
        ("cpp", "const geo::C& f(int a) const", "geo.C"),
        ("csharp", "public async Task<C> f()", "C"),
        ("php", "public function f(): ?C", "C"),
        ("ruby", "def f(a)", ""),
    ],
)
def test_return_types(language: str, signature: str, expected: str) -> None:
    """The one named type that comes back is found; wrappers around one value are seen through."""
    assert return_type(signature, "f", language).replace("::", ".") == expected
