"""index, impact, files, and code in search, as people type them."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.interfaces.conftest import Run

Answer = Callable[..., Any]


@pytest.fixture(autouse=True)
def _shop(project: Path) -> None:
    """A module, one that uses it, and a test."""
    total = "def total(items):\n    return sum(price(i) for i in items)\n"
    for path, text in {
        "lib/money.py": "def price(item):\n    return item.cents\n",
        "lib/cart.py": f"from lib.money import price\n\n\n{total}",
        "tests/test_cart.py": "from lib.cart import total\n\n\ndef test_total():\n    assert not total([])\n",
    }.items():
        (project / path).parent.mkdir(exist_ok=True)
        (project / path).write_text(text, "utf-8")


def test_what_the_index_answers(run: Run, answer: Answer):
    """How much was read; files come with reasons, code with its place; before that it is said how."""
    assert "run `remora index`" in run("files", "the price").stderr
    first = run("index").stdout
    assert first.startswith("3 files in the code graph\n")
    assert "3 files read, 0 unchanged, 0 deleted; names resolved in 3" in first
    assert "left out" not in first
    assert "0 files read, 3 unchanged" in run("index").stdout
    found = answer("files", "the price of an item is wrong", "-k", "1")["files"]
    assert [f["path"] for f in found] == ["lib/money.py"]
    assert any("price" in reason for reason in found[0]["why"])
    assert run("files", "price").stdout.startswith("lib/money.py")
    result = run("search", "--code", "price of an item", "-k", "1")
    assert result.stdout.startswith("lib/money.py:1-2")
    assert "def price(item):" in result.stdout


def test_impact_lists_the_nearest_first(run: Run):
    """Depth, what, and how; tests are marked, and memories about the target stand below."""
    run("index")
    lines = run("impact", "lib/money.py:price").stdout.splitlines()
    assert [line.split()[:2] for line in lines[:2]] == [
        ["1", "lib/cart.py:total"],
        ["2", "tests/test_cart.py:test_total"],
    ]
    assert lines[1].endswith("(test)")
    only = run("impact", "price", "--tests").stdout.splitlines()
    assert [line.split()[1] for line in only] == ["tests/test_cart.py:test_total"]
    run("remember", "Prices are in cents", "--file", "lib/money.py", "--type", "gotcha")
    assert "gotcha: Prices are in cents" in run("impact", "lib/money.py").stdout
    assert "remora index" in run("impact", "nothing").stderr


def test_impact_takes_paths_from_where_one_stands(run: Run, project: Path, monkeypatch: pytest.MonkeyPatch):
    """A file there, a symbol with a dot, and a folder as a whole mean what they say."""
    run("index")
    for name in ("lib", "lib/"):
        result = run("impact", name)
        assert [line.split()[:2] for line in result.stdout.splitlines()] == [["1", "tests/test_cart.py"]]
        assert "note: lib/ is a folder" in result.stderr
    monkeypatch.chdir(project / "lib")
    (project / ".git").mkdir()  # not a repository, but nothing above is looked at
    for target in ("money.py:price", "money.price"):
        assert "lib/cart.py:total" in run("--project", str(project), "impact", target).stdout


def test_nothing_found_says_what_to_do_next(run: Run, project: Path):
    """What was searched is named; to index again is no advice where the code is indexed."""
    assert "No code fits" not in run("search", "--code", "zzqqxx").stderr  # that it is not indexed is enough
    run("index")
    for kind in (["--code"], ["--kind", "code"]):
        said = run("search", *kind, "zzqqxx").stderr
        assert said == "No code matches. Try other words, or a name from the code.\n"
    assert "No code matches the query" in run("search", "--code", "zzqqxx", "--file", "lib/").stderr
    said = run("files", "zzqqxx").stderr
    assert said == "No file matches. Names, error messages and paths work best.\n"
    for path in project.rglob("*.py"):
        path.unlink()
    run("index")
    assert run("files", "zzqqxx").stderr.splitlines() == ["note: the index contains no code"]
    assert run("search", "--code", "zzqqxx").stderr.splitlines() == ["note: the index contains no code"]
    assert "contains no code" in run("doctor").stdout


@pytest.mark.skipif(os.name == "nt", reason="needs signals")
def test_watching_ends_with_an_interrupt(project: Path):
    """`remora index --watch` follows a change and ends cleanly."""
    command = [sys.executable, "-m", "remora", "--json", "index", "--watch"]
    root = Path(__file__).parents[2]
    env = {**os.environ, "PYTHONPATH": str(root)}
    log = project.parent / "watched.txt"
    with log.open("wb") as out:
        process = subprocess.Popen(command, cwd=project, env=env, stdout=out)
    try:
        deadline = time.monotonic() + 20
        while '"read": 3' not in log.read_text("utf-8") and time.monotonic() < deadline:
            time.sleep(0.1)
        while '"read": 1' not in log.read_text("utf-8") and time.monotonic() < deadline:
            (project / "lib" / "new.py").write_text(f"x = {time.monotonic_ns()}\n", "utf-8")
            time.sleep(0.7)
        process.send_signal(signal.SIGINT)
        assert process.wait(20) == 0
    finally:
        process.kill()
        process.wait()
    assert '"read": 1' in log.read_text("utf-8")
