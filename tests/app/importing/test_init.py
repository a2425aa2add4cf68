"""`init` reads rules and history once, follows what changes, and respects what a person decided."""

from __future__ import annotations

import base64
import hashlib
import re
import shlex
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from remora import InitReport, Memory
from remora.core.errors import InvalidInput
from remora.core.values import Author, MemoryRecord
from remora.graph import file_reader
from remora.sources import rules
from remora.sources.history import CoChange
from tests.helpers import SECRET, Repo, environment, holds, rows, texts

RULES = """# Working here

- Always run `make test` before you push to the main branch.
- Never edit the files below generated/ by hand; run the generator.
"""
FIX = {
    "fix: token refresh failed when the clock of the client was behind the server\n\n"
    "The expiry was compared with local time, so a valid token looked stale and the session ended.": {
        "src/auth/tokens.py": "1"
    },
    "fix: invoice totals were rounded twice when a discount code applied to shipping\n\n"
    "Every line was rounded before the sum was, so customers with large orders paid a cent more.": {
        "src/bill/total.py": "1"
    },
}


def stored(memory: Memory, words: str, *, forgotten: bool = False) -> MemoryRecord:
    """Return the one memory whose text has some words."""
    kept = [m for apart in (False, True) for m in memory.list(include_forgotten=forgotten, records=apart)]
    found = [m for m in kept if words in m.content]
    assert len(found) == 1, texts(found)
    return found[0]


def became(report: InitReport) -> dict[str, int]:
    """Return what a report says became of the drafts, zeros left out."""
    numbers = {name: getattr(report, name) for name in ("stored", "merged", "unchanged", "retired")}
    return {name: number for name, number in numbers.items() if number}


def fixes(repo: Repo) -> list[str]:
    """Commit the fixes and return their ids."""
    return [repo.commit(message, files) for message, files in FIX.items()]


def why(report: InitReport) -> list[str]:
    """Return what was skipped and why, one line each."""
    return [f"{s.what}: {s.why}" for s in report.skipped]


def test_rules_and_history(repo: Repo, memory: Memory) -> None:
    """Rules become memories that a person taught, fixes candidates with their commit, files know partners."""
    repo.commit("Add the shop", {"CLAUDE.md": RULES, "src/auth/tokens.py": "0", "src/auth/keys.py": "0"})
    shas = fixes(repo)
    repo.commit("Rotate keys", {"src/auth/tokens.py": "2", "src/auth/keys.py": "2"})
    report = memory.init()
    assert (report.rule_files, report.rules_found) == (("CLAUDE.md",), 2)
    assert (report.commits_read, report.commits_new, report.candidates) == (4, 4, 2)
    assert became(report) == {"stored": 4}
    assert (report.files_known, report.edges > 0) == (4, True)
    assert (report.project_id, report.root) == (memory.project_id, str(repo.root))
    rule = stored(memory, "make test")
    assert (rule.source, rule.needs_review) == ("user_taught", False)
    assert (rule.origins[0].path, rule.origins[0].line) == ("CLAUDE.md", 3)
    fix = stored(memory, "clock of the client")
    assert (fix.source, fix.needs_review, fix.commit_sha) == ("commit_auto", True, shas[0])
    assert (fix.created_at, fix.related_files) == ("2026-01-02T12:00:00.000Z", ("src/auth/tokens.py",))
    assert "src/auth/keys.py" in [h.path for h in memory.related_files("src/auth/tokens.py")]


@pytest.fixture
def walks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[], list[list[str]]]:
    """Give what git was asked since the last look that walks over commits, as git itself wrote it down."""
    trace = tmp_path / "trace"
    monkeypatch.setenv("GIT_TRACE", str(trace))

    def look() -> list[list[str]]:
        said = trace.read_text() if trace.exists() else ""
        trace.unlink(missing_ok=True)
        asked = re.findall(r"built-in: git ((?:'[^']*'|[^'\n])*)", said)  # a message has lines of its own
        calls = [shlex.split(call) for call in asked]
        assert any(call[:1] == ["rev-parse"] for call in calls), said  # git did write it down
        return [call for call in calls if call[:1] in (["log"], ["rev-list"], ["diff"])]

    return look


def test_again_changes_nothing(repo: Repo, memory: Memory, walks: Callable[[], list[list[str]]]) -> None:
    """A second run leaves every table as it is; git walks from the last commit on, not over the old."""
    repo.commit("Add the shop", {"CLAUDE.md": RULES, "AGENTS.md": RULES})
    last = fixes(repo)[-1]
    memory.init()
    before = rows(memory)
    assert any(call[0] == "log" for call in walks())
    report = memory.init()
    assert (walks(), rows(memory), became(report)) == ([], before, {"unchanged": 2})
    assert (report.commits_read, report.commits_new, report.candidates) == (3, 0, 0)
    head = repo.commit("Rotate keys", {"src/auth/keys.py": "1"})
    assert memory.init().commits_new == 1
    again = walks()
    assert [call[0] for call in again] == ["rev-list", "log"]
    assert all(f"{last}..{head}" in call for call in again)


def test_the_same_rule_in_several_files(repo: Repo, memory: Memory) -> None:
    """It is stored once, with all its places, and so are two that are nearly equal; both stay to the last."""
    long = "- Every service must retry a failed request three times with exponential backoff and then writes"
    long += " the order to the dead letter queue for the operations team of the night shift.\n"
    alike = long.replace("then writes", "then puts")
    repo.commit("Add the shop", {"CLAUDE.md": RULES + long, "AGENTS.md": f"# Rules\n\n{RULES}{alike}"})
    report = memory.init()
    assert (report.rules_found, became(report)) == (4, {"stored": 3, "merged": 1})
    places = {(o.path, o.line) for o in stored(memory, "make test").origins}
    assert places == {("AGENTS.md", 5), ("CLAUDE.md", 3)}
    repo.put(".cursorrules", RULES.splitlines()[2])
    assert memory.init().stored == 0
    assert {o.path for o in stored(memory, "make test").origins} == {"AGENTS.md", "CLAUDE.md", ".cursorrules"}
    (repo.root / "AGENTS.md").unlink()
    assert memory.init().retired == 0
    (repo.root / "CLAUDE.md").unlink()
    assert memory.init().retired == 2
    assert [m.content for m in memory.list()] == [RULES.splitlines()[2][2:]]


def test_an_edited_rule(repo: Repo, memory: Memory) -> None:
    """One that moves is the same; the old text of an edited one is retired, and comes back as it was."""
    repo.commit("Add the shop", {"CLAUDE.md": RULES})
    memory.init()
    first = stored(memory, "make test")
    repo.put("CLAUDE.md", "# Title\n\nSome introduction of the project for people.\n\n" + RULES)
    memory.init()
    assert stored(memory, "make test") == first
    repo.put("CLAUDE.md", RULES.replace("make test", "make check"))
    assert became(memory.init()) == {"stored": 1, "unchanged": 1, "retired": 1}
    assert stored(memory, "make check").deprecated is False
    old = stored(memory, "make test", forgotten=True)
    assert (old.deprecated, old.review_reason) == (True, "gone from the files it was read from")
    assert old.content not in texts(memory.search("run make test"))
    repo.put("CLAUDE.md", RULES)
    assert became(memory.init()) == {"merged": 1, "unchanged": 1, "retired": 1}
    again = stored(memory, "make test")
    assert (again.id, again.review_reason, again.needs_review) == (first.id, None, False)
    assert again.origins == first.origins


def test_a_rule_that_moves_to_a_folder(repo: Repo, memory: Memory) -> None:
    """A rule that applies to a folder from now on says so; a person's own choice of files is left alone."""
    rule = "- Always validate the request body with the schema before the handler runs.\n"
    other = "- Never log the address or the phone number of a customer in any service.\n"
    repo.commit("Add the shop", {"CLAUDE.md": rule + other, "api/app.py": "", "web/app.py": ""})
    memory.init()
    first, second = stored(memory, "request body"), stored(memory, "phone number")
    assert (first.scope, first.related_files) == ("global", ())
    memory.edit(second.id, related_files=["web/app.py"])
    (repo.root / "CLAUDE.md").unlink()
    repo.put("api/CLAUDE.md", rule + other)
    memory.init()
    moved = stored(memory, "request body")
    assert (moved.id, moved.scope, moved.related_files) == (first.id, "module", ("api/**",))
    assert stored(memory, "phone number").related_files == ("web/app.py",)


def test_a_file_that_is_gone(repo: Repo, memory: Memory) -> None:
    """With a file its rules go, but for those that another file, a person, a pin or an edit keeps."""
    said = "Never edit the files below generated/ by hand; run the generator."
    memory.remember(said, type="requirement")
    more = "- Use four spaces for indentation in every Python file of ours.\n"
    more += "- Write one sentence a line in all documentation of this project.\n"
    more += "- Ask before you add a library to the project.\n- Name each service after a river.\n"
    repo.commit("Add the shop", {"CLAUDE.md": RULES + more, "AGENTS.md": RULES.splitlines()[2] + "\n"})
    assert became(memory.init()) == {"stored": 5, "merged": 1}
    memory.verify(stored(memory, "four spaces").id)
    memory.pin(stored(memory, "one sentence").id)
    memory.edit(stored(memory, "add a library").id, content="Libraries are chosen by Ann")
    (repo.root / "CLAUDE.md").unlink()
    assert memory.init().retired == 1  # that of the river
    kept = {m.content.split()[0]: m.type for m in memory.list()}
    assert set(kept) == {"Always", "Never", "Use", "Write", "Libraries"}
    assert kept["Never"] == "requirement"


def test_what_a_person_forgot_stays_forgotten(repo: Repo, memory: Memory) -> None:
    """No rule or fix, and no text before it was a rule, comes back: by a run, an edit back, or a new file."""
    text = "Never edit the files below generated/ by hand; run the generator."
    gone = [memory.forget(memory.remember(text).id).id]
    repo.commit("Add the shop", {"CLAUDE.md": RULES})
    repo.commit(*next(iter(FIX.items())))
    assert any(line.startswith("Never edit") for line in why(memory.init()))
    gone += [memory.forget(stored(memory, words).id).id for words in ("make test", "clock of the client")]
    assert memory.init().skipped == ()
    repo.put("CLAUDE.md", "")
    memory.init()
    repo.put("CLAUDE.md", RULES)
    assert why(memory.init())[0].endswith("a person forgot it; it stays forgotten")
    repo.put("AGENTS.md", RULES)
    memory.init()
    repo.git("commit", "-q", "--amend", "-m", next(iter(FIX)))
    memory.init()
    assert [memory.show(i).deprecated for i in gone] == [True] * 3


def test_secrets_in_rules_and_commits(repo: Repo, memory: Memory, tmp_path: Path) -> None:
    """None of them, no part of one that is long or where a text is cut, nor any hash reaches the home."""
    lines = [base64.b64encode(hashlib.sha512(str(n).encode()).digest())[:64].decode() for n in range(30)]
    key = "\n".join(["-----BEGIN RSA PRIVATE KEY-----", *lines, "-----END RSA PRIVATE KEY-----"])
    rule = f"Use the key {SECRET} to publish the package to the registry from the release job."
    rules_file = f"# Keys\n\nThe key of the shop:\n\n```\n{key}\n```\n\n- {rule}\n"
    repo.commit("Add the shop", {"CLAUDE.md": rules_file})
    reason = "the nightly backup stopped the server of the shop, which then forgot the clock of the proxy."
    said = " ".join(f"Reason {n}: {reason}" for n in range(11))
    for cut in range(560, 610, 7):
        subject = f"fix: token refresh number {cut} failed behind the proxy"
        body = f"{said[:cut]} {SECRET} was the key that the server had used all the time until then."
        repo.commit(f"{subject}\n\n{body}", {f"src/f{cut}.py": "1"})
    fix = f"fix: publishing failed because the key {SECRET} was read before the vault was open"
    message = f"{fix}\n\nThe release job started first, so the registry refused an empty password."
    repo.commit(message, {"src/release.py": "1"})
    report = memory.init()
    taken = {r.kind: r.count for r in report.redactions}
    assert taken == {"github-token": 5, "private-key": 1}  # a token behind the cut is not counted
    assert report.candidates == 9
    found = stored(memory, "publish the package")
    assert (found.origins[0].line, found.redaction_count) == (40, 1)
    before = rows(memory)
    assert became(memory.init()) == {"unchanged": report.rules_found}
    assert rows(memory) == before
    memory.close()
    spellings = [text for told in (rule, rule.rstrip(".")) for text in (told, told.casefold())]
    for part in (*lines, SECRET, SECRET[:12], *spellings, fix, message):
        assert holds(tmp_path / "data", part) == []
        assert part not in repr(report)


def test_new_commits_only(repo: Repo, memory: Memory) -> None:
    """The history goes on from the last commit; a rewritten one is read anew, to the same end, fixes too."""
    one, two = FIX.items()
    repo.commit("Add the shop", {"src/auth/tokens.py": "0", "src/bill/total.py": "0"})
    repo.commit(*one)
    first = memory.init()
    repo.commit("Both", {"src/auth/tokens.py": "3", "src/bill/total.py": "3"})
    repo.commit(*two)
    second = memory.init()
    assert (first.commits_new, second.commits_new, second.commits_read) == (2, 2, 4)
    assert (first.candidates, second.candidates, second.unchanged) == (1, 1, 0)
    before = [m.id for m in memory.list()], rows(memory)["git_pairs"]
    date = {f"GIT_{who}_DATE": "2026-01-04T12:00:00Z" for who in ("AUTHOR", "COMMITTER")}
    repo.git("commit", "-q", "--amend", "--reset-author", "-m", two[0], GIT_AUTHOR_NAME="Bo", **date)
    again = memory.init()
    assert any("it is not part of this branch; read from the start again" in line for line in why(again))
    assert (again.commits_new, again.commits_read, again.merged) == (4, 4, 1)
    assert ([m.id for m in memory.list()], rows(memory)["git_pairs"]) == before


def by(repo: Repo, name: str, files: dict[str, str]) -> None:
    """Commit some files as somebody."""
    for path, text in files.items():
        repo.put(path, text)
    repo.git("add", "-A")
    repo.git("commit", "-q", "-m", f"{name} worked", GIT_AUTHOR_NAME=name)


def owned(memory: Memory, path: str) -> tuple[str, int, list[Author]] | None:
    """Return the module of a file that is there, its commits and its authors."""
    found = memory.ownership(path)
    assert found is None or found.present
    return found and (found.module, found.commits, list(found.authors))


def test_whose_files_are(repo: Repo, memory: Memory) -> None:
    """After `init` each file has its module and its authors, also over a rename and a second run."""
    by(repo, "Ada", {"shop/auth/tokens.py": "0" * 99, "src/click/core.py": "0", "setup.py": "0"})
    by(repo, "Bo", {"shop/auth/tokens.py": "1" * 99})
    by(repo, "Bo", {"shop/auth/tokens.py": "2" * 99, "src/click/core.py": "1"})
    memory.init()
    assert owned(memory, "shop/auth/tokens.py") == ("shop/auth", 3, [Author("Bo", 2), Author("Ada", 1)])
    assert owned(memory, "src/click/core.py") == ("src/click", 2, [Author("Ada", 1), Author("Bo", 1)])
    assert owned(memory, "setup.py") == (".", 1, [Author("Ada", 1)])
    assert owned(memory, "nobody.py") is None
    assert memory.stats().modules == {".": 1, "shop/auth": 1, "src/click": 1}
    (repo.root / "shop/login").mkdir()
    repo.git("mv", "shop/auth/tokens.py", "shop/login/tokens.py")
    by(repo, "Ada", {"setup.py": "1"})
    memory.init()
    moved = str(repo.root / "shop/login/tokens.py")
    assert owned(memory, moved) == ("shop/login", 4, [Author("Ada", 2), Author("Bo", 2)])
    assert owned(memory, "shop/auth/tokens.py") is None
    assert memory.stats().modules == {".": 1, "shop/login": 1, "src/click": 1}
    with pytest.raises(InvalidInput, match="path is empty"):
        memory.ownership(" ")


def test_an_author_who_comes_late(repo: Repo, memory: Memory) -> None:
    """Who takes a file over is its main author, though many came before and each run brings one commit."""
    for number, name in enumerate(("Ada", "Bo", "Cy", "Di", "Ed", "Flo") * 2):
        by(repo, name, {"a.py": f"{number}"})
    for number in range(3):
        by(repo, "Zoe", {"a.py": f"Zoe {number}"})
        memory.init()
    module, _, authors = owned(memory, "a.py") or ("", 0, [])
    assert (module, authors[0]) == (".", Author("Zoe", 3))


def test_a_reverted_fix_is_withdrawn(repo: Repo, memory: Memory) -> None:
    """A fix that a later commit reverts is forgotten, and the revert is a dead end; a pinned one stays."""
    repo.commit("Add the shop", {"src/auth/tokens.py": "0", "src/bill/total.py": "0"})
    shas = fixes(repo)
    memory.init()
    memory.pin(stored(memory, "discount code").id)
    for sha, (message, files) in zip(shas, FIX.items(), strict=True):
        why_not = "It broke every client that caches tokens between two restarts of the server."
        subject = message.partition("\n")[0]
        text = f'Revert "{subject}"\n\nThis reverts commit {sha}.\n\n{why_not}'
        repo.commit(text, dict.fromkeys(files, "0"))
    assert memory.init().retired == 1
    assert stored(memory, "An earlier commit: token refresh", forgotten=True).deprecated
    assert not stored(memory, "An earlier commit: invoice totals").deprecated
    assert any(m.type == "dead_end" for m in memory.list(records=True))
    assert memory.init().retired == 0


def test_switching_branches(repo: Repo, memory: Memory) -> None:
    """On another branch the files and pairs of that branch are known; back again, those of the first."""
    repo.commit("Add the shop", {"a.py": "0", "b.py": "0"})
    repo.git("checkout", "-q", "-b", "other")
    repo.commit("More", {"c.py": "0", "a.py": "1"})
    memory.init()
    assert "c.py" in [h.path for h in memory.related_files("a.py")]
    repo.git("checkout", "-q", "main")
    repo.commit("Else", {"d.py": "0", "a.py": "1"})
    memory.init()
    assert {h.path for h in memory.related_files("a.py")} == {"b.py", "d.py"}
    assert memory.stats().files == 3


def test_a_shallow_clone(repo: Repo, tmp_path: Path) -> None:
    """A shallow clone gives what it has; when older commits come later they are read too."""
    repo.commit("Add the shop", {"src/auth/tokens.py": "0", "CLAUDE.md": RULES})
    fixes(repo)
    clone = Repo(tmp_path / "clone")
    clone.git("clone", "-q", "--depth", "2", f"file://{repo.root}", ".")
    with Memory.open(clone.root, environ=environment(tmp_path)) as memory:
        report = memory.init()
        assert (report.commits_new, report.rules_found, report.files_known) == (2, 2, 3)
        clone.git("fetch", "-q", "--unshallow")
        report = memory.init()
        assert (report.commits_new, report.commits_read) == (3, 3)
        assert why(report)[0].endswith("older commits now; read from the start again")
        assert memory.init().skipped == ()


def test_no_repository(folder: Path, bare: Memory) -> None:
    """Rules are read where there is no git, or no commit yet; nothing else is asked for."""
    (folder / "AGENTS.md").write_text(RULES)
    report = bare.init(folder)
    assert (report.stored, report.commits_new, report.edges) == (2, 0, 0)
    assert bare.init().unchanged == 2
    Repo(folder).init()
    report = bare.init()
    assert (report.unchanged, report.commits_new, report.files_known) == (2, 0, 0)


def test_a_repository_that_vanished(repo: Repo, memory: Memory) -> None:
    """When the repository is deleted under an open memory, nothing that was known is lost."""
    repo.commit("Add the shop", {"CLAUDE.md": RULES})
    memory.init()
    memory.remember("Tokens expire after 24 h")
    before = rows(memory)
    shutil.rmtree(repo.root / ".git")
    report = memory.init()
    assert (report.unchanged, report.commits_new, rows(memory)) == (2, 0, before)


def test_what_cannot_be_read_or_stored_is_named(repo: Repo, memory: Memory) -> None:
    """A repository that git cannot read, a bad file, a rule that is only a secret: the others are stored."""
    repo.commit("Add the shop", {"CLAUDE.md": f"{RULES}- {SECRET}\n"})
    (repo.root / "AGENTS.md").write_bytes(b"\x00\x01\x02" * 100)
    (repo.root / ".git/index").write_bytes(b"no index at all")
    report = memory.init()
    assert report.stored == 2
    assert any(line.startswith("git history: ") for line in why(report))
    assert "AGENTS.md: binary, not text" in why(report)
    assert "CLAUDE.md:5 “[REDACTED:github-token]”: says nothing by itself" in why(report)
    assert SECRET not in repr(report)


def test_progress(repo: Repo, memory: Memory, tmp_path: Path) -> None:
    """The callback hears of each part of the work; a path outside of the project is refused."""
    head = "commit refs/heads/main\ncommitter Ada <ada@example.org>"
    commits = "".join(f"{head} {number} +0000\ndata 4\nMore\n" for number in range(60))
    subprocess.run(["git", "fast-import", "--quiet"], cwd=repo.root, input=commits.encode(), check=True)
    (repo.root / "src").mkdir()
    steps: list[tuple[str, int, int]] = []
    report = memory.init(repo.root / "src", progress=lambda *step: steps.append(step))
    assert report.root == str(repo.root)
    assert steps == [("history", 50, 60), ("history", 60, 60), ("embedding", 0, 0)]
    with pytest.raises(InvalidInput, match="is not in"):
        memory.init(tmp_path)


def test_files_that_are_gone(repo: Repo, memory: Memory) -> None:
    """A memory whose files all left the tree is stale until one is back; a flag for another reason stays."""
    repo.commit("Add the shop", {"src/old.py": "0", "src/new.py": "0", "a.py": "0"})

    def about(text: str, *paths: str, **more: Any) -> str:
        return memory.remember(text, related_files=paths, **more).id

    parent = about("Parsers are slow")
    lost = about("The old parser reads the whole file at once", "src/old.py")
    child = about("So the old parser caches", "src/old.py", derived_from=[parent])
    others = [
        about("Both parsers skip comments", "src/old.py", "src/new.py"),
        about("Parsers raise ParseError", "src/**"),
        about("The planner will be a file of its own", "src/planner.py"),
    ]

    def flags(*ids: str) -> list[tuple[str | None, bool, str | None]]:
        return [(m.stale_at, m.needs_review, m.review_reason) for m in map(memory.show, ids)]

    memory.init()
    memory.forget(parent)
    rests = f"rests on {parent[:8]}, which was forgotten"
    there = [(None, False, None), (None, True, rests)]
    assert flags(lost, child, *others) == [*there, *[there[0]] * 3]
    (repo.root / "src/old.py").unlink()
    repo.commit("Drop the old parser")
    memory.init()
    at = "2026-03-01T12:00:00.000Z"
    assert flags(lost, child) == [
        (at, True, "its files are gone"),
        (at, True, f"{rests}; its files are gone"),
    ]
    assert flags(*others) == [there[0]] * 3
    before = rows(memory)
    memory.init()
    assert rows(memory) == before
    repo.commit("Bring it back", {"src/old.py": "0"})
    memory.init()
    assert flags(lost, child) == there


def test_what_raises_is_named(repo: Repo, memory: Memory, monkeypatch: pytest.MonkeyPatch) -> None:
    """A commit, a rule file, a file of code: skipped with the type of the error; the others are taken."""
    code = {"bad.py": "def bad(): ...\n", "good.py": "def good(): ...\n"}
    rule = {"AGENTS.md": "- Ask before you add a library.\n"}
    repo.commit("Add the shop", {"CLAUDE.md": RULES, **rule, **code})
    shas = fixes(repo)

    def breaks(owner: type, method: str, error: Exception, is_bad: Callable[[Any], bool]) -> None:
        real = getattr(owner, method)

        def broken(self: Any, one: Any, *more: Any) -> Any:
            if is_bad(one):
                raise error
            return real(self, one, *more)

        monkeypatch.setattr(owner, method, broken)

    breaks(CoChange, "learn", RecursionError("deep"), lambda commit: commit.sha == shas[0])
    breaks(rules._Loader, "load", ValueError("odd"), lambda found: found.path == "AGENTS.md")
    wrong = ValueError("max() of nothing")
    breaks(file_reader.FileReader, "_parse", wrong, lambda item: item.path == "bad.py")
    report = memory.init()
    assert set(why(report)) >= {
        "AGENTS.md: ValueError: odd",
        f"commit {shas[0][:10]}: RecursionError: deep",
        "bad.py: could not be read: ValueError: max() of nothing",
    }
    assert (report.rules_found, report.candidates) == (2, 1)
    assert report.code is not None
    assert report.code.read == 5
