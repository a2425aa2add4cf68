"""Every check of the doctor, on real files."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from remora import Memory
from remora.app.codebase.indexing import LEFT_OUT
from remora.app.health.doctor import diagnose
from remora.app.health.findings import Finding, Report
from remora.core.setting_descriptions import DESCRIPTIONS
from remora.store import migrations
from tests.graph.projects import db_of
from tests.helpers import FakeEmbedder, Repo, environment
from tests.store.makers import save

KEY = "sk-proj-abcdefghijklmnopqrstuvwxyz0123456789ABCD"


@pytest.fixture
def environ(tmp_path: Path) -> dict[str, str]:
    """Settings that keep everything in tmp_path, without an embedding model; none else is set."""
    environ = environment(tmp_path)
    del environ["REMORA_TRIAL_SHARE"]
    return environ


def of(report: Report, what: str) -> list[Finding]:
    """Return the findings about one thing."""
    return [f for f in report.findings if f.what == what]


def test_where_nothing_is_yet(folder: Path, environ: dict[str, str], tmp_path: Path) -> None:
    """A project without memory is no error; the advice says how to begin, and nothing is made."""
    report = diagnose(folder, environ)
    assert report.level == "warning"
    (database,) = of(report, "database")
    assert (database.level, "`remora init`" in database.advice) == ("note", True)
    (found,) = of(report, "embedding")  # without a model: the reason, and what still works
    assert (found.level, "embedding.provider is none" in found.detail) == ("warning", True)
    assert "words" in found.advice
    assert not (tmp_path / "data").exists()
    assert diagnose(tmp_path / "nowhere", environ).kind == "InvalidInput"


def test_sound_store(folder: Path, environ: dict[str, str]) -> None:
    """Places, schema, counts, git, permissions and disk are each named.

    A home that others may enter is a warning with the command that closes it.
    """
    with Memory.open(folder, environ=environ) as memory:
        memory.remember("Tokens expire after 24 h", type="decision")
        memory.remember("I like tabs", type="preference", user=True)
        memory.session("cli:1").append("user", "hello")
        report = memory.doctor()
        home, project_id = memory.home, memory.project_id
        home.chmod(0o755)
        (entered,) = of(memory.doctor(), "permissions")
    advice = f"`chmod 700 {home}` denies them access."
    assert (entered.level, entered.advice) == ("warning", advice)
    (database,) = of(report, "database")
    assert database.level == "ok"
    assert f"schema {migrations.latest()} of {migrations.latest()}" in database.detail
    assert "memories: 1, records: 0, forgotten: 0, turns: 1" in database.detail
    assert of(report, "your own database")[0].level == "ok"
    assert of(report, "sessions") == [Finding("ok", "sessions", "logs: 1")]
    assert of(report, "project home")[0].detail == str(home)
    assert project_id in of(report, "project")[0].detail
    assert of(report, "data folder")[0].detail == environ["REMORA_HOME"]
    assert "is not in a repository" in of(report, "git")[0].detail
    assert of(report, "permissions") == []
    assert "free at" in of(report, "disk")[0].detail


def test_model_is_tried(folder: Path, environ: dict[str, str]) -> None:
    """The tier in use is asked for a vector; vectors and what lacks one are counted."""
    environ["REMORA_EMBEDDING_PROVIDER"] = "onnx"
    with Memory.open(folder, environ=environ) as memory:
        memory.remember("Tokens expire after 24 h", type="decision")
        before = memory.doctor()
        memory.catch_up()
        after = memory.doctor()
    (tier,) = of(before, "embedding")
    assert tier.level == "ok"
    assert tier.detail.startswith("onnx, model ")
    assert "answers in" in tier.detail
    (pending,) = of(before, "vectors")
    assert (pending.level, pending.detail) == ("note", "memories and turns without a vector: 1")
    (vectors,) = of(after, "vectors")
    assert vectors.level == "ok"
    assert vectors.detail.startswith("1 memory vectors of ")


def test_model_that_does_not_answer(folder: Path, environ: dict[str, str], embedder: FakeEmbedder) -> None:
    """A model that fails is an error of its class, with its own advice; so is one that lacks a setting."""
    embedder.broken = True
    with Memory.open(folder, environ=environ, embedder=embedder) as memory:
        memory.remember("Tokens expire after 24 h", type="decision")
        memory.catch_up()
        report = memory.doctor()
    (found,) = of(report, "embedding")
    assert (found.level, found.kind) == ("error", "ProviderBusy")
    assert found.detail == f"given, model {embedder.model_id}: the fake model is loading"
    assert [f.level for f in of(report, "vectors")] == ["warning", "note"]
    environ |= {"REMORA_EMBEDDING_PROVIDER": "openai", "REMORA_EMBEDDING_URL": "http://127.0.0.1:9/v1"}
    report = diagnose(folder, environ)
    (found,) = of(report, "embedding")
    assert (found.level, found.advice) == ("error", "Set embedding.model.")
    assert found.kind == report.kind


def test_damaged_index(folder: Path, environ: dict[str, str]) -> None:
    """A full-text index that lost a row is found; of what cannot be opened the other checks still run."""
    with Memory.open(folder, environ=environ) as memory:
        memory.remember("Tokens expire after 24 h", type="decision")
        database = memory.home / "memory.db"
        with memory._project.db.transaction():
            memory._project.db.connection.execute("DELETE FROM memories_fts")
    (found,) = of(diagnose(folder, environ), "database")
    assert (found.level, found.kind) == ("error", "StoreCorrupt")
    assert "memories_fts and memories differ in 1 rows" in found.detail
    assert str(database) in found.advice
    for path in database.parent.glob("memory.db*"):
        path.unlink()
    database.write_bytes(b"this is not a database, however often it is said " * 100)
    report = diagnose(folder, environ)
    assert [f.kind for f in report.findings if f.level == "error"] == ["StoreCorrupt"]
    assert of(report, "embedding")
    assert of(report, "disk")


def test_unreadable_log_and_git(repo: Repo, environ: dict[str, str]) -> None:
    """A session log that cannot be read is a warning; the branch and its commit are named."""
    assert of(diagnose(repo.root, environ), "git")[0].detail == "a repository without commits"
    repo.commit("one")
    with Memory.open(repo.root, environ=environ) as memory:
        memory.session("cli:1").append("user", "hello")
        (memory.home / "sessions" / "odd.jsonl").write_text("this is no log\n")
        report = memory.doctor()
    (bad,) = of(report, "session log")
    assert (bad.level, "odd.jsonl" in bad.detail) == ("warning", True)
    assert of(report, "git")[0].detail.startswith("branch main at ")


def test_settings_and_where_they_come_from(folder: Path, environ: dict[str, str], tmp_path: Path) -> None:
    """Each that differs from its default is shown with its place; what a repository may not set, as well."""
    default = {name: value for name, value in environ.items() if name != "REMORA_EMBEDDING_PROVIDER"}
    assert of(diagnose(folder, default), "settings") == [Finding("ok", "settings", "all at their defaults")]
    own, theirs = tmp_path / "config" / "config.toml", folder / "remora.toml"
    own.parent.mkdir()
    own.write_text("[rerank]\ncandidates = 10\n[search]\nhyde = false\n")
    theirs.write_text("[search]\nhyde = false\nuser_memories = false\n")
    report = diagnose(folder, environ)
    shown = {f.detail.partition(". ")[0] for f in of(report, "setting")}
    assert any(f.detail.endswith(DESCRIPTIONS["search.hyde"]) for f in of(report, "setting"))
    assert shown == {
        "embedding.provider = none, from REMORA_EMBEDDING_PROVIDER",
        f"rerank.candidates = 10, from {own}",
        f"search.hyde = False, from {theirs}",
        f"search.user_memories = False, from {theirs}",
    }
    assert [f.level for f in of(report, "settings")] == ["ok", "ok"]
    theirs.write_text("[embedding]\nurl = 'http://models.example.org'\n")
    found = of(diagnose(folder, environ), "settings")[-1]
    assert found.level == "warning"
    assert found.detail.startswith(f"{theirs}: embedding.url is ignored")
    assert "config.toml" in found.advice
    own.write_text("[search]\nhyde = 'perhaps'\n")
    report = diagnose(folder, environ)
    assert report.kind == "ConfigError"


def test_environment(folder: Path, environ: dict[str, str]) -> None:
    """Unknown variables and loose import paths are warnings."""
    environ["REMORA_EMBEDING_MODEL"] = "m"
    (found,) = of(diagnose(folder, environ), "environment")
    assert (found.level, found.detail) == ("warning", "REMORA_EMBEDING_MODEL is not known")
    for value, warned in (("", 0), ("/a", 0), ("/a:/b", 0), (":/a", 1), ("lib", 1), ("/a:", 1)):
        environ["PYTHONPATH"] = value.replace(":", os.pathsep)
        loose = [f for f in of(diagnose(folder, environ), "environment") if "PYTHONPATH" in f.detail]
        assert [f.level for f in loose] == ["warning"] * warned


def test_no_key_is_ever_shown(folder: Path, environ: dict[str, str]) -> None:
    """Keys in variables, in addresses and in the wrong setting stay hidden; a missing one is said."""
    environ |= {
        "REMORA_LLM_PROVIDER": "openai",
        "REMORA_LLM_API_KEY_ENV": "MY_KEY",
        "MY_KEY": KEY,
        "REMORA_RERANK_PROVIDER": "cohere",
        "REMORA_RERANK_API_KEY_ENV": KEY,
        "REMORA_LLM_URL": "https://ada:swordfish99@models.example.org/v1",
    }
    report = diagnose(folder, environ)
    said = repr(report)
    assert KEY not in said
    assert "swordfish99" not in said
    del environ["MY_KEY"]
    assert "MY_KEY is not set" in [f.detail for f in of(diagnose(folder, environ), "API key")]


def test_where_texts_go(folder: Path, environ: dict[str, str]) -> None:
    """The server that is really used is named, also where the environment names it."""
    for provider, name, value, told in (
        ("openai", "OPENAI_BASE_URL", "http://127.0.0.1:9/v1", "to 127.0.0.1:9"),
        ("openai", "REMORA_LLM_URL", "http://127.0.0.1:8/v1", "to 127.0.0.1:8"),
        ("openai", "X", "", "to the server of openai"),
        ("ollama", "OLLAMA_HOST", "gpu.example", "on this machine"),
        ("none", "X", "", "nowhere"),
    ):
        given = {**environ, "REMORA_LLM_PROVIDER": provider, name: value}
        (found,) = of(diagnose(folder, given), "texts for llm")
        assert told in found.detail


@pytest.fixture
def memory(repo: Repo, memory: Memory) -> Memory:
    """The memory of a repository with two files and a broken one, indexed."""
    files = {
        "lib/a.py": "def make():\n    return 1\n",
        "b.py": "from lib.a import make\n\ndef use():\n    return make()\n",
        "c.py": "def broken(:\n    return\n",
    }
    repo.commit("first", files)
    memory.index()
    return memory


def findings(memory: Memory, what: str = "code graph") -> list[Finding]:
    """Return the doctor's findings about one thing."""
    return of(memory.doctor(), what)


def test_sizes(memory: Memory) -> None:
    """Files, nodes, edges, closure and bytes; files with syntax errors, and those left out by reason."""
    (found,) = findings(memory)
    db = db_of(memory)
    nodes, edges, _ = db.graph.counts()
    assert found.level == "ok"
    assert f"3 files, {nodes} nodes, {edges} edges, 1 rows of closure; the database has " in found.detail
    assert found.detail.endswith(" MB")
    save(db, db.meta.set, LEFT_OUT, {"binary": 9, "generated": 4})
    left_out, broken = findings(memory, "code")
    assert left_out.detail == "files left out: 9 binary, 4 generated"
    assert broken.detail == "files read in part (syntax errors): 1"


def test_an_index_that_is_behind(memory: Memory) -> None:
    """It says if no index was made, if files changed since, or if it was not finished."""

    def told() -> list[tuple[str, str]]:
        return [(found.level, found.detail) for found in findings(memory)[1:]]

    db, root = db_of(memory), memory.root
    assert told() == []
    (root / "b.py").write_text("x = 1\n")
    (root / "new.py").write_text("y = 2\n")
    save(db, db.graph.mark_stale, ["lib/a.py", "b.py"], 1)
    assert told() == [("note", "files changed since the last indexing: 2")]  # each is counted once
    assert db.overview.stale_files() == 1  # a mark in vain goes
    memory.index()
    assert told() == []
    save(db, db.graph.unlink, ["b.py"])
    assert told() == [("warning", "indexing was not finished")]


def test_code_that_is_not_indexed(folder: Path, environ: dict[str, str]) -> None:
    """Without an index the advice says how to make it."""
    with Memory.open(folder, environ=environ) as memory:
        memory.remember("Tokens are opaque", type="decision")
        (found,) = findings(memory)
    assert (found.level, found.detail) == ("note", "the code is not indexed")
    assert "`remora index`" in found.advice
