"""The data folder, found without a library, is where the library would put it."""

from __future__ import annotations

import platformdirs
import pytest

from remora.disk.places import data_folder


def test_where_the_platform_keeps_data(monkeypatch: pytest.MonkeyPatch):
    """As platformdirs says, with and without the variable that moves it."""
    for value in ("", "/elsewhere", None):
        if value is None:
            monkeypatch.delenv("XDG_DATA_HOME", raising=False)
        else:
            monkeypatch.setenv("XDG_DATA_HOME", value)
        import os

        assert data_folder(os.environ) == platformdirs.user_data_dir("remora", appauthor=False)


@pytest.mark.parametrize(("given", "expected"), [("/data/x", "/data/x"), ("/data/../y/", "/y")])
def test_a_folder_of_ones_own(given: str, expected: str):
    """REMORA_HOME comes first."""
    assert data_folder({"REMORA_HOME": given, "HOME": "/h"}) == expected
    assert data_folder({"REMORA_HOME": "", "HOME": "/h", "XDG_DATA_HOME": "/d"}).startswith(("/d", "/h"))
