"""Rule files are found, and only they."""

from __future__ import annotations

from remora.core.rule_names import kind_of
from remora.sources import rule_files
from remora.sources.rule_files import find

EVERY = {
    "CLAUDE.md": ("claude", "", True),
    ".claude/CLAUDE.md": ("claude", "", True),
    "web/CLAUDE.md": ("claude", "web", True),
    "web/.claude/CLAUDE.md": ("claude", "web", True),
    ".claude/rules/api/http.md": ("claude_rules", "", False),
    "web/.claude/rules/x.md": ("claude_rules", "web", False),
    "AGENTS.md": ("agents", "", True),
    "web/ui/AGENTS.override.md": ("agents", "web/ui", True),
    ".claude/claude.md": ("claude", "", True),
    "GEMINI.md": ("gemini", "", True),
    "CONTRIBUTING": ("contributing", "", True),
    ".github/contributing.md": ("contributing", "", True),
    "docs/adr/0001-queue.md": ("decisions", "", False),
    "adr/1.md": ("decisions", "", False),
    ".learnings/LEARNINGS.md": ("lessons", "", True),
    "~/.claude/projects/-x/memory/MEMORY.md": ("claude_memory", "", True),
    ".cursorrules": ("cursor", "", True),
    ".cursor/rules/deep/a.mdc": ("cursor", "", False),
    "web/.cursor/rules/a.mdc": ("cursor", "web", False),
    ".windsurfrules": ("windsurf", "", True),
    ".devin/rules/a.md": ("windsurf", "", False),
    ".clinerules": ("cline", "", True),
    ".clinerules/b.txt": ("cline", "", False),
    ".github/copilot-instructions.md": ("copilot", "", True),
    ".github/instructions/sub/ts.instructions.md": ("copilot", "", False),
}


def test_every_kind_is_known():
    """A path says what kind it is, what it applies to and whether it is about everything."""
    assert {path: kind_of(path) for path in EVERY} == EVERY


def test_other_files_are_none():
    """Names that only resemble rule files are left alone."""
    others = [
        "README.md", "docs/agents.md", "docs/adr/README.md", ".learnings/FEATURE_REQUESTS.md",
        "web/CONTRIBUTING.md", "src/decisions/a.md", "docs/CLAUDE.md.bak", ".cursor/rules/a.md",
        ".github/instructions/readme.md", "rules/a.md", "x.cursor/rules/a.mdc",
    ]  # fmt: skip
    assert [path for path in others if kind_of(path)] == []


def test_in_a_repository_ignored_trees_are_not_walked(repo, work, tmp_path):
    """Git lists the files; what is ignored at the root is found, what is gone, of others or bare is not."""
    for path in ("CLAUDE.md", "web/AGENTS.md", "ignored/AGENTS.md", "vendor/lib/AGENTS.md", "GEMINI.md",
                 "node_modules/x/AGENTS.md", ".claude/CLAUDE.md", "CLAUDE.local.md",
                 ".cursor/rules/deep/x.mdc"):  # fmt: skip
        repo.put(path, "- A rule of some kind")
    repo.put(".gitignore", "ignored/\nCLAUDE.local.md\n.claude/\n.cursor/\n")
    repo.commit("one")
    (repo.root / "GEMINI.md").unlink()
    inner = type(work)(repo.root / "inner")
    inner.init()
    inner.put("CLAUDE.md", "x")
    inner.commit("one")
    found, skipped = find(repo.root)
    assert [f.path for f in found] == [
        "CLAUDE.local.md",
        "CLAUDE.md",
        ".claude/CLAUDE.md",
        "web/AGENTS.md",
        ".cursor/rules/deep/x.mdc",
    ]
    assert skipped == []
    assert [(f.path, f.folder) for f in find(repo.root / "web")[0]] == [("AGENTS.md", "")]
    repo.git("clone", "-q", "--bare", str(repo.root), str(tmp_path / "bare.git"))
    assert find(tmp_path / "bare.git") == ([], [])


def test_outside_git_the_trees_of_others_are_not_walked(work):
    """Dependencies, environments, hidden folders and other repositories hold other people's rules."""
    for path in ("src/CLAUDE.md", "node_modules/x/CLAUDE.md", ".hidden/CLAUDE.md", "env2/AGENTS.md",
                 "env2/pyvenv.cfg", "other/AGENTS.md", "other/.git/HEAD", "vendor/GEMINI.md",
                 "app/.cursor/rules/a.mdc"):  # fmt: skip
        work.put(path, "- A rule of some kind")
    assert [f.path for f in find(work.root)[0]] == ["src/CLAUDE.md", "app/.cursor/rules/a.mdc"]


def test_without_git_the_folder_is_walked_and_that_is_told(repo, monkeypatch, tmp_path):
    """A missing git costs a longer walk, nothing else."""
    repo.put("web/AGENTS.md", "x")
    monkeypatch.setenv("PATH", str(tmp_path))
    found, skipped = find(repo.root)
    assert [f.path for f in found] == ["web/AGENTS.md"]
    assert skipped[0].what == "git"
    assert "not installed" in skipped[0].why


def test_there_is_an_end_to_files_and_folders(work, monkeypatch):
    """A tree that never ends is read to a limit, which is told."""
    for n in range(5):
        work.put(f"d{n}/AGENTS.md", "x")
    monkeypatch.setattr(rule_files, "MAX_FILES", 3)
    found, skipped = find(work.root)
    assert len(found) == 3
    assert [(s.what, s.why) for s in skipped] == [("2 rule files", "only the first 3 are read")]
    monkeypatch.setattr(rule_files, "MAX_FOLDERS", 2)
    assert any("was not searched" in s.why for s in find(work.root)[1])


def test_what_an_agent_noted_is_found_by_the_projects_name(repo, tmp_path):
    """The folder's name is the path with other signs replaced; work trees share the main one."""
    repo.put("x.py", "1")
    repo.commit("one")
    repo.git("worktree", "add", "-q", "-b", "side", str(tmp_path / "side"))
    slug = "".join(c if c.isalnum() and c.isascii() else "-" for c in str(repo.root.resolve()))
    memory = tmp_path / "home" / ".claude" / "projects" / slug / "memory"
    memory.mkdir(parents=True)
    (memory / "MEMORY.md").write_text("x")
    (memory / "testing.md").write_text("x")
    for root in (repo.root, tmp_path / "side"):
        found, _ = find(root, tmp_path / "home")
        assert [(f.path, f.kind, f.whole) for f in found] == [
            (f"~/.claude/projects/{slug}/memory/MEMORY.md", "claude_memory", True),
            (f"~/.claude/projects/{slug}/memory/testing.md", "claude_memory", False),
        ]
        assert find(root) == ([], [])
