"""The site of the documentation: built strictly, then every page checked for links and for other hosts."""

from __future__ import annotations

import re
import shutil
import subprocess
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

from scripts.environments import BUILD, ROOT, SITE, call, environment, python_of

# The pages, and what they link to: files that are no pages can be downloaded.
SOURCES = (
    "README.md",
    "CHANGELOG.md",
    "LICENSE",
    "NOTICE",
    "docs",
    "plugin/README.md",
    "benchmarks/README.md",
    "remora",
)
LOADING = {"src", "data", "poster", "action", "formaction"}
# Of a link element, what the browser loads; "next" and the like are only told.
LOADED = {"stylesheet", "icon", "shortcut", "preload", "prefetch", "preconnect", "modulepreload", "manifest"}
IN_STYLE = re.compile(r"""url\(\s*["']?([^"')]+)|@import\s+["']([^"']+)""")


def site() -> None:
    """Build the site into build/site, with nothing left of the last time; a warning of Sphinx is an error."""
    environment(SITE, ["site"], project=False)
    source, built = BUILD / "site-source", BUILD / "site"
    for folder in (source, built):
        shutil.rmtree(folder, ignore_errors=True)
    listed = ["git", "ls-files", "--cached", "--others", "--exclude-standard", "--", *SOURCES]
    for name in subprocess.check_output(listed, cwd=ROOT, text=True).splitlines():
        if (ROOT / name).exists():
            (source / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(ROOT / name, source / name)
    (source / "README.md").rename(source / "index.md")
    sphinx = (python_of(SITE), "-m", "sphinx", "--quiet", "--fail-on-warning", "--keep-going", "--nitpicky")
    call(*sphinx, "-b", "html", "-c", ROOT / "docs", "-d", BUILD / "site-cache", "--fresh-env", source, built)
    made = list(built.rglob("*.html"))
    open_ = [page.name for page in made if "Content-Security-Policy" not in page.read_text("utf-8")]
    if wrong := [*faults(built), *(f"{name}: no policy" for name in open_)]:
        raise SystemExit("\n".join(wrong))
    print(f"{built.relative_to(ROOT)}: {len(made)} pages, open index.html")


class Page(HTMLParser):
    """What a page has: the identifiers in it, the addresses it loads, and those it links to."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.ids: set[str] = set()
        self.loads: list[str] = []
        self.links: list[str] = []
        self._style = False
        self.feed(text)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Note the attributes of an element."""
        given = {name: value or "" for name, value in attrs}
        self._style = tag == "style"
        self.ids |= {given[name] for name in ("id", "name") if name in given}
        self.loads += [given[name] for name in LOADING & given.keys()]
        self.loads += [
            address.split()[0] for address in given.get("srcset", "").split(",") if address.strip()
        ]
        self.loads += _in_style(given.get("style", ""))
        if tag == "meta" and given.get("http-equiv", "").lower() == "refresh":
            self.loads.append(given["content"].partition("=")[2])
        if "href" in given or "xlink:href" in given:
            address = given.get("href") or given.get("xlink:href", "")
            plain = tag == "a" or (tag == "link" and not LOADED & set(given.get("rel", "").split()))
            (self.links if plain else self.loads).append(address)

    def handle_data(self, data: str) -> None:
        """Note what a style in the page loads."""
        if self._style:
            self.loads += _in_style(data)

    def handle_endtag(self, tag: str) -> None:
        """Leave a style."""
        self._style &= tag != "style"


def faults(folder: Path) -> Iterator[str]:
    """Yield what is wrong with the pages of a folder, each in a line that begins with the file's name.

    A page or a style that loads from another host; a link to a file or an anchor that is not there. Links to
    other hosts are right: a browser follows them only when somebody clicks.
    """
    pages = {path: Page(path.read_text("utf-8")) for path in sorted(folder.rglob("*.html"))}
    for path, page in pages.items():
        name = path.relative_to(folder).as_posix()
        yield from (f"{name}: loads {address}" for address in page.loads if _elsewhere(address))
        for address in (*page.loads, *page.links):
            parts = urlsplit(address)
            if parts.scheme or parts.netloc:
                continue
            target = (path.parent / unquote(parts.path)).resolve() if parts.path else path
            anchor = unquote(parts.fragment)
            if not target.is_file():
                yield f"{name}: no file for {address}"
            elif anchor and target in pages and anchor not in pages[target].ids:
                yield f"{name}: no anchor for {address}"
    for path in sorted((*folder.rglob("*.css"), *folder.rglob("*.svg"))):
        found = _in_style(path.read_text("utf-8"))
        yield from (
            f"{path.relative_to(folder)}: loads {address}" for address in found if _elsewhere(address)
        )


def _in_style(text: str) -> list[str]:
    return [one or other for one, other in IN_STYLE.findall(text)]


def _elsewhere(address: str) -> bool:
    parts = urlsplit(address.strip())
    return bool(parts.netloc) or parts.scheme not in ("", "data")
