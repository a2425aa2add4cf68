"""Rule files become memories: each rule once, with its places and what it applies to."""

from __future__ import annotations

import os

import pytest

from remora.core.payloads import validate
from remora.core.values import MEMORY_TYPES
from remora.sources import rules
from remora.sources.rules import read_rules

RULE = "- Access tokens must expire after one day, refresh them in the middleware.\n"


def contents(scan) -> list[str]:
    """Return the texts of the rules."""
    return [r.draft.content for r in scan.rules]


def why(scan) -> dict[str, str]:
    """Return what was skipped and why."""
    return {s.what: s.why for s in scan.skipped}


def test_a_rule_becomes_a_memory(repo):
    """Content, type, trust, tags and place; what is no rule is told with its place."""
    assert read_rules(repo.root) == ((), (), ())
    repo.put("CLAUDE.md", f"# Project\n\n## Auth\n\n{RULE}\nTODO\n")
    scan = read_rules(repo.root)
    (rule,) = scan.rules
    draft = rule.draft
    assert draft.content == "Access tokens must expire after one day, refresh them in the middleware."
    assert (draft.source, draft.confidence, draft.scope) == ("user_taught", 0.9, "global")
    assert (draft.tags, draft.context_prefix) == (("rule", "claude"), "Auth")
    assert (draft.origin_path, draft.origin_line, rule.origins) == ("CLAUDE.md", 5, (("CLAUDE.md", 5),))
    assert draft.type in MEMORY_TYPES
    assert why(scan) == {"CLAUDE.md:7 “TODO”": "says nothing by itself"}


def test_the_same_text_in_several_files_is_one_rule(repo):
    """Copies, whatever their case, spacing and final stop, are places of one rule of all their kinds."""
    repo.put("AGENTS.md", f"## Auth\n{RULE}")
    repo.put("CLAUDE.md", f"## Security\n\n{RULE.replace('.', '').replace('Access', '*Access*')}")
    repo.put(".cursor/rules/auth.mdc", f"---\nglobs: auth/**\n---\n\n{RULE}")
    scan = read_rules(repo.root)
    (rule,) = scan.rules
    assert rule.origins == (("AGENTS.md", 2), ("CLAUDE.md", 3), (".cursor/rules/auth.mdc", 5))
    assert [f.found.path for f in scan.files] == ["AGENTS.md", "CLAUDE.md", ".cursor/rules/auth.mdc"]
    assert (rule.draft.scope, rule.draft.related_files) == ("global", ())
    assert set(rule.draft.tags) == {"rule", "agents", "claude", "cursor"}


@pytest.mark.parametrize(
    ("path", "front", "files", "modules"),
    [
        (".cursor/rules/a.mdc", "description: API\nglobs: src/api/**/*.py, tests/*\nalwaysApply: false",
         ("src/api/**/*.py", "tests/*"), ("src/api", "tests")),
        (".cursor/rules/a.mdc", "globs: *\nalwaysApply: true", (), ()),
        (".claude/rules/a.md", 'paths:\n  - "src/**/*.{ts,tsx}"\n  - lib/*.ts',
         ("src/**/*.{ts,tsx}", "lib/*.ts"), ("src", "lib")),
        (".github/instructions/a.instructions.md", 'applyTo: "**/*.ts,**/*.tsx"',
         ("**/*.ts", "**/*.tsx"), ()),
        ("web/.cursor/rules/a.mdc", "globs: src/**", ("web/src/**",), ("web/src",)),
        ("web/AGENTS.md", "", ("web/**",), ("web",)),
    ],
)  # fmt: skip
def test_globs_make_the_scope(repo, path, front, files, modules):
    """Every host's front matter ends as globs from the root, and so does the folder of a nested file."""
    repo.put(path, f"---\n{front}\n---\n\n{RULE}")
    (rule,) = read_rules(repo.root).rules
    assert (rule.draft.related_files, rule.draft.related_modules) == (files, modules)
    assert rule.draft.scope == ("module" if files else "global")


def test_files_that_a_rule_names_are_related_when_they_exist(repo):
    """Code spans and links, from the file's folder or from the root; nothing outside."""
    for path in ("src/auth/tokens.py", "web/app.ts", "docs/auth.md", "outside.txt"):
        repo.put(path, "x")
    repo.put("web/CLAUDE.md", "- Keep `app.ts` and `src/auth/tokens.py` in step, [notes](../docs/auth.md), "
             "`gone.py`, `../../etc/passwd`\n"
             "- Everything in `src/auth/` must be covered by tests of its own.\n")  # fmt: skip
    first, second = read_rules(repo.root).rules
    assert first.draft.related_files == ("web/**", "web/app.ts", "src/auth/tokens.py", "docs/auth.md")
    assert second.draft.related_modules == ("web", "src/auth")


def test_a_procedure_has_a_valid_payload(repo):
    """Steps in order, named by their heading."""
    repo.put(
        "CLAUDE.md", "## Releasing\n\n### Steps\n\n1. Run `make test`\n2. Tag the commit\n3. Push the tag\n"
    )
    (rule,) = read_rules(repo.root).rules
    assert rule.draft.type == "workflow_recipe"
    assert rule.draft.content == "Releasing > Steps:\n1. Run `make test`\n2. Tag the commit\n3. Push the tag"
    assert rule.draft.payload == {
        "task_pattern": "Releasing",
        "steps": [
            {"order": 1, "description": "Run `make test`"},
            {"order": 2, "description": "Tag the commit"},
            {"order": 3, "description": "Push the tag"},
        ],
    }
    assert validate("workflow_recipe", rule.draft.payload) == rule.draft.payload


def test_imports_are_read_with_the_file_that_asks(repo):
    """Relative to the importer, four deep, each file once, circles ended."""
    repo.put("web/CLAUDE.md", "Rules: @docs/a.md\n\n`@docs/never.md`\n")
    repo.put(
        "web/docs/a.md",
        "# Alpha\n\n- The first file says this rule about alpha things.\n@b.md @../CLAUDE.md\n",
    )
    repo.put("web/docs/b.md", "- The second file says this rule about beta things.\n@c.md\n")
    repo.put("web/docs/c.md", "- The third file says this rule about gamma things.\n@d.md\n")
    repo.put("web/docs/d.md", "- The fourth file says this rule about delta things.\n@e.md\n")
    repo.put("web/docs/e.md", "- The fifth file is too deep to be read at all.\n")
    repo.put("web/docs/never.md", "- This is only an example in a code span, no import.\n")
    scan = read_rules(repo.root)
    files = ["web/CLAUDE.md", "web/docs/a.md", "web/docs/b.md", "web/docs/c.md", "web/docs/d.md"]
    assert [f.found.path for f in scan.files] == files
    assert why(scan)["web/docs/d.md:2 @e.md"] == "imported more than 4 files deep"
    assert all(r.draft.related_modules[0] == "web" for r in scan.rules)


def test_imports_that_cannot_be_read_are_told(repo, tmp_path):
    """Missing files, folders, programs and places outside; handles and packages are no imports."""
    (tmp_path / "secret.md").write_text(RULE)
    repo.put("package.json", "{}")
    repo.put("docs/x.md", "x")
    repo.put("GEMINI.md", "@missing.md @docs @package.json @../secret.md "
             f"@{tmp_path}/secret.md @~/me.md @types/node @alice and me@example.org\n")  # fmt: skip
    scan = read_rules(repo.root)
    assert why(scan) == {
        "GEMINI.md:1 @missing.md": "the imported file does not exist",
        "GEMINI.md:1 @docs": "imports a folder",
        "GEMINI.md:1 @package.json": "an import that is neither Markdown nor plain text",
        "GEMINI.md:1 @../secret.md": "outside the project",
        f"GEMINI.md:1 @{tmp_path}/secret.md": "outside the project",
        "GEMINI.md:1 @~/me.md": "in the home folder, which is not read",
        "GEMINI.md:1 “@missing.md @docs @package.json @../secret.md…”": "a description, not a rule",
    }
    assert [f.found.path for f in scan.files] == ["GEMINI.md"]


def test_the_home_is_read_only_when_given(repo, tmp_path):
    """An import from the home works with it, relative ones from there too, and nothing leaves it."""
    home = tmp_path / "home"
    (home / ".claude").mkdir(parents=True)
    (home / ".claude" / "me.md").write_text("- I like short answers and no emoji in any text.\n@more.md\n")
    (home / ".claude" / "more.md").write_text("- I work in the evening and answer questions the next day.\n")
    (home / "id_key").write_text("not prose")
    (tmp_path / "secret.md").write_text(RULE)
    repo.put("CLAUDE.local.md", "@~/.claude/me.md @~/../secret.md @~/id_key\n")
    scan = read_rules(repo.root, home=home, allowed={str((home / ".claude" / "me.md").resolve())})
    assert [f.found.path for f in scan.files] == ["CLAUDE.local.md", "~/.claude/me.md", "~/.claude/more.md"]
    assert "I like short answers and no emoji in any text." in contents(scan)
    assert {why(scan)[f"CLAUDE.local.md:1 @{t}"] for t in ("~/../secret.md", "~/id_key")} == {
        "outside the project"
    }
    assert [f.found.path for f in read_rules(repo.root).files] == ["CLAUDE.local.md"]


def test_a_file_of_the_home_is_imported_only_with_consent(repo, tmp_path):
    """Whoever wrote the repository names it; the user says yes to each, and it waits until then."""
    home = tmp_path / "home"
    home.mkdir()
    (home / "diary.md").write_text(RULE)
    repo.put("CLAUDE.md", "@~/diary.md\n")
    scan = read_rules(repo.root, home=home)
    assert [f.found.path for f in scan.files] == ["CLAUDE.md"]
    real = str((home / "diary.md").resolve())
    assert why(scan)["CLAUDE.md:1 @~/diary.md"].endswith(f"remora init --allow-import {real}")
    assert len(read_rules(repo.root, home=home, allowed={real}).files) == 2


def test_a_link_in_the_project_never_leads_into_the_home(repo, tmp_path):
    """Who wrote the repository does not choose what is read of the user's own files."""
    home = tmp_path / "home"
    home.mkdir()
    (home / "diary.md").write_text(RULE)
    (repo.root / "CLAUDE.md").symlink_to(home / "diary.md")
    (repo.root / "~").mkdir()
    (repo.root / "~" / "AGENTS.md").symlink_to(home / "diary.md")
    assert read_rules(repo.root, home=home).files == ()


def test_a_link_and_its_target_are_one_file(repo, tmp_path):
    """Links inside are read once, links to the outside and to nothing are told."""
    (tmp_path / "elsewhere.md").write_text(RULE)
    repo.put("AGENTS.md", RULE)
    (repo.root / "CLAUDE.md").symlink_to("AGENTS.md")
    (repo.root / "GEMINI.md").symlink_to(tmp_path / "elsewhere.md")
    (repo.root / ".cursorrules").symlink_to("nowhere")
    (repo.root / ".windsurfrules").symlink_to(".windsurfrules")
    scan = read_rules(repo.root)
    assert [f.found.path for f in scan.files] == ["AGENTS.md"]
    assert scan.rules[0].origins == (("AGENTS.md", 1),)
    assert why(scan) == {"GEMINI.md": "outside the project"}


def test_a_bad_file_takes_no_good_one_with_it(repo, monkeypatch):
    """Huge, binary, empty, unreadable and special files are told; odd encodings are read."""
    repo.put("AGENTS.md", RULE)
    repo.put("CLAUDE.md", b"x" * (rules.MAX_BYTES + 1))
    repo.put("GEMINI.md", b"\x89PNG\0\0\0binary")
    repo.put(".cursorrules", "\n")
    repo.put(
        ".windsurfrules", "- Naïve tests come first, before every commit of any kind.\n".encode("cp1252")
    )
    unreadable = repo.put("a/AGENTS.md", RULE)
    unreadable.chmod(0)
    os.mkfifo(repo.root / ".clinerules")
    scan = read_rules(repo.root)
    found = why(scan)
    assert (found["CLAUDE.md"], found["GEMINI.md"], found[".cursorrules"]) == (
        "larger than 1 MB",
        "binary, not text",
        "empty",
    )
    assert [(f.found.path, f.text.note) for f in scan.files if f.found.path != "a/AGENTS.md"] == [
        (".windsurfrules", "not UTF-8; read as Windows-1252"), ("AGENTS.md", ""),
    ]  # fmt: skip
    if os.geteuid():
        assert found["a/AGENTS.md"].startswith("cannot be read")


def test_what_an_agent_noted_is_trusted_less(repo, tmp_path):
    """One memory a topic file, typed by its front matter; the index only lists them."""
    slug = "".join(c if c.isalnum() and c.isascii() else "-" for c in str(repo.root.resolve()))
    memory = tmp_path / "home" / ".claude" / "projects" / slug / "memory"
    memory.mkdir(parents=True)
    (memory / "MEMORY.md").write_text(
        "- [Seeds](seeds.md) - how the seeds work\n- The staging host restarts each night at two.\n"
    )
    (memory / "seeds.md").write_text(
        "---\nname: seeds\ndescription: How test seeds work\ntype: project\n---\n\n"
        "Seeds are fixed in tests.\n\n**Why:** flaky runs\n"
    )
    scan = read_rules(repo.root, home=tmp_path / "home")
    by_text = {r.draft.content: r.draft for r in scan.rules}
    assert list(by_text) == [
        "The staging host restarts each night at two.",
        "How test seeds work: Seeds are fixed in tests.\n**Why:** flaky runs",
    ]
    assert {(d.source, d.confidence, d.tags) for d in by_text.values()} == {
        ("agent_explicit", 0.7, ("rule", "claude_memory"))
    }
    assert "lists a file that is also read directly" in why(scan).values()


def test_what_is_no_rule_is_told_with_its_place(repo):
    """Nothing is lost silently."""
    repo.put("CLAUDE.md", "This file provides guidance to Claude Code when working here.\n\nTODO\n\n" + RULE)
    assert why(read_rules(repo.root)) == {
        "CLAUDE.md:1 “This file provides guidance to Claude Code when working…”": "a description, not a rule",
        "CLAUDE.md:3 “TODO”": "says nothing by itself",
    }


def test_a_document_is_read_to_a_limit(repo, monkeypatch):
    """Hundreds of rules in one file are a document; the place where reading stopped is told."""
    monkeypatch.setattr(rules, "MAX_RULES", 2)
    repo.put(
        "CLAUDE.md",
        "".join(f"- Rule number {n} must say what to do in case {n} of many.\n" for n in range(4)),
    )
    scan = read_rules(repo.root)
    assert len(scan.rules) == 2
    assert why(scan) == {"CLAUDE.md:3 and below": "only the first 2 rules of a file are read"}


def test_a_very_long_procedure_is_cut_in_the_text_only(repo):
    """The payload keeps all steps, the text ends with a sign, and that is told."""
    steps = "".join(f"{n}. Run step {n} {'of the long release procedure ' * 8}\n" for n in range(1, 31))
    repo.put("CLAUDE.md", f"## How to release\n\n{steps}")
    scan = read_rules(repo.root)
    (rule,) = scan.rules
    assert len(rule.draft.content) <= rules.CONTENT_CHARACTERS + 2
    assert rule.draft.content.endswith("\n…")
    assert rule.draft.payload is not None
    assert len(rule.draft.payload["steps"]) == 30
    assert why(scan) == {"CLAUDE.md:3": "cut at 4000 characters"}


def test_a_record_of_a_decision_is_one_memory(repo):
    """Its title and what was decided; the context, and what was weighed, is for whoever opens the file."""
    repo.put(
        "docs/adr/0007-queue.md",
        "# 7. Keep jobs in Postgres\n\n## Status\n\nAccepted\n\n## Context\n\nWe must have a queue.\n\n"
        "## Decision\n\nJobs lie in a table, `jobs`. Workers lock rows with `SKIP LOCKED`.\n\n"
        "## Consequences\n\nNever use a broker.\n",
    )
    (rule,) = read_rules(repo.root).rules
    assert rule.draft.content == (
        "Keep jobs in Postgres: Jobs lie in a table, `jobs`. Workers lock rows with `SKIP LOCKED`."
    )
    assert (rule.draft.type, rule.draft.tags) == ("decision", ("rule", "decisions"))
    assert (rule.draft.scope, rule.draft.origin_line) == ("global", 13)


@pytest.mark.parametrize(
    ("text", "why_not"),
    [
        ("# A\n\nStatus: Superseded by 9\n\n## Decision\n\nUse B.\n", "is superseded"),
        ("---\nstatus: proposed\n---\n# A\n\n## Decision\n\nUse B.\n", "is proposed"),
        ("# A\n\n- Status: **rejected**\n\n## Decision Outcome\n\nUse B.\n", "is rejected"),
        ("# A\n\n## Notes\n\nUse B.\n", "no heading introduces the decision"),
    ],
)
def test_what_is_not_in_force_is_no_decision(repo, text, why_not):
    """A status in the front matter, below its heading or in a line counts."""
    repo.put("docs/decisions/a.md", text)
    scan = read_rules(repo.root)
    assert scan.rules == ()
    assert list(why(scan).values()) == [why_not]


def test_of_a_decision_that_lists_the_list_is_kept(repo):
    """A sentence that announces says nothing without what follows."""
    repo.put("adr/a.md", "# ADR 2: Layers\n\n## Decision Outcome\n\nWe keep:\n\n- one core\n- thin hosts\n")
    assert contents(read_rules(repo.root)) == ["Layers: We keep: one core; thin hosts"]


def test_contributing_gives_its_orders_with_less_trust(repo):
    """It was written for people who are new here, and no agent is shown it."""
    repo.put(
        "CONTRIBUTING.md", "# How\n\nWelcome!\n\n## Code\n\nRead it.\n\nNever change the public names.\n"
    )
    (rule,) = read_rules(repo.root).rules
    assert rule.draft.content == "Code: Never change the public names."
    assert (rule.draft.confidence, rule.draft.tags) == (0.7, ("rule", "contributing"))


def test_files_of_lessons_are_read_when_a_rule_file_names_them(repo):
    """Also `.learnings`; what a lesson says need not ask for anything, and other files stay closed."""
    repo.put("AGENTS.md", "Read `docs/lessons-learned.md` and [notes](notes.md) and `gone/lessons.md`.\n")
    repo.put("docs/lessons-learned.md", "# Lessons\n\n- The staging database loses its rows each night.\n")
    repo.put("notes.md", "- The moon is far away from here on most days.\n")
    repo.put(".learnings/ERRORS.md", "## Builds\n\nThe linker runs out of memory with two jobs at once.\n")
    repo.put(
        ".learnings/FEATURE_REQUESTS.md", "## Wish\n\nA button that must make coffee for everyone here.\n"
    )
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


def test_a_file_of_lessons_outside_of_the_project_stays_closed(repo, tmp_path):
    """Neither a path nor a link leads out of it."""
    (tmp_path / "lessons.md").write_text(RULE)
    repo.put("AGENTS.md", "Never forget `../lessons.md` and `docs/lessons.md` in this repository.\n")
    (repo.root / "docs").mkdir()
    (repo.root / "docs" / "lessons.md").symlink_to(tmp_path / "lessons.md")
    assert [f.found.path for f in read_rules(repo.root).files] == ["AGENTS.md"]
