"""The panel in a real Chromium: `python dev.py panel` runs this; pytest does not find it by itself.

Every page is visited with 0, 1, 300 and 10,000 memories, in both languages, light and dark. Screenshots lie
in `build/panel` afterwards, to be looked at. axe-core must find nothing serious, no page may scroll sideways
at 320 px, the keyboard alone must reach everything, and no request may leave the machine.
"""

from __future__ import annotations

import os
import re
import shutil
import signal
import statistics
import subprocess
import sys
import time
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import Any

import pytest

from remora import Memory
from remora.core.change import PERSON
from remora.core.clock import SystemClock
from remora.core.values import MEMORY_TYPES
from remora.interfaces.panel.demo import made_up
from remora.interfaces.panel.pages import PAGES

playwright = pytest.importorskip("playwright.sync_api")
ROOT = Path(__file__).parents[4]
PICTURES = ROOT / "build" / "panel"
SIZES = (0, 1, 300, 10_000)
PLAIN = [path for path, _ in PAGES if "{" not in path and path != "file"]
MORE = (
    "file?path=billing/tax.py",
    "preview?at=edit&about=billing/tax.py",
    "ask?q=why+do+sessions+end",
    "memories?q=tax",
)
SERIOUS = ("serious", "critical")
SERVER_SECONDS, FIRST_BYTES = 0.100, 150_000
Look = Callable[..., AbstractContextManager[Any]]


class Panel:
    """A panel in a process of its own.

    Attributes:
        address: that opens it once.
        home: the address of its project.
        process: it.
    """

    def __init__(self, folder: Path, size: int) -> None:
        self.environ = {
            **{k: v for k, v in os.environ.items() if not k.startswith("REMORA_")},
            "REMORA_HOME": str(folder / "data"),
            "REMORA_CONFIG": str(folder / "config"),
            "REMORA_EMBEDDING_PROVIDER": "none",
            "HOME": str(folder / "person"),
            "LANG": "C",
        }
        root = folder / "tally"
        fill(root, self.environ, size)
        words = [sys.executable, "-m", "remora", "--project", str(root), "panel", "--no-open", "--port", "0"]
        self.process = subprocess.Popen(words, stdout=subprocess.PIPE, text=True, env=self.environ, cwd=ROOT)
        assert self.process.stdout is not None
        self.address = self.process.stdout.readline().strip()
        self.home = ""

    def end(self) -> int:
        """Tell it to end, and return its exit code."""
        self.process.send_signal(signal.SIGTERM)
        code = self.process.wait(10)
        assert self.process.stdout is not None
        self.process.stdout.close()
        return code


def fill(root: Path, environ: dict[str, str], size: int) -> None:
    """Write the project of the demo; below its size the memory is made anew, above it is filled up."""
    made_up(root, environ, SystemClock()).close()
    with Memory.open(root, environ=environ, actor=PERSON) as memory:
        if size <= 1:
            memory.erase([one.id for one in memory.list()][size:])
            return
        store = memory._project.store("project")
        records = memory.list()
        with store.db.transaction():
            for number in range(size - len(records)):
                kind = MEMORY_TYPES[number % len(MEMORY_TYPES)]
                copy = records[number % len(records)]._replace(
                    id=f"{number:08x}-0000-4000-8000-000000000000",
                    content=f"Statement number {number} of the {kind.replace('_', ' ')} kind stands here",
                    type=kind,
                    needs_review=number % 17 == 0,
                )
                store.db.memories.insert(copy)


@pytest.fixture(scope="module")
def panels(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[int, Panel]]:
    """A panel of each size."""
    found = {size: Panel(tmp_path_factory.mktemp(f"panel-{size}"), size) for size in SIZES}
    yield found
    for one in found.values():
        one.end()


@pytest.fixture(scope="module")
def chromium() -> Iterator[Any]:
    """The browser of the machine."""
    program = (
        os.environ.get("REMORA_CHROMIUM") or shutil.which("chromium") or shutil.which("chromium-browser")
    )
    if program is None:
        pytest.fail("Chromium is not here: install Debian's package chromium, or name one in REMORA_CHROMIUM")
    with playwright.sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=program, args=["--no-sandbox"])
        yield browser
        browser.close()


@pytest.fixture(scope="module")
def doors(panels: dict[int, Panel], chromium: Any) -> dict[int, dict[str, Any]]:
    """The cookie of each panel, for the one key that it has."""
    found = {}
    for size, one in panels.items():
        context = chromium.new_context()
        page = context.new_page()
        page.goto(one.address)
        page.wait_for_selector("main")
        one.home = page.url
        found[size] = context.storage_state()
        context.close()
    return found


@pytest.fixture
def look(chromium: Any, doors: dict[int, Any], panels: dict[int, Panel]) -> Look:
    """Open a page at a panel, by its size; its console, and its requests to other hosts, fail the test."""

    @contextmanager
    def looking(size: int = 300, **how: Any) -> Iterator[Any]:
        home = panels[size].home
        context = chromium.new_context(storage_state=doors[size], base_url=home, **how)
        page = context.new_page()
        wrong: list[str] = []
        own = home.partition("//")[2].partition("/")[0]
        page.on("console", lambda told: wrong.append(told.text) if told.type == "error" else None)
        page.on("pageerror", lambda error: wrong.append(str(error)))
        page.on("request", lambda asked: wrong.append(asked.url) if own not in asked.url else None)
        yield page
        context.close()
        assert wrong == []

    return looking


def speak(page: Any, language: str) -> None:
    """Choose a language at the foot of the page."""
    page.goto("./")
    page.click(f'footer button[value="{language}"]')


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("language", ["en", "fr"])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_tour(look: Look, size: int, language: str, scheme: str) -> None:
    """Every page is there, says what it is, and has a screenshot."""
    folder = PICTURES / f"{size}-{language}-{scheme}"
    folder.mkdir(parents=True, exist_ok=True)
    with look(size, color_scheme=scheme, viewport={"width": 1280, "height": 860}) as page:
        speak(page, language)
        for path in (*PLAIN, *MORE):
            page.goto(path or "./")
            assert page.locator("h1").count() == 1, path
            assert page.get_attribute("html", "lang") == language
            name = re.sub(r"\W+", "-", path) or "health"
            page.screenshot(path=folder / f"{name}.png", full_page=size != SIZES[-1])
        if size:
            page.goto("memories")
            page.locator(".memory .text").first.click()
            page.locator("details summary").first.click()
            page.screenshot(path=folder / "memory.png", full_page=True)
        speak(page, "en")


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_nothing_serious_for_axe(look: Look, scheme: str) -> None:
    """The rules of WCAG 2.2 AA that a program can check, on every page."""
    axe = pytest.importorskip("axe_playwright_python.sync_playwright").Axe()
    found: list[str] = []
    with look(color_scheme=scheme, bypass_csp=True) as page:
        page.goto("memories")
        memory = page.locator(".memory .text").first.get_attribute("href").partition("/memories/")[2]
        for path in (*PLAIN, *MORE, f"memories/{memory}"):
            page.goto(path or "./")
            for one in axe.run(page).response["violations"]:
                if one["impact"] in SERIOUS:
                    found.append(f"{path}: {one['id']}: {one['nodes'][0]['html'][:160]}")
    assert found == []


@pytest.mark.parametrize("size", [0, 300])
def test_a_narrow_screen_scrolls_one_way(look: Look, size: int) -> None:
    """At 320 px nothing stands outside of the page."""
    wide = []
    with look(size, viewport={"width": 320, "height": 640}) as page:
        for path in (*PLAIN, *MORE):
            page.goto(path or "./")
            over = page.evaluate(
                "document.documentElement.scrollWidth - document.documentElement.clientWidth"
            )
            if over > 0:
                wide.append((path, over))
        page.goto("./")
        page.screenshot(path=PICTURES / f"narrow-{size}.png", full_page=True)
    assert wide == []


def test_the_keyboard_alone(look: Look) -> None:
    """From the top of the page to a correction, with Tab, Enter and letters; what has the focus is seen."""
    with look() as page:
        page.goto("./")
        page.keyboard.press("Tab")
        assert page.evaluate("document.activeElement.className") == "skip"
        page.keyboard.press("m")
        page.wait_for_url("**/memories")
        page.keyboard.press("/")
        assert page.evaluate("document.activeElement.id") == "find"
        page.keyboard.type("tax of an order")
        page.keyboard.press("Enter")
        page.wait_for_url("**q=tax*")
        seen = reach(page, "a.text")
        assert seen
        page.keyboard.press("Enter")
        page.wait_for_url("**/memories/*")
        reach(page, "summary")
        page.keyboard.press("Enter")
        reach(page, 'input[name="choice"]')
        page.keyboard.press("ArrowUp")  # round to the last one
        page.keyboard.press("ArrowUp")
        assert page.evaluate("document.activeElement.value") == "silent"
        page.keyboard.press("Enter")
        page.wait_for_selector(".said.good")


def reach(page: Any, selector: str) -> bool:
    """Press Tab until something has the focus, and see that it shows."""
    for _ in range(80):
        page.keyboard.press("Tab")
        if page.evaluate(f"document.activeElement.matches({selector!r})"):
            outline = page.evaluate("getComputedStyle(document.activeElement).outlineStyle")
            assert outline != "none"
            return True
    pytest.fail(f"the keyboard does not reach {selector}")


def test_without_scripts(look: Look) -> None:
    """Everything but the streams works: search, ask, forget, undo."""
    with look(java_script_enabled=False) as page:
        page.goto("ask")
        page.fill('input[name="q"] >> nth=1', "why do sessions end")
        page.locator("#ask button").click()
        assert "tills" in page.inner_text("#answer")
        page.goto("memories")
        page.locator('input[name="id"]').first.check()
        page.click('button[value="forget"]')
        page.click(".undo button")
        page.wait_for_selector(".said.good")
        assert page.locator(".said.good").count() == 1


def test_an_answer_streams(look: Look) -> None:
    """With scripts the answer comes into the page that asked."""
    with look() as page:
        page.goto("ask")
        page.fill('#ask input[name="q"]', "why do sessions end")
        page.locator("#ask button").click()
        page.wait_for_selector("#answer blockquote")
        assert page.url.endswith("/ask")


def test_what_agents_are_told_comes_live(look: Look, panels: dict[int, Panel]) -> None:
    """A session that is told something while somebody looks at the page shows up there."""
    panel = panels[300]
    with look() as page:
        page.goto("said")
        root = Path(panel.environ["REMORA_HOME"]).parent / "tally"
        with (
            Memory.open(root, environ=panel.environ) as memory,
            memory.loop("live-one", host="tour") as loop,
        ):
            path = str(root / "billing" / "money.py")
            loop.before("Edit", {"file_path": path, "old_string": "a", "new_string": "b"})
        page.wait_for_selector("text=tour:live-one", timeout=8_000)


def test_pages_are_fast_and_small(doors: dict[int, Any], panels: dict[int, Panel]) -> None:
    """Under 100 ms a page at 10,000 memories (the median of five), and the first page under 150 kB."""
    panel = panels[10_000]
    cookie = next(one for one in doors[10_000]["cookies"] if one["name"] == "remora_panel")
    slow = {}
    for path in [p for p in PLAIN if p != "findings"]:
        asked = urllib.request.Request(
            panel.home + path, headers={"Cookie": f"remora_panel={cookie['value']}"}
        )
        times = []
        for _ in range(6):
            started = time.perf_counter()
            with urllib.request.urlopen(asked) as answer:
                body = answer.read()
            times.append(time.perf_counter() - started)
        print(f"{path or 'health':12} {statistics.median(times[1:]) * 1000:6.1f} ms {len(body):8,} bytes")
        if statistics.median(times[1:]) > SERVER_SECONDS:
            slow[path] = statistics.median(times[1:])
        if not path:
            assert len(body) < FIRST_BYTES
    assert slow == {}


def test_a_link_on_another_site_opens_it(tmp_path: Path, chromium: Any) -> None:
    """A terminal in a browser is another site: the link that it shows works all the same."""
    panel = Panel(tmp_path, 1)
    page = chromium.new_page()
    page.route(
        "http://elsewhere.test/",
        lambda route: route.fulfill(body=f'<a href="{panel.address}">open</a>', content_type="text/html"),
    )
    page.goto("http://elsewhere.test/")
    page.click("a")
    page.wait_for_selector("main h1")
    page.close()
    assert panel.end() == 0


def test_it_leaves_nothing_behind(tmp_path: Path, chromium: Any) -> None:
    """After SIGTERM there is no process and no socket, even while a stream is looked at."""
    panel = Panel(tmp_path, 1)
    context = chromium.new_context()
    page = context.new_page()
    page.goto(panel.address)
    page.wait_for_selector("main")
    page.goto(page.url + "said")
    assert panel.end() == 0
    with pytest.raises(OSError, match="refused"):
        urllib.request.urlopen(panel.address)
    context.close()
    with Memory.open(tmp_path / "tally", environ=panel.environ) as memory:
        memory.remember("It can be written to at once")


def test_the_demo_leaves_nothing_behind(tmp_path: Path, chromium: Any) -> None:
    """Its made-up data is deleted when it ends, by a signal, too."""
    environ = {**os.environ, "TMPDIR": str(tmp_path), "REMORA_EMBEDDING_PROVIDER": "none"}
    words = [sys.executable, "-m", "remora", "panel", "--demo", "--no-open", "--port", "0"]
    with subprocess.Popen(words, stdout=subprocess.PIPE, text=True, env=environ, cwd=ROOT) as process:
        assert process.stdout is not None
        page = chromium.new_page()
        page.goto(process.stdout.readline().strip())
        assert "12" in page.inner_text(".counts")
        page.close()
        process.send_signal(signal.SIGTERM)
        assert process.wait(10) == 0
    assert list(tmp_path.glob("remora-demo-*")) == []
