"""Which commands to check the work with: does the memory name those that the session will run?

Measured twice. In every repository of the recordings, by what became of the commands there (see
`many_commands`); no list of tools is asked what a check is. And in the repository of `agent_sessions` by
the older measure: gold are the format, lint and test commands of the session in a normal form made for it,
in which what chooses single tests or what is printed is left out and packages stay. Five are asked for
twice: knowing nothing, and knowing what was edited (as one does when it is time to check). Suggestions go
through the same normal form; one that holds several commands counts as several. The rivals are the five
commands that most sessions ran so far, and the same of the last ten sessions. With `--repo` the project is
there as it was when the session began, so that its tasks are known; the rivals know
only the sessions. What could be reached at best by naming what was run before or what the project names is
counted, too: the five that fit best, chosen by someone who knows the session.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from benchmarks import many_commands
from benchmarks.agent_sessions import AgentSession
from benchmarks.commands_run import tool, verification
from benchmarks.common import Check, Options, Report, Table, memory_in, model_of, say, settings_of, workplace
from benchmarks.learning import Past, Stream, sessions_of
from benchmarks.metrics import mean, paired_interval, recall_at
from benchmarks.session_files import Clone, History
from benchmarks.session_floors import frequent_commands
from remora.app.memory import Memory
from remora.checks.from_project import named_checks

K = 5
PROMISED = 0.0  # never below plain counting
LATELY = 10  # sessions
FREQUENT = "most frequent five"
BLIND, EDITED = "remora", "remora, with the edited files"
PURPOSES = ("format", "lint", "test")

Named = dict[str, list[str]]


def suggestions(memory: Memory, session: AgentSession) -> Named:
    """Return what is suggested, in normal form."""

    def named(files: Sequence[str] = ()) -> list[str]:
        found = memory.suggest_commands(K, files=files, purposes=PURPOSES)
        return flat(one.command for one in found)

    return {BLIND: named(), EDITED: named(sorted(session.gold))}


def flat(commands: Iterable[str]) -> list[str]:
    """Return the first five different verification commands of some lines, in normal form.

    >>> flat(["mise run fmt && mise run lint", "cat x", "go test -v ./a/"])
    ['mise run fmt', 'mise run lint', 'go test ./a']
    """
    return list(dict.fromkeys(normal for line in commands for normal in verification(line)))[:K]


def run(options: Options) -> Report:
    """Ask before every session that runs a verification command, or before the first of them."""
    sessions = sessions_of(options)
    past = Past(sessions)
    wanted = [session for session in sessions if session.verified][: options.limit]
    found: list[tuple[AgentSession, Named]] = []
    known: list[frozenset[str]] = []
    with workplace() as place:
        stream = Stream(place, past)
        history = History(options.repo) if options.repo is not None else None
        clone = Clone(options.repo, place) if options.repo is not None else None
        for number, session in enumerate(wanted, 1):
            if history is not None and clone is not None and not clone.stand_at(history, session):
                say(f"commands: {session.id} has no tree")
            with memory_in(place) as memory:
                over = stream.learn_before(memory, session)
                rivals = {
                    FREQUENT: frequent_commands(over, K),
                    f"most frequent five of the last {LATELY}": frequent_commands(over[-LATELY:], K),
                }
                found.append((session, suggestions(memory, session) | rivals))
                ever = {command for other in over for command in other.verified}
                for check in named_checks(memory.root):
                    ever.update(verification(check.command))
                model, settings = model_of(memory), settings_of(memory)
            known.append(frozenset(ever))
            if number % 20 == 0:
                say(f"commands: {number} of {len(wanted)}")
    trees = "of its day" if options.repo is not None else "none"
    own = report(found, known, trees, model, settings, whole=options.limit is None)
    tables, figures, checks = many_commands.tables(options, sessions)
    return own._replace(
        figures={**own.figures, "every repository": figures},
        tables=(*tables, *own.tables),
        checks=(*(checks if options.limit is None else ()), *own.checks),
    )


def report(
    asked: Sequence[tuple[AgentSession, Named]],
    knowns: Sequence[frozenset[str]],
    trees: str,
    model: str,
    settings: dict[str, Any],
    *,
    whole: bool,
) -> Report:
    """Return which share of a session's commands each names, and of its tools without their packages."""
    rows: list[tuple[object, ...]] = []
    golds = [(ever, set(session.verified)) for ever, (session, _) in zip(knowns, asked, strict=True)]
    known = mean(recall_at(sorted(ever), gold, len(ever)) for ever, gold in golds)
    best = mean(recall_at(sorted(ever & gold), gold, K) for ever, gold in golds)
    figures: dict[str, Any] = {
        "sessions": len(asked),
        "tree": trees,
        "run by an earlier session or named by the project": known,
        "five chosen knowing the session": best,
    }
    notes = [
        f"{known:.3f} of a session's commands were run by a session before it, or the project names them.",
        f"Five of these, chosen by someone who knows the session, name {best:.3f}.",
    ]
    shares = {
        name: [recall_at(named[name], set(session.verified), K) for session, named in asked]
        for name in asked[0][1]
    }
    for name, own in shares.items():
        tools = mean(
            recall_at([tool(c) for c in named[name]], {tool(c) for c in session.verified}, K)
            for session, named in asked
        )
        lead = paired_interval([[v] for v in own], [[v] for v in shares[FREQUENT]])
        rows.append((name, mean(own), lead.mean, lead.low, lead.high, tools))
        figures[name] = {"named": mean(own), "lead": lead._asdict(), "tools": tools}
    columns = ("", "named", "over most frequent", "low", "high", "tools alone")
    table = Table(f"Verification commands among five, {len(asked)} sessions", columns, tuple(rows))
    lead_over = mean(shares[BLIND]) - mean(shares[FREQUENT])
    checks = (Check.at_least("commands over the most frequent five", lead_over, PROMISED),) if whole else ()
    return Report("commands", figures, (table,), checks, tuple(notes), model, settings)
