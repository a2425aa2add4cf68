"""The check of the site's pages: links that lead nowhere, and what is loaded from other hosts."""

from __future__ import annotations

from pathlib import Path

import pytest

from docs import conf
from scripts.pages import faults

ROOT = Path(__file__).resolve().parents[2]


@pytest.mark.parametrize(
    ("element", "fault"),
    [
        ('<script src="https://cdn.example/x.js"></script>', "loads https://cdn.example/x.js"),
        ('<link rel="stylesheet" href="//fonts.example/x.css">', "loads //fonts.example/x.css"),
        ('<img srcset="x.png 1x, https://cdn.example/y.png 2x">', "loads https://cdn.example/y.png"),
        ('<p style="background: url(https://cdn.example/x.png)">', "loads https://cdn.example/x.png"),
        ('<style>@import "https://fonts.example/x.css";</style>', "loads https://fonts.example/x.css"),
        ('<meta http-equiv="refresh" content="0; url=https://example.org">', "loads https://example.org"),
        ('<a href="gone.html">', "no file for gone.html"),
        ('<a href="other.html#gone">', "no anchor for other.html#gone"),
        ('<a href="#gone">', "no anchor for #gone"),
    ],
)
def test_what_is_wrong_with_a_page_is_found(element: str, fault: str, tmp_path: Path):
    """An address of another host that a browser loads, a link to a file or an anchor that is not there."""
    (tmp_path / "x.png").touch()
    (tmp_path / "other.html").write_text('<h1 id="here">Other</h1>')
    (tmp_path / "index.html").write_text(f"<body>{element}</body>")
    assert list(faults(tmp_path)) == [f"index.html: {fault}"]


def test_a_page_may_link_to_other_hosts(tmp_path: Path):
    """Nothing is wrong with a link that somebody clicks on, data in the page, or an anchor that is there."""
    (tmp_path / "other.html").write_text('<h1 id="here">Other</h1><img src="data:image/png;base64,AA==">')
    (tmp_path / "index.html").write_text('<a href="https://example.org">x</a><a href="other.html#here">y</a>')
    assert list(faults(tmp_path)) == []


def test_a_style_that_loads_from_elsewhere_is_found(tmp_path: Path):
    """Fonts and pictures that a style sheet names are addresses that a page loads."""
    (tmp_path / "x.css").write_text("@font-face { src: url('https://fonts.example/x.woff2'); }")
    assert list(faults(tmp_path)) == ["x.css: loads https://fonts.example/x.woff2"]


def test_every_page_of_the_documentation_is_in_the_navigation():
    """The list at the left has every page of docs/ once, and no page that is not there."""
    listed = [name for pages in conf.PAGES.values() for name in pages.values()]
    assert len(listed) == len(set(listed))
    assert {p.relative_to(ROOT).with_suffix("").as_posix() for p in (ROOT / "docs").glob("*.md")} <= set(
        listed
    )
    assert [name for name in listed if not (ROOT / f"{name}.md").exists()] == []
