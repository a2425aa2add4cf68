"""Signatures show parameters."""

from __future__ import annotations

import pytest

from remora.graph.tables import parameters


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
