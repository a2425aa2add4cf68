"""Terminal sequences and hidden signs in names and texts never reach a terminal."""

from __future__ import annotations

import json

import pytest

from remora.interfaces.verbs import GROUPS, VERBS
from tests.interfaces.conftest import Run
from tests.interfaces.planting import BAD, PLANTED

TYPED = ("related", "impact", "search", "show", "list --type", "list", "session show", "note show", "")


@pytest.mark.parametrize("words", [*TYPED, "remember The-pager-keeps-its-stream -t pattern --file"])
def test_no_planted_sign_comes_out(run: Run, words: str) -> None:
    """What was typed comes back in answers, notes and errors without a sign that a terminal obeys."""
    told, document = run(*words.split(), PLANTED), run("--json", *words.split(), PLANTED)
    for result in (told, document):
        assert not BAD & set(result.stdout + result.stderr), ascii(result.output)
    json.loads(document.stdout)


# What each verb is called with in a project full of planted names and texts; ID stands for a memory's.
CALLED: dict[str, tuple[str, ...]] = {
    **dict.fromkeys("init learn learned reflect status stats health doctor reindex list modules".split(), ()),
    **dict.fromkeys(
        "checks log index prune recover trust trial costs synthesize statusline off on".split(), ()
    ),
    "teach": ("RULES.md",),
    "remember": (PLANTED,),
    "edit": ("ID", "--text", f"changed {PLANTED}"),
    "supersede": ("ID", f"instead {PLANTED}"),
    "search": ("pager",),
    "context": ("mend the pager",),
    "plan": ("mend the pager",),
    "related": ("a.py",),
    "ask": ("pager",),
    "preview": ("--edit", "a.py"),
    "files": ("mend the pager",),
    "impact": ("a.py",),
    "show": ("ID",),
    "why": ("ID",),
    "verify": ("ID",),
    "wrong": ("ID", "--right", f"the pager is off {PLANTED}"),
    "pin": ("ID",),
    "forget": ("ID",),
    "restore": ("ID",),
    "session list": (),
    "session show": ("cli:1",),
    "session append": ("cli:1", PLANTED),
    "session compact": ("cli:1",),
    "session new": ("cli:1",),
    "session search": ("pager",),
    "note list": (),
    "note show": ("deploy",),
    "note add": ("other", PLANTED),
    "note rename": ("deploy", "ship"),
    "note alias": ("deploy", "release"),
    "note write": ("deploy", PLANTED),
    "note remove": ("deploy",),
    "note dump": ("dumped",),
    "note load": ("dumped", "--yes"),
    "note search": ("pager",),
    "quote list": (),
    "quote keep": ("q1",),
    "quote remove": ("q1",),
    "journal show": (),
    "journal add": (PLANTED,),
    "journal today": (),
    "journal history": (),
    "journal consolidate": (),
    "journal versions": (),
    "journal restore": ("1",),
    "backup": ("copy.db",),
    "install": ("claude-code", "--dry-run"),
    "uninstall": ("claude-code", "--dry-run"),
    "move-in": ("RULES.md", "--dry-run"),
    "completion": ("bash",),
    "export": ("out.json",),
    "import": ("RULES.md", "--dry-run"),
    "erase": ("ID", "--yes"),
    "privacy": (),
    "session delete": ("cli:1", "--yes"),
    **dict.fromkeys(("share status", "conflicts", "dispute", "team members"), ()),
    **dict.fromkeys(("share leave", "sync"), ("--yes",)),
    **dict.fromkeys(("share init", "team create"), ("folder:.", "--me", PLANTED)),
    **dict.fromkeys(("share join", "team join"), (PLANTED,)),
    "share add": ("ID",),
    "share invite": (),
    "team invite": (PLANTED,),
    "team role": (PLANTED, "member"),
    "team leave": ("--yes",),
}
# They serve, are run by programs, or print nothing that came from outside.
SERVERS = {"mcp", "panel", "hook", "work"}
LEAVES = [one.name for verb in VERBS for one in (GROUPS.get(verb.name) or (verb,)) if one.name not in SERVERS]


def test_every_verb_is_tried() -> None:
    """A new verb needs its line above."""
    assert set(LEAVES) == set(CALLED)


@pytest.mark.parametrize("name", sorted(CALLED))
def test_no_verb_prints_what_was_planted(run: Run, planted: str, name: str) -> None:
    """Whatever it shows has no such signs; with --json behind it stdout is one JSON object and no more."""
    words = [planted if word == "ID" else word for word in CALLED[name]]
    told, document = run(*name.split(), *words), run(*name.split(), *words, "--json")
    for result in (told, document):
        assert not BAD & set(result.stdout + result.stderr), ascii(result.output)
        assert "Traceback" not in result.output
    assert isinstance(json.loads(document.stdout), dict)
    assert document.stderr == ""
