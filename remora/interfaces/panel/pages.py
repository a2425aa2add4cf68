"""Pages of the panel: each calls verbs of `Memory` and returns a `View` with the document of `--json`."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import urlencode

from remora.app.project.locate import SETTINGS_FILE, user_file
from remora.app.project.user_settings import sources
from remora.core.clock import days_between, to_iso
from remora.core.config import CHOICES, Settings, keys, values, variable
from remora.core.errors import NotFound
from remora.core.setting_descriptions import DESCRIPTIONS
from remora.core.strength import current_confidence
from remora.core.values import MEMORY_SOURCES, MEMORY_TYPES
from remora.interfaces.commands.learn import due
from remora.interfaces.commands.session import SHOWN as SESSIONS
from remora.interfaces.commands.share import ROLES
from remora.interfaces.panel import pictures
from remora.interfaces.panel.view import Asked, View
from remora.interfaces.present import parents_of
from remora.sharing.permissions import VISIBILITIES

MEMORIES, HITS, MODULES, SAID, WAITING = 50, 50, 30, 50, 20  # maximum on one page
RELATED = 10
FILTERS = ("q", "type", "source", "file", "module", "tag", "branch", "since", "until", "state", "order")
STATES = ("live", "review", "pinned", "forgotten")
ORDERS = ("created", "accessed", "confidence")
MOMENTS = ("edit", "run", "ask")


def health(asked: Asked) -> View:
    """Return the home page: health score, coverage of the modules, reminders and trust level."""
    memory, t = asked.memory, asked.words
    found = memory.health()
    boxes = [
        pictures.Box(
            one.module,
            one.lines,
            one.covered,
            t(
                "module.told",
                module=one.module,
                lines=t.number(one.lines),
                share=t.percent(one.covered),
                heat=t.percent(one.heat),
            ),
            f"/{asked.project}/memories?{urlencode({'module': one.module})}",
            one.heat,
        )
        for one in found.modules
    ]
    more = {
        "health": found,
        "picture": pictures.treemap(boxes, t("health.map"), t("health.others")),
        "reminders": memory.reminders(),
        "trust": memory.trust(),
        "newest": memory.list(limit=5),
    }
    return View(found, "health.html", more)


def memories(asked: Asked) -> View:
    """Return the page of memories that pass the filters, or of search hits, best first."""
    memory, query = asked.memory, asked.query
    given = {name: query[name] for name in FILTERS if query.get(name)}
    offset, limit = asked.number("offset", 0), max(1, asked.number("limit", MEMORIES, 1_000))
    hits: Sequence[Any] = ()
    more = False
    if asked_for := query.get("q", "").strip():
        hits = memory.search(asked_for, k=HITS, **_search_filters(query))
        notes = tuple(dict.fromkeys((*memory.notes, *memory.reminders(vectors=True))))
        document: dict[str, Any] = {"query": asked_for, "hits": hits, "notes": notes}
        records = [hit.memory for hit in hits if hit.memory is not None]
    else:
        records = memory.list(**list_filters(query), limit=limit + 1, offset=offset)
        more, records = len(records) > limit, records[:limit]
        document = {"memories": records, "more": more, "notes": memory.reminders()}
    pages = {
        "before": _address(given, max(0, offset - limit)) if offset else "",
        "after": _address(given, offset + limit) if more else "",
    }
    return View(
        document,
        "memories.html",
        {
            "records": records,
            "hits": hits,
            "given": {name: given.get(name, "") for name in FILTERS},
            "pages": pages,
            "types": MEMORY_TYPES,
            "sources": MEMORY_SOURCES,
            "states": STATES,
            "orders": ORDERS,
            "strength": lambda record: current_confidence(record, asked.now),
        },
    )


def list_filters(query: Any) -> dict[str, Any]:
    """Return the filters of a URL's query as arguments of `Memory.list`."""
    found = _search_filters(query)
    found |= {name: query[name] for name in ("tag", "source") if query.get(name)}
    if query.get("order") in ORDERS:
        found["order"] = query["order"]
    if only := _STATES.get(query.get("state", "")):
        found[only] = True
    return found


_LISTED = {"type": "types", "file": "files", "module": "modules"}
_STATES = {"review": "needs_review", "pinned": "pinned", "forgotten": "include_forgotten"}


def _search_filters(query: Any) -> dict[str, Any]:
    found: dict[str, Any] = {name: [query[key]] for key, name in _LISTED.items() if query.get(key)}
    return found | {name: query[name] for name in ("branch", "since", "until") if query.get(name)}


def _address(given: dict[str, str], offset: int) -> str:
    return "?" + urlencode({**given, **({"offset": offset} if offset else {})})


def memory(asked: Asked) -> View:
    """Return the page of one memory: origins, changes, uses, injections and corrections."""
    store, t = asked.memory, asked.words
    why = store.why(asked.named["id"])
    record = why.memory
    dependents = store.dependents(record.id)
    parents = parents_of(store, record)
    history = store.history(record.id)
    age = days_between(record.created_at, asked.now)
    uses = [days_between(one.at, asked.now) for one in why.said if one.at]
    curve = pictures.fading(
        record.confidence,
        0.0 if record.pinned else record.decay_half_life_days or 0.0,
        age,
        uses,
        t("memory.curve", now=t.percent(current_confidence(record, asked.now))),
        t("days"),
    )
    more = {
        "record": record,
        "is_shared": store.sharing.is_on and record.realm == "project",
        "visibilities": VISIBILITIES,
        "why": why,
        "dependents": dependents,
        "parents": parents,
        "history": [(one, _when(one.hlc)) for one in reversed(history)],
        "revision": history[-1].rev if history else "",
        "curve": curve,
        "strength": current_confidence(record, asked.now),
        "types": MEMORY_TYPES,
        "previews": [store.preview("edit", path) for path in record.related_files[:2] if "*" not in path],
    }
    return View({**record._asdict(), "dependents": [d.id for d in dependents]}, "memory.html", more)


def _when(clock: str) -> str:
    return to_iso(int(clock[:13]) / 1000) if clock[:13].isdecimal() else ""


def modules(asked: Asked) -> View:
    """Return the page of the code's modules, largest first."""
    found = asked.memory.modules()
    shown = {"modules": found[:MODULES], "more": len(found) > MODULES}
    return View(shown, "modules.html", shown)


def file(asked: Asked) -> View:
    """Return the page of a file: its memories, related files, and the preview of an edit.

    Raises:
        NotFound: no file is named.
    """
    path, t = asked.query.get("path", "").strip(), asked.words
    if not path:
        raise NotFound("no file is named", hint="Add ?path=… to the address.")
    store = asked.memory
    related = store.related_files(path, RELATED)
    ring = pictures.together(path, [(one.path, one.score) for one in related], t("file.together", path=path))
    return View(
        {"path": path, "ownership": store.ownership(path), "files": related},
        "file.html",
        {
            "file": path,
            "related": related,
            "picture": ring,
            "records": store.list(files=[path], limit=MEMORIES),
            "preview": store.preview("edit", path),
        },
    )


def ask(asked: Asked) -> View:
    """Return the page of a question with its answer, and the earlier threads."""
    question = asked.query.get("q", "").strip()
    found = asked.memory.ask(question, asked.query.get("thread", "")) if question else None
    threads = [one for one in asked.memory.sessions() if one.id.startswith("ask:")]
    earlier = asked.memory.session(found.thread).messages()[:-2] if found is not None and found.thread else []
    return View(
        found if found is not None else {},
        "ask.html",
        {
            "question": question,
            "answer": found,
            "threads": threads,
            "earlier": earlier,
            "model": asked.memory.settings.llm.provider not in ("", "none"),
        },
    )


def passages(asked: Asked) -> View:
    """Return the passages about a question, without asking a model."""
    found = asked.memory.passages(asked.query.get("q", ""))
    return View(found, "passages.html", {"passages": found})


def answer(asked: Asked) -> View:
    """Return the answer to a question, for a page that already shows its passages."""
    found = asked.memory.ask(asked.query.get("q", ""), asked.query.get("thread", ""))
    return View(found, "answer.html", {"answer": found})


def review(asked: Asked) -> View:
    """Return the page of memories that the last sessions used and taught, and of those that need review."""
    store = asked.memory
    found = store.session_summary()
    trust = store.trust()
    asked_about = due(found.learned, trust.level)
    waiting = store.list(needs_review=True, limit=MEMORIES)
    return View(
        found, "review.html", {"summary": found, "due": asked_about, "waiting": waiting, "trust": trust}
    )


def teach(asked: Asked) -> View:
    """Return the form for a text or a file to teach."""
    return View(
        {}, "teach.html", teach_fields(asked, asked.query.get("text", ""), asked.query.get("file", ""))
    )


def teach_fields(asked: Asked, text: str, about: str, path: str = "", preview: Any = None) -> dict[str, Any]:
    """Return the fields of the form of the Teach page."""
    return {
        "text": text,
        "about": about,
        "source": path,
        "preview": preview,
        "types": MEMORY_TYPES,
        "kind": asked.field("type"),
        "user": bool(asked.field("user")),
    }


def sessions(asked: Asked) -> View:
    """Return the page of conversations, the latest first."""
    found = asked.memory.sessions()
    return View({"sessions": found[:SESSIONS]}, "sessions.html", {"sessions": found[:SESSIONS]})


def session(asked: Asked) -> View:
    """Return the page of a conversation's working context.

    Raises:
        NotFound: there is no such conversation.
    """
    name = asked.named["id"]
    if not any(one.id == name for one in asked.memory.sessions()):
        raise NotFound(f"there is no conversation {name!r}", hint="`remora session list` shows them.")
    found = asked.memory.session(name)
    messages = found.messages()
    document = {
        "session": name,
        "metadata": found.metadata,
        "messages": messages,
        "standing": found.standing(),
        "problems": found.problems(),
    }
    return View(document, "session.html", {"name": name, "messages": messages, "problems": found.problems()})


def journal(asked: Asked) -> View:
    """Return the page of MEMORY.md with its versions, the history, and the notes of a day."""
    found = asked.memory.journal
    day = asked.query.get("day", "")
    days = found.days()
    chosen = next((one for one in days if one.isoformat() == day), None)
    document = {"text": found.show(), "path": str(found.folder / "MEMORY.md"), "problems": found.problems}
    more = {
        "text": document["text"],
        "versions": found.versions()[:20],
        "history": found.history(20),
        "days": list(reversed(days))[:60],
        "day": chosen,
        "notes": found.day(chosen) if chosen is not None else "",
        "entries": asked.memory.entries.list(),
    }
    return View(document, "journal.html", more)


def said(asked: Asked) -> View:
    """Return the page of the injection log, newest first, with the agents' next actions."""
    found = asked.memory.log(asked.number("limit", SAID, 500))
    return View({"said": found}, "said.html", {"said_log": found})


def preview(asked: Asked) -> View:
    """Return the page with the preview of an injection at an event."""
    at, about = asked.query.get("at", "edit"), asked.query.get("about", "").strip()
    found = asked.memory.preview(at, about) if about else None
    return View(found or {}, "preview.html", {"preview": found, "at": at, "about": about, "moments": MOMENTS})


def privacy(asked: Asked) -> View:
    """Return the page of data locations and of data that may leave the machine, with export and erasure."""
    found = asked.memory.privacy()
    return View(found, "privacy.html", {"privacy": found})


def trial(asked: Asked) -> View:
    """Return the page of the trial: figures with advice given and held back, quiet memories, and costs."""
    found = asked.memory.trial()
    return View(found, "trial.html", {"trial": found, "costs": asked.memory.costs()})


def team(asked: Asked) -> View:
    """Return the page of sharing: status, members, conflicts and disputes."""
    store = asked.memory
    found = store.sharing.status()
    more: dict[str, Any] = {"sharing": found}
    if found.address:
        disputed = [(store.show(one.memory_id), one) for one in store.sharing.disputes()]
        more |= {
            "members": store.sharing.members(),
            "conflicts": store.sharing.conflicts(),
            "disputes": [(record, one, store.sharing.thread(record.id)) for record, one in disputed],
            "waiting": [(store.show(i), why) for i, why in list(found.leaving.waiting.items())[:WAITING]],
            "roles": ROLES,
        }
    return View(found, "team.html", more)


class Setting(NamedTuple):
    """A setting.

    Attributes:
        name: "section.key".
        value: the effective value.
        whence: the source of the value: "environment", "project", "user" or "default".
        description: the description.
        choices: the allowed values; empty for any.
        kind: "bool", "number" or "text".
    """

    name: str
    value: Any
    whence: str
    description: str
    choices: tuple[str, ...]
    kind: str


def shown_settings(settings: Settings, root: Path) -> list[Setting]:
    """Return every setting, in the order of the documentation.

    Raises:
        ConfigError: the user's file cannot be read, or has a wrong setting.
    """
    given, effective = sources(settings, root, os.environ), values(settings)
    whence = {str(user_file(os.environ)): "user", str(root / SETTINGS_FILE): "project"}
    found = []
    for name, default in keys().items():
        source = given.get(name, "")
        told = "environment" if source == variable(name) else whence.get(source, "default")
        kind = (
            "bool" if isinstance(default, bool) else "number" if isinstance(default, int | float) else "text"
        )
        choices = tuple(CHOICES.get(name, ()))
        found.append(Setting(name, effective[name], told, DESCRIPTIONS[name], choices, kind))
    return found


def settings(asked: Asked) -> View:
    """Return the page of the trust level and of all settings with the source of each value."""
    store = asked.memory
    found = shown_settings(store.settings, store.root)
    shown = {"trust": store.trust(), "settings": found}
    return View(shown, "settings.html", shown)


def findings(asked: Asked) -> View:
    """Return the page of the doctor's findings; separate, because the doctor queries the models."""
    report = asked.memory.doctor()
    return View({"level": report.level, "findings": report.findings}, "findings.html", {"report": report})


def helped(asked: Asked) -> View:  # noqa: ARG001  independent of the request
    """Return the page of the panel's keys and terms."""
    return View({}, "help.html")


PAGES: tuple[tuple[str, Callable[[Asked], View]], ...] = (
    ("", health),
    ("memories", memories),
    ("memories/{id}", memory),
    ("modules", modules),
    ("file", file),
    ("ask", ask),
    ("review", review),
    ("teach", teach),
    ("sessions", sessions),
    ("sessions/{id}", session),
    ("journal", journal),
    ("said", said),
    ("preview", preview),
    ("trial", trial),
    ("team", team),
    ("privacy", privacy),
    ("settings", settings),
    ("findings", findings),
    ("help", helped),
)
