"""A project in which everything that comes from outside holds signs that a terminal obeys or nobody sees."""

from __future__ import annotations

from pathlib import Path

from remora.app.learning.quotes import take_in
from remora.app.memories import triggers
from remora.app.memory import Memory
from remora.core.clock import Clock
from remora.core.events import Event
from remora.observer.observer import Observer
from remora.sources.transcripts.paths import slug
from tests.helpers import Repo, environment
from tests.sources.transcripts.records import claude, put

PLANTED = "\x1b]0;owned\x07\x1b[2Jx\x9b31m\r\x08\u202e\u2066\u200b\U000e0041\xad.py"
# A store refuses what looks binary: few such signs in many words.
SOFTER = f"{'of this shop ' * 20}\x1b[2Jx\u202e\u2066\u200b\U000e0041\xad.py"
BAD = frozenset("\x1b\x07\x9b\r\x08\u202e\u2066\u200b\U000e0041\xad")
NAME = "pager\x1b[2J\u202e\u200b\U000e0041\xad.py"  # of a file that is really there
SESSION = "5e551011-0000-4000-8000-000000000001"


def plant(folder: Path, clock: Clock) -> str:
    """Plant names and texts in everything that a project in `folder`/shop holds; return a memory's id."""
    repo = Repo(folder / "shop").init()
    files = {
        "a.py": f'def one():\n    """{SOFTER}"""\n    return 1\n',
        NAME: "from a import one\n\n\ndef two():\n    return one()\n",
        "RULES.md": f"- Keep the pager {SOFTER} open\n",
    }
    for number in range(4):
        changed = {path: text + "\n" * number for path, text in files.items()}
        repo.commit(f"Fix the pager {SOFTER}\n\nIt was closed twice {SOFTER}", changed)
        repo.git("commit", "-q", "--amend", "--no-edit", f"--author=Eve {SOFTER[-20:]} <eve@example.org>")
    repo.git("checkout", "-q", "-b", "mend\u202e\u200b")
    with Memory.open(repo.root, clock=clock, environ=environment(folder)) as memory:
        memory.init()
        told = f"The pager keeps its stream {SOFTER}"
        record = memory.remember(told, type="gotcha", related_files=["a.py", NAME])
        memory.pin(record.id)  # hooks go by the time of the machine, by which it would have faded
        about = ["a.py", NAME]
        memory.remember(f"Pages are counted from one {SOFTER}", type="decision", related_files=about)
        memory.remember(
            f"The pager must end at the last page {SOFTER}", type="requirement", related_files=about
        )
        triggers.refresh(memory._project)
        memory.entries.add("deploy", f"The pager {SOFTER} first")
        memory.journal.write(f"# Long-term Memory\n\nThe pager {SOFTER}")
        memory.journal.add_history(f"The pager {SOFTER}")
        memory.journal.note(f"the pager {SOFTER}?", f"yes {SOFTER}")
        memory.session("cli:1").append("user", f"the pager {SOFTER}")
        _quote(memory)
        journal = memory.home / "memory" / "MEMORY.md"
        journal.write_text(f"# Long-term Memory\n\n- The pager {PLANTED} by hand\n", "utf-8")
    return record.id


def _quote(memory: Memory) -> None:
    observer = Observer("s", PLANTED)
    said = f"The pager {SOFTER} must never be closed twice."
    observer.observe(Event("user_prompt", "s", "k", text=said))
    db = memory._project.db
    with db.connection.transaction():
        take_in(db, observer.finalize())


def transcript(project: Path, home: Path) -> Path:
    """Write a session of an agent in the project, planted as everything else; return its file."""
    said = {"user": f"Mend the pager {SOFTER}, never close it", "assistant": f"Done, the pager {SOFTER}"}
    lines = [claude(kind, kind, text, sessionId=SESSION, cwd=str(project)) for kind, text in said.items()]
    return put(home / ".claude" / "projects" / slug(str(project)) / f"{SESSION}.jsonl", lines)
