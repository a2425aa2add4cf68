"""Globs of rule files name the files that their writers mean."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from remora.core.paths import MOST_FORMS, forms, matches
from tests.tables import table


@pytest.mark.parametrize(("glob", "path", "expected"), table(__file__, "globs"))
def test_matches(glob: str, path: str, expected: str):
    """`**/` may be no folder, braces are choices, brackets a class or a name, a star crosses folders."""
    assert matches(glob, path) is (expected == "yes")


def test_forms_are_few():
    """However many choices a glob has, only so many are tried, and none takes long."""
    started = time.monotonic()
    assert len(forms("{a,b}" * 30)) == MOST_FORMS
    assert len(forms("**/" * 40)) <= MOST_FORMS
    assert not matches("*a" * 40 + "b", "a" * 1_000)
    matches("{" * 500 + "a,b" + "}" * 500, "a")
    matches("[" * 500, "a")
    assert time.monotonic() - started < 1.0


@given(st.text(st.sampled_from(list("ab/*?[]{},!^-.\\\n")), max_size=14), st.text("ab/.[]{}", max_size=8))
def test_no_glob_fails(glob: str, path: str):
    """Any text is a glob that gives an answer; one without special signs names itself only."""
    found = matches(glob, path)
    assert isinstance(found, bool)
    if not set(glob) & set("*?[]{}"):
        assert found == (glob == path)
