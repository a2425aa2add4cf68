"""init, stats, doctor, reindex, completion, work."""

from __future__ import annotations

import os
import shlex
import shutil
import socket
import subprocess
from pathlib import Path

import pytest
from click.testing import CliRunner

from remora.app.memory import Memory
from remora.interfaces.cli import cli
from remora.interfaces.commands import maintenance
from remora.net import listeners
from tests.helpers import Repo
from tests.interfaces.conftest import Answer, Remember, Run, command_line

RULES = "# Rules\n\n- Always run `make lint` before a commit.\n- The cache must be keyed by tenant id.\n"


@pytest.fixture
def repository(project: Path) -> Path:
    """A repository with rules, two files that change together, and a fix."""
    (project / "AGENTS.md").write_text(RULES)
    repo = Repo(project).init()
    for number in range(3):
        repo.commit(f"change {number}", dict.fromkeys(("cache.py", "tenant.py"), f"value = {number}\n"))
    return project


def test_init_reports_in_sentences(run: Run, answer: Answer, repository: Path, tmp_path: Path) -> None:
    """The first run ends with what to try, the second finds nothing new; a path is the project meant."""
    result = run("init")
    assert (result.exit_code, result.stderr) == (0, "")
    assert f"Memory of {repository}" in result.stdout
    assert "Read 1 rule file: AGENTS.md. 2 rules found." in result.stdout
    assert "Read 3 commits of git history." in result.stdout
    assert "2 memories stored" in result.stdout
    assert result.stdout.index("Try next") > result.stdout.index("Done in")
    assert "remora related cache.py" in result.stdout
    assert "make lint" in run("search", "lint before commit").stdout
    again = answer("init")
    assert (again["stored"], again["commits_new"], again["unchanged"]) == (0, 0, 2)
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    (elsewhere / "CLAUDE.md").write_text("# Rules\n\n- Never push on Fridays.\n")
    assert answer("init", str(elsewhere))["root"] == str(elsewhere)
    assert "Fridays" in run("list", "--project", str(elsewhere)).stdout
    assert "Fridays" not in run("list").stdout


def test_doctor(run: Run, answer: Answer, tmp_path: Path) -> None:
    """It says how to begin and makes no folder; that it is off is told; broken settings have their code."""
    result = run("doctor")
    assert result.exit_code == 0
    assert "does not exist yet" in result.stdout
    assert "`remora init`" in result.stdout
    assert complete("remora show ") == []
    assert answer("doctor")["level"] == "warning"  # there is no embedding model in these tests
    assert not (tmp_path / "data" / "projects").exists()
    run("remember", "Money is kept in cents")
    assert "Remora is off for this project" not in run("doctor").stdout
    run("off")
    assert "Remora is off for this project" in run("doctor").stdout
    (tmp_path / "config").mkdir(exist_ok=True)
    (tmp_path / "config" / "config.toml").write_text("home = [")
    result = run("doctor")
    assert result.exit_code == 3
    assert "is not valid TOML" in result.stdout


def test_reindex(run: Run, answer: Answer, memory: Memory) -> None:
    """Turns are made again from the logs; vectors are not, without a model."""
    memory.session("cli:1").extend([{"role": "user", "content": f"sentence {n}"} for n in range(3)])
    assert run("reindex").stdout == "3 rows rebuilt.\n"
    assert answer("reindex") == {"rows": 3}
    assert answer("stats")["turns"] == 3
    assert answer("work", "--seconds", "1") == {"embedded": 0}
    assert run("work").stdout == "0 texts embedded.\n"


def test_completion_script(run: Run, answer: Answer) -> None:
    """Each shell gets a script that asks remora itself."""
    for shell in ("bash", "zsh", "fish"):
        script, document = run("completion", shell).stdout, answer("completion", shell)
        assert f"_REMORA_COMPLETE={shell}_complete" in script
        assert document["script"].strip() == script.strip()
        assert "remora completion" in document["install"]


def complete(line: str) -> list[str]:
    """Return what a shell would offer for a line whose last word is being typed."""
    variables = {"_REMORA_COMPLETE": "bash_complete", "COMP_WORDS": line, "COMP_CWORD": str(line.count(" "))}
    result = CliRunner(env=variables).invoke(cli, [], prog_name="remora", complete_var="_REMORA_COMPLETE")
    return [entry.partition(",")[2] for entry in result.stdout.split()]


BASH = shutil.which("bash")
# What bash does on TAB: it looks up the function of the command, and hands it the words of the line.
PRESS_TAB = """
source <(remora completion bash) || exit 1
function=$(complete -p remora | sed 's/.*-F \\([^ ]*\\).*/\\1/')
COMP_WORDS=("$@")
COMP_CWORD=$(($# - 1))
"$function" remora "${COMP_WORDS[$COMP_CWORD]}" "${COMP_WORDS[$COMP_CWORD - 1]}"
[[ ${#COMPREPLY[@]} -eq 0 ]] || printf '%s\\n' "${COMPREPLY[@]}"
"""


@pytest.mark.slow
@pytest.mark.skipif(BASH is None, reason="there is no bash here")
def test_bash_completes(project: Path, tmp_path: Path, remember: Remember) -> None:
    """In a real bash the script completes verbs, options, types and ids, also behind words in quotes."""
    program = tmp_path / "bin" / "remora"
    program.parent.mkdir()
    program.write_text(f'#!/bin/sh\nexec {shlex.join(command_line())} "$@"\n')
    program.chmod(0o755)
    env = {**os.environ, "PATH": f"{program.parent}{os.pathsep}{os.environ['PATH']}"}
    memory_id = remember("Tokens expire after 24 h, or sooner: it's $HOME * that counts")
    for line, found in {
        "remora sea": "search",
        "remora list --needs": "--needs-review",
        "remora search 'two words' --type gotcha,dec": "gotcha,decision",
        "remora xyzzy": "",
        f"remora show {memory_id[:4]}": memory_id[:8],
    }.items():
        typed = shlex.split(line, posix=False)  # quotes stay
        command = [str(BASH), "--noprofile", "--norc", "-c", PRESS_TAB, "bash", *typed]
        done = subprocess.run(command, env=env, capture_output=True, text=True, check=False, timeout=60)
        assert (done.returncode, done.stderr, done.stdout.split()) == (0, "", found.split()), line


def test_words_and_ids_are_completed(run: Run, project: Path, remember: Remember) -> None:
    """Verbs, options and values, the last of several, too; ids of memories, of forgotten ones for restore."""
    for line, found in {
        "sup": "supersede",
        "wor": "",  # hidden
        "list --needs": "--needs-review",
        "list --type go": "gotcha",
        "search x --type gotcha,dec": "gotcha,decision",
        "search x --phase re": "refine reflect",
        "remember x --scope w": "work_unit",
        "completion f": "fish",
    }.items():
        assert complete(f"remora {line}") == found.split(), line
    first, second = remember("one thing"), remember("two things")
    run("forget", second)
    assert complete(f"remora show {first[:3]}") == complete(f"remora why {first[:3]}") == [first[:8]]
    assert complete("remora forget ") == [first[:8]]
    assert complete("remora restore ") == [second[:8]]
    assert complete(f"remora show {first[:12]}") == [first]


def test_a_person_is_asked_once_about_a_server(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The question names the server and the doubt; whatever the answer is, it is not asked again."""
    asked: list[str] = []
    monkeypatch.setattr("click.confirm", lambda question, **_: asked.append(question))
    monkeypatch.setattr(listeners, "distrusted", lambda *_: "it belongs to another user (id 4242)")
    with socket.create_server(("127.0.0.1", 0)) as server:
        url = f"http://127.0.0.1:{server.getsockname()[1]}"
        monkeypatch.setenv("OLLAMA_HOST", url)
        monkeypatch.setenv("REMORA_EMBEDDING_PROVIDER", "auto")
        for _ in range(2):
            maintenance._ask_about_listener(project)
    (question,) = asked
    assert url in question
    assert "another user" in question
