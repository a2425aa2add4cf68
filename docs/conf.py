"""The site that `python dev.py site` makes of README.md and docs/; its pages load nothing from elsewhere."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pygments.lexers.data import JsonLexer

if TYPE_CHECKING:
    from sphinx.application import Sphinx

# The list at the left, in the order in which a newcomer asks. README.md is the front page, named index.
PAGES: dict[str, dict[str, str]] = {
    "Start": {
        "Install": "docs/install",
        "The first five minutes": "docs/start",
    },
    "Use": {
        "What it learns": "docs/learning",
        "What agents are told": "docs/injection",
        "Whether it helps": "docs/benefit",
        "The panel": "docs/panel",
        "Plans and resumed work": "docs/planning",
        "Sharing with a team": "docs/sharing",
        "Moving in": "docs/moving-in",
    },
    "Privacy": {
        "Security and privacy": "docs/security",
        "Keep, correct, erase": "docs/data",
    },
    "Connect": {
        "Claude Code plugin": "plugin/README",
        "MCP server": "docs/mcp",
        "Agent frameworks": "docs/adapters",
    },
    "Conversations": {
        "Messages within a budget": "docs/conversation-memory",
        "Compaction": "docs/compaction",
        "Journal": "docs/journal",
    },
    "Reference": {
        "Settings, errors, commands": "docs/reference",
        "Glossary": "docs/glossary",
        "Changes": "CHANGELOG",
        "Transcripts": "docs/transcripts",
        "Conversation logs": "docs/session-log",
        "Notes and archives": "docs/entry-store",
    },
    "For developers": {
        "Architecture": "docs/architecture",
        "A tour of the code": "docs/tour",
        "Modules": "docs/modules",
        "Benchmarks": "benchmarks/README",
    },
}
# Said to the browser, which then refuses whatever a page, a style or a script might ask of another host.
POLICY = "default-src 'self' 'unsafe-inline' data:"

project = "Remora"
copyright = "2026 The Remora authors"  # noqa: A001 - Sphinx names it so
extensions = ["myst_parser"]  # reads CommonMark, as code hosts do
root_doc = "index"
myst_heading_anchors = 4  # the anchors that code hosts make
html_favicon = "../remora/interfaces/panel/static/icon.svg"
html_theme = "furo"  # brings its own styles, uses the fonts of the system
html_title = "Remora"
html_show_sphinx = False
html_show_sourcelink = False
html_copy_source = False
html_use_index = False  # no page has entries for it


def add_navigation(app: Sphinx, page: str, source: list[str]) -> None:
    """Put the list of pages at the end of the front page, where Sphinx reads it and nobody sees it."""
    if page == root_doc:
        for caption, pages in PAGES.items():
            lines = "\n".join(f"{title} <{name}>" for title, name in pages.items())
            source[0] += f"\n```{{toctree}}\n:hidden:\n:caption: {caption}\n\n{lines}\n```\n"


def add_policy(app: Sphinx, page: str, template: str, context: dict[str, Any], doctree: object) -> None:
    """Put the policy into the head of a page."""
    policy = f'<meta http-equiv="Content-Security-Policy" content="{POLICY}">'
    context["metatags"] = context.get("metatags", "") + policy


def setup(app: Sphinx) -> None:
    """Connect the two to Sphinx."""
    app.add_lexer("jsonl", JsonLexer)
    app.connect("source-read", add_navigation)
    app.connect("html-page-context", add_policy)
