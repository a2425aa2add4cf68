"""What a memory would be worth saying at: made from its text, and from what sessions showed."""

from __future__ import annotations

import pytest

from remora.app.memories import triggers
from remora.app.memory import Memory
from remora.core.events import CommandRun, ErrorSeen
from remora.core.values import MemoryDraft, Taint
from tests.helpers import Repo
from tests.store.test_session_reader import record, session

KEY = "9aa4040998c551d2"


def cues(memory: Memory, memory_id: str) -> set[tuple[str, str, tuple[str, ...]]]:
    """Return the cues of a memory after making all anew."""
    triggers.refresh(memory._project)
    found = memory._project.db.triggers.of(memory_id)
    return {(one.kind, one.key, one.needs) for one in found}


def commands(memory: Memory, memory_id: str) -> set[tuple[str, tuple[str, ...]]]:
    """Return the commands that a memory is said at after making all anew."""
    return {(cue, needs) for kind, cue, needs in cues(memory, memory_id) if kind == "command"}


def patterns(memory: Memory, memory_id: str) -> set[str]:
    """Return the patterns of a memory after making all anew."""
    return {needs[0] for kind, _, needs in cues(memory, memory_id) if kind == "pattern"}


def stored(memory: Memory, content: str, **more: object) -> str:
    """Store a memory as a session's learning does, and return its id."""
    draft = MemoryDraft(content, **more)  # type: ignore[arg-type]
    return memory.remember_many([draft])[0].id


FLAGS = {
    "pnpm test --grep auth": ("pnpm", ("test", "--grep")),
    "pnpm test auth --grep=login": ("pnpm", ("test", "--grep")),
    "pnpm test -- --grep auth": ("pnpm", ("test", "--", "--grep")),
    "uv run pytest tests --grep auth": ("pytest", ("--grep",)),
    "uv run --grep auth pytest": ("uv", ("run", "pytest", "--grep")),
    "make lint && go vet ./cli --grep a": ("go", ("vet", "--grep")),
    "gh pr diff 104 --grep": ("gh", ("pr", "diff", "--grep")),
}


def test_a_flag_is_wrong_whatever_it_is_given(bare: Memory):
    """Neither its value nor what a check is to look at is part of the cue; one not given is no cue."""
    for command, cue in FLAGS.items():  # the session of the command before is replaced
        failed(bare, 1, command, "", message="error: Unknown option `--grep`")
        assert warned(bare) == {cue}
    failed(bare, 1, "pnpm test auth", "", message="error: --grep is required")
    assert warned(bare) == set()


MISSING = "make: *** No rule to make target 'check'.  Stop."
OTHER, VARIABLE = "make test", "PYTHONPATH=. pytest -q tests"


def failed(memory: Memory, day: int, command: str, worked: str, *passed: str, message: str = MISSING) -> None:
    """Let a session of a day meet the error once with a command; it may have run commands that passed."""
    error = ErrorSeen("f2", "Bash", command, message, 1, (3,), bool(worked), worked=worked)
    ran = (CommandRun(command, "test", 1, 1, 3, 3), *(CommandRun(p, "test", 1, 0, 4, 4) for p in passed))
    one = session(f"s{day}", day, errors=(error,), commands=ran)
    record(memory._project.db, one)


def warned(memory: Memory) -> set[tuple[str, tuple[str, ...]]]:
    """Return the commands that a memory of the error is said at."""
    said = "`make check` fails with “No rule to make target 'check'”; what resolved it: …"
    payload = {"signal": "error_retry", "key": "f2"}
    return commands(memory, stored(memory, said, type="error_pattern", payload=payload))


IN_A_LINE = [
    *[(day, "make lint && make check", OTHER) for day in (3, 4)],
    *[(day, "yes | make check", OTHER) for day in (5, 6)],
    *[(day, "yes | make init && make check", OTHER) for day in (7, 8)],
]


@pytest.mark.parametrize(
    ("sessions", "cue"),
    [
        ([(1, "make check", OTHER)], set()),
        ([(day, "make check", OTHER) for day in (1, 2)], {("make check", ())}),
        (IN_A_LINE, {("yes | make check", ())}),
        ([(day, "pytest -q tests", VARIABLE, VARIABLE) for day in (1, 2)], {("pytest tests", ())}),
        ([(day, "make check", "") for day in (1, 2)], set()),
        ([*[(day, "make check", OTHER) for day in (1, 2)], (3, "make other", "", "make check")], set()),
    ],
    ids=["once", "twice", "with what feeds it", "without a variable", "nothing helped", "it passed since"],
)
def test_a_command_that_fails_each_time_while_another_does_not(bare: Memory, sessions, cue):
    """It is known by the whole of it, from the second session on; the form with a variable is another.

    What failed for the code, or passed since in the same form, is right to run; how much is printed is no
    part of it.
    """
    for one in sessions:
        failed(bare, *one)
    assert warned(bare) == cue


@pytest.mark.parametrize(
    ("said", "source", "needs"),
    [
        ("`make check` is gone; use `python -m unittest`", "user_taught", {("make", ("check",))}),
        ("Never run `npm pack --force`, run `npm run go`", "user_taught", {("npm", ("pack", "--force"))}),
        ("Fixed: `git log --all` was slow", "commit_auto", set()),
        ("`ls -la` shows it", "user_taught", set()),
    ],
)
def test_what_is_to_be_done_instead_is_no_warning(bare: Memory, said: str, source: str, needs: set[object]):
    """Of two commands the right one is not warned of; nor what commits say, and commands that only look."""
    assert commands(bare, stored(bare, said, type="gotcha", source=source)) == needs


@pytest.mark.parametrize(
    ("said", "more", "cue"),
    [
        ("`pytest tests/auth` hangs without REDIS_URL", {}, ("command", "pytest", ("tests/auth",))),
        ("cargo bench -p store needs the fixture, or it stops", {}, ("command", "cargo", ("bench", "-p"))),
        ("`make deploy` asks", {"payload": {"n": 7}, "branch": "side"}, ("command", "make", ("deploy",))),
        (
            "When the suite stops with `no route to broker`, the queue is down; `make queue` starts it",
            {"type": "pattern"},
            ("output", "broker", ("route",)),
        ),
    ],
)
def test_what_a_person_speaks_of(bare: Memory, said: str, more: dict[str, object], cue: tuple[object, ...]):
    """A command, with backticks or without, and output; whatever the type, the branch and the payload."""
    one = stored(bare, said, **{"type": "gotcha", "source": "user_taught", **more})
    assert cue in cues(bare, one)


def test_a_pattern_that_leads_nowhere(bare: Memory):
    """It is known again whatever its case."""
    payload = {"signal": "glob_ignore", "key": "**/Enable*.go"}
    one = stored(bare, "Looking for `**/Enable*.go` leads nowhere", type="gotcha", payload=payload)
    assert cues(bare, one) == {("search", "**/enable*.go", ())}


def test_names_in_code_that_few_files_use(repo: Repo, memory: Memory):
    """A name that the code has everywhere says nothing; one that may be a product's says it in code only."""
    files = {f"m{n}.py": "def handle_all(): pass\n" for n in range(20)}
    own = "def read_header_lines(): pass\n\n\nclass RetryBudget: pass\n"
    repo.commit("start", {**files, "own.py": own})
    memory.index()
    text = "`read_header_lines` drops folded lines; `handle_all` and `no_such_name` and `it` do not"
    one = stored(memory, text, type="gotcha", source="agent_explicit")
    assert {cue for kind, cue, _ in cues(memory, one) if kind == "term"} == {"read_header_lines"}
    said = "GitHub waits as long as RetryBudget and handle_all say; so does parseHeader"
    one = stored(memory, said, type="decision")
    assert {cue for _, cue, _ in cues(memory, one)} == {"retrybudget", "parseheader"}


def test_what_was_just_said_counts_at_once(bare: Memory):
    """A person's warning, and what becomes of it, need no session to be learned first."""
    one = bare.remember("`pytest tests/auth` hangs without REDIS_URL", type="gotcha", source="user_taught")
    db = bare._project.db
    assert {(t.kind, t.key) for t in db.triggers.of(one.id)} >= {
        ("command", "pytest"),
        ("search", "redis_url"),
    }
    bare.edit(one.id, content="`tox -e auth` hangs without a server")
    assert {t.key for t in db.triggers.of(one.id)} == {"tox"}


def test_what_a_name_is_and_where_it_lies(bare: Memory):
    """Memories of many types are told at a search for a name that they speak of, and at nothing else."""
    said = "The retry_budget setting lives in config/limits.yaml; see `Backoff` and `go test ./...`"
    for kind in ("decision", "module_insight", "pattern", "requirement"):
        one = bare.remember(f"{said}, {len(kind)}", type=kind, source="user_taught").id
        assert {(c.kind, c.key) for c in bare.why(one).triggers} == {
            ("search", "retry_budget"),
            ("search", "backoff"),
        }
        assert cues(bare, one) == {("search", "retry_budget", ()), ("search", "backoff", ())}
        bare.forget(one)
    assert cues(bare, stored(bare, said, type="work_unit_outcome")) == set()


def test_names_that_many_memories_speak_of_tell_nothing(bare: Memory):
    """From the fourth on none of them is told, at once and after all was made anew."""
    texts = ("is read once", "grows with each call", "was 7 in May", "belongs to the queue")
    ids = [bare.remember(f"The retry_budget {text}", type="decision").id for text in texts[:3]]
    assert [len(bare.why(one).triggers) for one in ids] == [1, 1, 1]
    ids.append(bare.remember(f"The retry_budget {texts[3]}; max_wait does not", type="decision").id)
    assert [[c.key for c in bare.why(one).triggers] for one in ids] == [[], [], [], ["max_wait"]]
    assert [cues(bare, one) for one in ids] == [set(), set(), set(), {("search", "max_wait", ())}]


def test_what_is_not_told_at_a_search(bare: Memory):
    """What has its own moment, what the host has read, and what would be an order from outside."""
    ways: list[dict[str, object]] = [
        {"source": "commit_auto"},
        {"origin_path": "CLAUDE.md"},
        {"taint": Taint("https://x.org", 3)},
        {"type": "gotcha", "payload": {"signal": "repeated_grep", "key": ""}},
    ]
    for number, more in enumerate(ways):
        one = stored(bare, f"The retry_budget is {number}", **{"type": "decision", **more})
        assert cues(bare, one) == set(), more
        bare.forget(one)


LONG = (
    "Never call `Clock.now()` directly, since a test of billing must be able to stop the time and step "
    "through a month of invoices"
)


def test_what_a_person_set_stands(bare: Memory):
    """A tag of theirs makes no rule file; triggers of theirs are taken as they are, in the rule's folder."""
    said = "Avoid loops in handlers"
    own = stored(bare, said, type="preference", tags=("rule",), source="user_taught")
    assert patterns(bare, own) == {"loops"}
    of_web = {"origin_path": "web/CLAUDE.md", "scope": "module", "related_files": ("web/**",)}
    read = stored(bare, "Be careful", type="preference", triggers={"forbids": ["reset_all"]}, **of_web)
    assert patterns(bare, read) == {"reset_all"}
    (found,) = bare._project.db.triggers.of(read)
    assert found.unless == ("only:web/**",)


def test_what_a_statement_replaces_is_forbidden(bare: Memory):
    """The action that the superseded statement asked for is where the new one is due."""
    old = bare.remember("Release with `shipit publish`", type="preference", source="user_taught")
    new = bare.supersede(old.id, "Release with `make release`")
    assert patterns(bare, new.id) == {"shipit publish"}
    left = bare.supersede(new.id, "We left make: release with `just release`")
    assert "make release" in patterns(bare, left.id)


def test_two_steps_before_one_event_are_two_rules(bare: Memory):
    """They share most of their words, but not the command."""
    stored(bare, "Run `mix check` before each commit.", type="preference", source="user_taught")
    stored(bare, "Run `npm run lint` before each commit.", type="preference", source="user_taught")
    with bare.loop("s") as loop:
        said = loop.before("Bash", {"command": "git commit -am x"})
    assert "mix check" in said
    assert "npm run lint" in said


def test_an_exception_in_another_sentence_holds(bare: Memory):
    """The rule and its exception are one text."""
    said = "Never use `print_it()`, use the logger. This holds everywhere except in tests/."
    read = stored(bare, said, type="preference", origin_path="CLAUDE.md")
    assert patterns(bare, read) == {"print_it("}
    assert {one.unless for one in bare._project.db.triggers.of(read)} == {("but:tests/",)}


@pytest.mark.parametrize(
    ("said", "person", "rule"),
    [
        ("Read the plan before writing any code", set(), set()),
        ("Read the plan before each commit", {"commit"}, {"commit"}),
        ("Never push half of a change", {"push to half"}, {"push to half"}),
        ("Never run `flushall`", {"flushall"}, {"flushall"}),
        (LONG, {"Clock.now("}, {"Clock.now("}),
        ("Avoid loops in handlers", {"loops"}, set()),
        ("Never edit cat/dog/bird", {"cat/dog/bird"}, set()),
        ("Never edit gen/", {"gen/"}, {"gen/"}),
    ],
)
@pytest.mark.parametrize("tags", [(), ("rule", "claude")])
def test_a_rule_file_is_told_at_what_it_names(
    bare: Memory, said: str, person: set[str], rule: set[str], tags: tuple[str, ...]
):
    """Its agent has read it, and its prose shares words with many commands: no ordinary word of it counts.

    An event, a program and marked code of a clause do. A person's sentence was never shown to that agent.
    """
    own = stored(bare, said, type="preference", source="user_taught")
    assert patterns(bare, own) == person
    read = stored(bare, said + " here", type="preference", tags=tags, origin_path="CLAUDE.md")
    assert patterns(bare, read) == rule


def test_a_rule_of_folders_is_told_at_edits_in_them(repo: Repo, memory: Memory):
    """It stands in the rule files of two; a command is in no folder."""
    for folder in ("web", "ops"):
        repo.commit(f"rules of {folder}", {f"{folder}/AGENTS.md": "- Never call reset_all() in a handler.\n"})
    memory.init()
    for path, told in (
        ("web/src/a.py", "reset_all"),
        ("ops/a.py", "reset_all"),
        ("api/a.py", ""),
    ):
        loop = memory.loop(path)
        given = {"file_path": str(repo.root / path), "old_string": "pass", "new_string": "reset_all(any(y))"}
        said = loop.before("Edit", given)
        assert told in said
        assert bool(told) is bool(said)
        assert loop.before("Bash", {"command": "reset_all"}) == ""
