"""Recognize rule files by their names, and decide which host shows which of them to its agent.

| kind | files | front matter | applies to |
|---|---|---|---|
| claude | CLAUDE.md, CLAUDE.local.md, .claude/CLAUDE.md, in any case of letters | | its folder and below |
| claude_rules | .claude/rules/**/*.md | paths | globs |
| claude_memory | memory/*.md of the project's folder in the home | description, type | project |
| agents | AGENTS.md, AGENTS.override.md; in any case at the root | | its folder and below |
| gemini | GEMINI.md; in any case at the root | | its folder and below |
| cursor | .cursor/rules/**/*.mdc, .cursorrules | globs, description | globs, or its folder |
| windsurf | .windsurf/rules/**/*.md, .devin/rules/**/*.md, .windsurfrules | globs, description | globs |
| cline | .clinerules, a file or a folder of .md and .txt | paths | globs, or its folder |
| copilot | .github/copilot-instructions.md, .github/instructions/**/*.instructions.md | applyTo | globs |
| contributing | CONTRIBUTING at the root, in .github or in docs | | project |
| decisions | the files of a folder adr, adrs or decisions: at the root, or below docs | | project |
| lessons | .learnings/*.md; and files with lessons in their name that a rule file names | | project |

Each host shows the files of its own agent. No host shows the last three kinds.
"""

from __future__ import annotations

import re
from collections.abc import Collection

CLAUDE_MEMORY = "claude_memory"
CONTRIBUTING, DECISIONS, LESSONS = "contributing", "decisions", "lessons"
ON_REQUEST = "on-request"  # tag of rules in files that a host shows only if somebody asks for them
COPILOT = ".github/copilot-instructions.md"
FOLDERS = (  # folder, endings of its file names, kind
    (".claude/rules", (".md",), "claude_rules"),
    (".cursor/rules", (".mdc",), "cursor"),
    (".windsurf/rules", (".md",), "windsurf"),
    (".devin/rules", (".md",), "windsurf"),
    (".clinerules", (".md", ".txt"), "cline"),
    (".github/instructions", (".instructions.md",), "copilot"),
    (".learnings", (".md",), LESSONS),
)
_NAMES = {
    "claude.md": "claude",
    "claude.local.md": "claude",
    "agents.md": "agents",
    "agents.override.md": "agents",
    "gemini.md": "gemini",
    ".cursorrules": "cursor",
    ".windsurfrules": "windsurf",
    ".clinerules": "cline",
}
_NO_LESSONS = "feature_requests.md"  # wishes: beside the lessons, but none of them

_CLAUDE = frozenset({"claude", "claude_rules", CLAUDE_MEMORY})
# The kinds that each host shows its agent, by its documentation; all of them for an unknown host.
_SHOWN = {
    "claude-code": _CLAUDE,
    "codex": frozenset({"agents"}),
    "copilot": frozenset({"copilot", "agents", "claude", "gemini"}),
    "cursor": frozenset({"cursor", "agents", "claude"}),
    "gemini": frozenset({"gemini"}),
    "opencode": frozenset({"agents", "claude"}),
    "vscode": frozenset({"copilot", "agents", "claude"}),
    "windsurf": frozenset({"windsurf", "agents"}),
}
HOST_FILES = frozenset(_NAMES.values()) | _CLAUDE | {"copilot"}


def kind_of(path: str) -> tuple[str, str, bool] | None:
    """Return the kind of a path, the folder it applies to and whether it applies to everything.

    >>> kind_of("web/.cursor/rules/api.mdc"), kind_of("Claude.md"), kind_of("README.md")
    (('cursor', 'web', False), ('claude', '', True), None)
    >>> kind_of("docs/agents.md"), kind_of("docs/adr/0001-queue.md")
    (None, ('decisions', '', False))
    """
    folder, _, base = path.rpartition("/")
    for marker, endings, kind in FOLDERS:
        before, found, _ = f"/{path}".partition(f"/{marker}/")
        if found and path.endswith(endings) and not (kind == LESSONS and base.lower() == _NO_LESSONS):
            return kind, before.strip("/"), kind == LESSONS
    if f"/{path}".endswith(f"/{COPILOT}"):
        return "copilot", folder.removesuffix(".github").strip("/"), True
    if _in_home(path):
        return CLAUDE_MEMORY, "", base == "MEMORY.md"
    # A hook loads this module before every tool call, so patterns are compiled at their first use.
    if re.fullmatch(r"(?i)(?:\.github/|docs?/)?contributing(?:\.(?:md|rst|txt))?", path):
        return CONTRIBUTING, "", True
    decision = re.fullmatch(r"(?i)(?:docs?/(?:[^/]+/){0,3})?(?:adrs?|decisions)/[^/]+\.md", path)
    if decision and not re.fullmatch(r"(?i)(?:readme|index|template|\w*[-_]template)\.md", base):
        return DECISIONS, "", False
    kind = _NAMES.get(base.lower(), "")
    # In a subfolder a lower-case "agents.md" is a page about agents.
    if not kind or (kind in ("agents", "gemini") and folder and base.partition(".")[0].islower()):
        return None
    if kind == "claude" and f"/{folder}".endswith("/.claude"):
        folder = folder.removesuffix(".claude").strip("/")
    return kind, folder, True


def _in_home(path: str) -> str:
    """Return a path from the memory folder of Claude Code in the home; empty for one elsewhere."""
    found = re.match(r"~/\.claude/projects/[^/]+/memory/(.+)", path)
    return found[1] if found else ""


def shown_by(host: str, paths: Collection[str], tags: Collection[str]) -> bool:
    """Return whether a host already shows its agent a memory, because a file that the host shows contains it.

    Args:
        host: as in `moments`; an unknown one counts as showing every file for agents.
        paths: of the files that contain it.
        tags: of the memory; those of rules have the kind of their files.
    """
    shown = _SHOWN.get(host, HOST_FILES)
    if "rule" in tags and not shown.isdisjoint(tags) and CLAUDE_MEMORY not in tags:
        return True  # an import, too, which only its tag identifies
    found = ((path, kind_of(path)) for path in paths)
    return any(
        kind and kind[0] in shown and (kind[0] != CLAUDE_MEMORY or _in_home(path) == "MEMORY.md")
        for path, kind in found
    )
