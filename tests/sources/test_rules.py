"""Rule files become memories: each rule once, with its places and what it applies to."""

from __future__ import annotations

import os

import pytest

from remora.core.payloads import validate
from remora.core.values import MEMORY_TYPES
from remora.sources import rules
from remora.sources.rules import read_rules
from tests.sources.others.looks import why, write

RULE = "- Access tokens must expire after one day, refresh them in the middleware.\n"
DECIDED = "Jobs lie in a table, `jobs`. Workers lock rows with `SKIP LOCKED`."
DECISION = f"## Decision\n\n{DECIDED}\n\n"


def contents(scan) -> list[str]:
    """Return the texts of the rules."""
    return [r.draft.content for r in scan.rules]


def paths(scan) -> list[str]:
    """Return the paths of the files that were read."""
    return [f.found.path for f in scan.files]


def only(scan):
    """Return the draft of the only rule."""
    (rule,) = scan.rules
    return rule.draft


def test_a_rule_becomes_a_memory(repo):
    """Content, type, trust, tags and place; what is no rule is told with its place."""
    assert read_rules(repo.root) == ((), (), ())
    about = "This file provides guidance to Claude Code when working here."
    repo.put("CLAUDE.md", f"# Project\n\n{about}\n\n## Auth\n\n{RULE}\nTODO\n")
    scan = read_rules(repo.root)
    draft = only(scan)
    assert draft.content == "Access tokens must expire after one day, refresh them in the middleware."
    assert (draft.source, draft.confidence, draft.scope) == ("user_taught", 0.9, "global")
    assert (draft.tags, draft.context_prefix) == (("rule", "claude"), "Auth")
    assert (draft.origin_path, draft.origin_line) == ("CLAUDE.md", 7)
    assert scan.rules[0].origins == (("CLAUDE.md", 7),)
    assert draft.type in MEMORY_TYPES
    assert why(scan) == {
        "CLAUDE.md:3 “This file provides guidance to Claude Code when working…”": "a description, not a rule",
        "CLAUDE.md:9 “TODO”": "says nothing by itself",
    }


def test_the_same_text_in_several_files_is_one_rule(repo):
    """Copies, whatever their case, spacing and final stop, are places of one rule of all their kinds."""
    repo.put("AGENTS.md", f"## Auth\n{RULE}")
    repo.put("CLAUDE.md", f"## Security\n\n{RULE.replace('.', '').replace('Access', '*Access*')}")
    repo.put(".cursor/rules/auth.mdc", f"---\nglobs: auth/**\n---\n\n{RULE}")
    scan = read_rules(repo.root)
    draft = only(scan)
    assert scan.rules[0].origins == (("AGENTS.md", 2), ("CLAUDE.md", 3), (".cursor/rules/auth.mdc", 5))
    assert paths(scan) == ["AGENTS.md", "CLAUDE.md", ".cursor/rules/auth.mdc"]
    assert (draft.scope, draft.related_files) == ("global", ())
    assert set(draft.tags) == {"rule", "agents", "claude", "cursor"}


@pytest.mark.parametrize(
    ("path", "front", "files", "modules"),
    [
        (".cursor/rules/a.mdc", "description: API\nglobs: src/api/**/*.py, tests/*\nalwaysApply: false",
         ("src/api/**/*.py", "tests/*"), ("src/api", "tests")),
        (".cursor/rules/a.mdc", "description: src/**\nglobs: *\nalwaysApply: true", (), ()),
        (".claude/rules/a.md", "paths: ['./src/**', '/docs/**', '!src/gen/**', 'src/**']",
         ("src/**", "docs/**"), ("src", "docs")),
        (".claude/rules/a.md", 'paths:\n  - "src/**/*.{ts,tsx}"\n  - lib/*.ts',
         ("src/**/*.{ts,tsx}", "lib/*.ts"), ("src", "lib")),
        (".github/instructions/a.instructions.md", 'applyTo: "**/*.ts,**/*.tsx"',
         ("**/*.ts", "**/*.tsx"), ()),
        ("web/.cursor/rules/a.mdc", "globs: src/**, web/lib/**",
         ("web/src/**", "web/lib/**"), ("web/src", "web/lib")),
        ("web/AGENTS.md", "", ("web/**",), ("web",)),
    ],
)  # fmt: skip
def test_globs_make_the_scope(repo, path, front, files, modules):
    """Every host's front matter ends as globs from the root, and so does the folder of a nested file."""
    repo.put(path, f"---\n{front}\n---\n\n{RULE}")
    draft = only(read_rules(repo.root))
    assert (draft.related_files, draft.related_modules) == (files, modules)
    assert draft.scope == ("module" if files else "global")


def test_files_that_a_rule_names_are_related_when_they_exist(repo):
    """Code spans and links, from the file's folder or from the root; nothing outside."""
    write(repo.root, dict.fromkeys(("src/auth/tokens.py", "web/app.ts", "docs/auth.md", "outside.txt"), "x"))
    named = "`app.ts` and `src/auth/tokens.py` in step, [notes](../docs/auth.md), `gone.py`, `../../etc`"
    covered = "Everything in `src/auth/` must be covered by tests of its own."
    repo.put("web/CLAUDE.md", f"- Keep {named}\n- {covered}\n")
    first, second = read_rules(repo.root).rules
    assert first.draft.related_files == ("web/**", "web/app.ts", "src/auth/tokens.py", "docs/auth.md")
    assert second.draft.related_modules == ("web", "src/auth")


def test_a_procedure_has_a_valid_payload(repo):
    """Steps in order, named by their heading; of a very long one the text is cut, which is told."""
    done = ["Run `make test`", "Tag the commit", "Push the tag"]
    text = "".join(f"{n}. {step}\n" for n, step in enumerate(done, 1))
    repo.put("CLAUDE.md", f"## Releasing\n\n### Steps\n\n{text}")
    draft = only(read_rules(repo.root))
    assert (draft.type, draft.content) == ("workflow_recipe", f"Releasing > Steps:\n{text.strip()}")
    steps = [{"order": n, "description": step} for n, step in enumerate(done, 1)]
    assert draft.payload == {"task_pattern": "Releasing", "steps": steps}
    assert validate("workflow_recipe", draft.payload) == draft.payload
    long = "".join(f"{n}. Run step {n} {'of the long release procedure ' * 8}\n" for n in range(1, 31))
    repo.put("CLAUDE.md", f"## How to release\n\n{long}")
    scan = read_rules(repo.root)
    assert len(only(scan).content) <= rules.CONTENT_CHARACTERS + 2
    assert only(scan).content.endswith("\n…")
    assert len(only(scan).payload["steps"]) == 30
    assert why(scan) == {"CLAUDE.md:3": "cut at 4000 characters"}


def test_imports_are_read_with_the_file_that_asks(repo):
    """Relative to the importer, four deep, each file once, circles ended."""
    repo.put("web/CLAUDE.md", "Rules: @docs/a.md\n\n`@docs/never.md`\n")
    chain = {"a": "@b.md @../CLAUDE.md", "b": "@c.md", "c": "@d.md", "d": "@e.md", "e": "", "never": ""}
    for name, more in chain.items():
        repo.put(f"web/docs/{name}.md", f"- The file {name} says this rule about things of {name}.\n{more}\n")
    scan = read_rules(repo.root)
    assert paths(scan) == ["web/CLAUDE.md", *(f"web/docs/{name}.md" for name in "abcd")]
    assert why(scan)["web/docs/d.md:2 @e.md"] == "imported more than 4 files deep"
    assert all(r.draft.related_modules[0] == "web" for r in scan.rules)


def test_imports_that_cannot_be_read_are_told(repo, tmp_path):
    """Missing files, folders, programs and places outside; handles and packages are no imports."""
    write(tmp_path, {"secret.md": RULE})
    write(repo.root, {"package.json": "{}", "docs/x.md": "x"})
    reasons = {
        "missing.md": "the imported file does not exist",
        "docs": "imports a folder",
        "package.json": "an import that is neither Markdown nor plain text",
        "../secret.md": "outside the project",
        f"{tmp_path}/secret.md": "outside the project",
        "~/me.md": "in the home folder, which is not read",
    }
    repo.put("GEMINI.md", " ".join(f"@{name}" for name in reasons) + " @types/node @alice and me@a.org\n")
    scan = read_rules(repo.root)
    assert why(scan) == {
        **{f"GEMINI.md:1 @{name}": reason for name, reason in reasons.items()},
        "GEMINI.md:1 “@missing.md @docs @package.json @../secret.md…”": "a description, not a rule",
    }
    assert paths(scan) == ["GEMINI.md"]


def test_a_file_of_the_home_is_imported_only_with_consent(repo, tmp_path):
    """Whoever wrote the repository names it; the user says yes to each, and nothing leads out of the home."""
    home = write(tmp_path / "home", {"id_key": "not prose", ".claude/more.md": "- I work in the evening.\n"})
    write(home, {".claude/me.md": "- I like short answers and no emoji in any text.\n@more.md\n"})
    write(tmp_path, {"secret.md": RULE})
    repo.put("CLAUDE.local.md", "@~/.claude/me.md @~/../secret.md @~/id_key\n")
    assert paths(read_rules(repo.root)) == ["CLAUDE.local.md"]
    waiting = read_rules(repo.root, home=home)
    assert paths(waiting) == ["CLAUDE.local.md"]
    real = str((home / ".claude" / "me.md").resolve())
    said = why(waiting)["CLAUDE.local.md:1 @~/.claude/me.md"]
    assert said.endswith(f"remora init --allow-import {real}")
    scan = read_rules(repo.root, home=home, allowed={real})
    assert paths(scan) == ["CLAUDE.local.md", "~/.claude/me.md", "~/.claude/more.md"]
    assert "I like short answers and no emoji in any text." in contents(scan)
    refused = {why(scan)[f"CLAUDE.local.md:1 @{name}"] for name in ("~/../secret.md", "~/id_key")}
    assert refused == {"outside the project"}


def test_links_are_followed_inside_of_the_project_only(repo, tmp_path):
    """A link and its target are one file; links to the outside are told, and none leads into the home."""
    home = write(tmp_path / "home", {"diary.md": RULE})
    write(repo.root, {"AGENTS.md": RULE, "~/notes.md": "x"})
    targets = {
        "CLAUDE.md": "AGENTS.md",
        "GEMINI.md": home / "diary.md",
        "~/AGENTS.md": home / "diary.md",
        ".cursorrules": "nowhere",
        ".windsurfrules": ".windsurfrules",
    }
    for name, target in targets.items():
        (repo.root / name).symlink_to(target)
    scan = read_rules(repo.root, home=home)
    assert paths(scan) == ["AGENTS.md"]
    assert scan.rules[0].origins == (("AGENTS.md", 1),)
    assert why(scan) == {"GEMINI.md": "outside the project", "~/AGENTS.md": "outside the project"}


def test_a_bad_file_takes_no_good_one_with_it(repo):
    """Huge, binary, empty, unreadable and special files are told; odd encodings are read."""
    odd = "- Naïve tests come first, before every commit of any kind.\n".encode("cp1252")
    write(repo.root, {"AGENTS.md": RULE, "CLAUDE.md": b"x" * (rules.MAX_BYTES + 1), ".windsurfrules": odd})
    write(repo.root, {"GEMINI.md": b"\x89PNG\0\0\0binary", ".cursorrules": "\n"})
    repo.put("a/AGENTS.md", RULE).chmod(0)
    os.mkfifo(repo.root / ".clinerules")
    scan = read_rules(repo.root)
    found = why(scan)
    told = [found[name] for name in ("CLAUDE.md", "GEMINI.md", ".cursorrules")]
    assert told == ["larger than 1 MB", "binary, not text", "empty"]
    notes = {f.found.path: f.text.note for f in scan.files if f.found.path != "a/AGENTS.md"}
    assert notes == {".windsurfrules": "not UTF-8; read as Windows-1252", "AGENTS.md": ""}
    if os.geteuid():
        assert found["a/AGENTS.md"].startswith("cannot be read")


def test_what_an_agent_noted_is_trusted_less(repo, tmp_path):
    """One memory a topic file, typed by its front matter; the index only lists them."""
    slug = "".join(c if c.isalnum() and c.isascii() else "-" for c in str(repo.root.resolve()))
    index = "- [Seeds](seeds.md) - how the seeds work\n- The staging host restarts each night at two.\n"
    front = "---\nname: seeds\ndescription: How test seeds work\ntype: project\n---\n\n"
    topic = f"{front}Seeds are fixed in tests.\n\n**Why:** flaky runs\n"
    noted = {"MEMORY.md": index, "seeds.md": topic}
    write(tmp_path / "home" / ".claude" / "projects" / slug / "memory", noted)
    scan = read_rules(repo.root, home=tmp_path / "home")
    assert contents(scan) == [
        "The staging host restarts each night at two.",
        "How test seeds work: Seeds are fixed in tests.\n**Why:** flaky runs",
    ]
    assert {(r.draft.source, r.draft.confidence, r.draft.tags) for r in scan.rules} == {
        ("agent_explicit", 0.7, ("rule", "claude_memory"))
    }
    assert "lists a file that is also read directly" in why(scan).values()


def test_a_document_is_read_to_a_limit(repo, monkeypatch):
    """Hundreds of rules in one file are a document; the place where reading stopped is told."""
    monkeypatch.setattr(rules, "MAX_RULES", 2)
    listed = "".join(f"- Rule number {n} must say what to do in case {n} of many.\n" for n in range(4))
    repo.put("CLAUDE.md", listed)
    scan = read_rules(repo.root)
    assert len(scan.rules) == 2
    assert why(scan) == {"CLAUDE.md:3 and below": "only the first 2 rules of a file are read"}


QUEUE = f"""# 7. Keep jobs in Postgres\n\n## Status\n\nAccepted\n\n## Context\n\nWe must have a queue.\n
{DECISION}## Consequences\n\nNever use a broker.\n"""


@pytest.mark.parametrize(
    ("path", "text", "content", "confidence", "line"),
    [
        ("docs/adr/0007-queue.md", QUEUE, f"Keep jobs in Postgres: {DECIDED}", 0.8, 13),
        ("docs/adr/2.md", "# ADR 2: Layers\n\n## Decision Outcome\n\nWe keep:\n\n- one core\n- thin hosts\n",
         "Layers: We keep: one core; thin hosts", 0.8, 5),
        ("CONTRIBUTING.md", "# How\n\nWelcome!\n\n## Code\n\nRead it.\n\nNever change the public names.\n",
         "Code: Never change the public names.", 0.7, 9),
    ],
)  # fmt: skip
def test_only_what_matters_of_a_document_is_kept(repo, path, text, content, confidence, line):
    """Of a record of a decision its title and what was decided, of a guide its orders, with less trust."""
    repo.put(path, text)
    draft = only(read_rules(repo.root))
    assert (draft.content, draft.confidence, draft.origin_line) == (content, confidence, line)
    assert draft.scope == "global"
    kind = "contributing" if path == "CONTRIBUTING.md" else "decisions"
    assert (draft.tags, draft.type == "decision") == (("rule", kind), kind == "decisions")


@pytest.mark.parametrize(
    ("text", "why_not"),
    [
        (f"# A\n\nStatus: Superseded by 9\n\n{DECISION}", "is superseded"),
        (f"---\nstatus: proposed\n---\n# A\n\n{DECISION}", "is proposed"),
        ("# A\n\n- Status: **rejected**\n\n## Decision Outcome\n\nUse B.\n", "is rejected"),
        ("# A\n\n## Notes\n\nUse B.\n", "no heading introduces the decision"),
    ],
)
def test_what_is_not_in_force_is_no_decision(repo, text, why_not):
    """A status in the front matter, below its heading or in a line counts."""
    repo.put("docs/decisions/a.md", text)
    scan = read_rules(repo.root)
    assert (scan.rules, list(why(scan).values())) == ((), [why_not])


def test_files_of_lessons_are_read_when_a_rule_file_names_them(repo, tmp_path):
    """Also `.learnings`; a lesson need not ask for anything; other files, and those outside, stay closed."""
    write(tmp_path, {"lessons.md": RULE})
    named = ("docs/lessons-learned.md", "gone/lessons.md", "../lessons.md", "docs/lessons.md")
    repo.put("AGENTS.md", f"Read {' and '.join(f'`{name}`' for name in named)} and [notes](notes.md).\n")
    repo.put("docs/lessons-learned.md", "# Lessons\n\n- The staging database loses its rows each night.\n")
    (repo.root / "docs" / "lessons.md").symlink_to(tmp_path / "lessons.md")
    repo.put("notes.md", "- The moon is far away from here on most days.\n")
    repo.put(".learnings/ERRORS.md", "## Builds\n\nThe linker runs out of memory with two jobs at once.\n")
    wish = "## Wish\n\nA button that must make coffee for everyone here.\n"
    repo.put(".learnings/FEATURE_REQUESTS.md", wish)
    scan = read_rules(repo.root)
    assert [(f.found.path, f.found.kind) for f in scan.files] == [
        ("AGENTS.md", "agents"),
        ("docs/lessons-learned.md", "lessons"),
        (".learnings/ERRORS.md", "lessons"),
    ]
    assert contents(scan)[-2:] == [
        "The staging database loses its rows each night.",
        "The linker runs out of memory with two jobs at once.",
    ]
