"""Rule files are found, and only they."""

from __future__ import annotations

import pytest

from remora.core.rule_names import kind_of
from remora.sources import rule_files
from remora.sources.rule_files import find

EVERY = {
    "CLAUDE.md": ("claude", "", True),
    "web/CLAUDE.md": ("claude", "web", True),
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
NONE = """
    README.md docs/agents.md docs/adr/README.md .learnings/FEATURE_REQUESTS.md web/CONTRIBUTING.md
    src/decisions/a.md docs/CLAUDE.md.bak .cursor/rules/a.md .github/instructions/readme.md rules/a.md
    x.cursor/rules/a.mdc
""".split()


def put_rules(work, paths: str) -> None:
    """Write a rule into each of some files."""
    for path in paths.split():
        work.put(path, "- A rule of some kind")


def found_in(*places) -> list[str]:
    """Return the paths of the rule files of a project."""
    return [f.path for f in find(*places)[0]]


def test_every_kind_is_known():
    """A path says what kind it is and what it applies to; names that only resemble are left alone."""
    assert {path: kind_of(path) for path in [*EVERY, *NONE] if kind_of(path)} == EVERY


def test_in_a_repository_ignored_trees_are_not_walked(repo, work, tmp_path):
    """Git lists the files; what is ignored at the root is found, what is gone, of others or bare is not."""
    known = ["CLAUDE.local.md", "CLAUDE.md", ".claude/CLAUDE.md", "web/AGENTS.md", ".cursor/rules/deep/x.mdc"]
    put_rules(repo, " ".join(known))
    put_rules(repo, "ignored/AGENTS.md vendor/lib/AGENTS.md GEMINI.md node_modules/x/AGENTS.md")
    repo.put(".gitignore", "ignored/\nCLAUDE.local.md\n.claude/\n.cursor/\n")
    repo.commit("one")
    (repo.root / "GEMINI.md").unlink()
    inner = type(work)(repo.root / "inner").init()
    inner.commit("one", {"CLAUDE.md": "x"})
    assert (found_in(repo.root), find(repo.root)[1]) == (known, [])
    assert [(f.path, f.folder) for f in find(repo.root / "web")[0]] == [("AGENTS.md", "")]
    repo.git("clone", "-q", "--bare", str(repo.root), str(tmp_path / "bare.git"))
    assert find(tmp_path / "bare.git") == ([], [])


def test_outside_git_the_trees_of_others_are_not_walked(work):
    """Dependencies, environments, hidden folders and other repositories hold other people's rules."""
    put_rules(work, "src/CLAUDE.md node_modules/x/CLAUDE.md .hidden/CLAUDE.md env2/AGENTS.md env2/pyvenv.cfg")
    put_rules(work, "other/AGENTS.md other/.git/HEAD vendor/GEMINI.md app/.cursor/rules/a.mdc")
    assert found_in(work.root) == ["src/CLAUDE.md", "app/.cursor/rules/a.mdc"]


def test_without_git_the_folder_is_walked_and_that_is_told(repo, monkeypatch, tmp_path):
    """A missing git costs a longer walk, which ends at so many files and folders."""
    put_rules(repo, " ".join(f"d{n}/AGENTS.md" for n in range(5)))
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr(rule_files, "MAX_FILES", 3)
    assert found_in(repo.root) == ["d0/AGENTS.md", "d1/AGENTS.md", "d2/AGENTS.md"]
    git, rest = find(repo.root)[1]
    assert git.what == "git"
    assert "not installed" in git.why
    assert rest == ("2 rule files", "only the first 3 are read")
    monkeypatch.setattr(rule_files, "MAX_FOLDERS", 2)
    assert any("was not searched" in s.why for s in find(repo.root)[1])


@pytest.mark.parametrize("place", ["main", "side"])
def test_what_an_agent_noted_is_found_by_the_projects_name(repo, tmp_path, place):
    """The folder's name is the path with other signs replaced; work trees share the main one."""
    repo.commit("one", {"x.py": "1"})
    repo.git("worktree", "add", "-q", "-b", "side", str(tmp_path / "side"))
    slug = "".join(c if c.isalnum() and c.isascii() else "-" for c in str(repo.root.resolve()))
    noted = f".claude/projects/{slug}/memory"
    put_rules(type(repo)(tmp_path / "home"), f"{noted}/MEMORY.md {noted}/testing.md")
    root = {"main": repo.root, "side": tmp_path / "side"}[place]
    assert [(f.path, f.kind, f.whole) for f in find(root, tmp_path / "home")[0]] == [
        (f"~/{noted}/MEMORY.md", "claude_memory", True),
        (f"~/{noted}/testing.md", "claude_memory", False),
    ]
    assert find(root) == ([], [])
