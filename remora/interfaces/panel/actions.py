"""Actions of the panel: each calls one verb of `Memory`; most can be undone."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import TYPE_CHECKING, Any
from urllib.parse import quote, urlencode

from remora.app.project.user_settings import set_settings
from remora.core.errors import ConfigError, Conflict, InvalidInput, RemoraError
from remora.interfaces.commands.learn import due
from remora.interfaces.commands.share import speak
from remora.interfaces.panel.pages import FILTERS, list_filters, teach_fields
from remora.interfaces.panel.view import CARDS, Asked, Done, View

if TYPE_CHECKING:
    from remora.core.values import MemoryRecord

MOST_BULK = 10_000
PANEL = "panel.md"  # file name of a typed text
# Actions with their inverses; an undo only applies to the memories that the action changed.
_BULK: dict[str, str] = {
    "verify": "",
    "pin": "unpin",
    "unpin": "pin",
    "forget": "restore",
    "restore": "forget",
}


def edit(asked: Asked) -> Done | View:
    """Edit a memory; if it changed since it was shown, change nothing and show both texts."""
    memory_id, store = asked.named["id"], asked.memory
    changes: dict[str, Any] = {
        "content": asked.field("content"),
        "type": asked.field("type"),
        "tags": _listed(asked.field("tags")),
        "related_files": _listed(asked.field("files")),
    }
    record = store.show(memory_id)
    changed = {
        name: value
        for name, value in changes.items()
        if value != (list(old) if isinstance(old := getattr(record, name), tuple) else old)
    }
    try:
        if changed:
            store.edit(record.id, revision=asked.field("revision") or None, **changed)
            _say(asked, "said.edited")
    except Conflict as error:
        history = store.history(record.id)
        more = {"record": store.show(record.id), "yours": changes["content"], "revision": history[-1].rev}
        return View({"error": {"kind": "Conflict", "message": str(error)}}, "conflict.html", more, 409)
    return Done(f"memories/{record.id}")


def _listed(text: str) -> list[str]:
    return [one.strip() for one in text.replace("\n", ",").split(",") if one.strip()]


def change(asked: Asked) -> Done:
    """Verify, pin, unpin, forget or restore one memory."""
    record = _as_shown(asked, asked.named["id"])
    _changed(asked, asked.field("do"), [record.id], revision=asked.field("revision") or None)
    return Done(f"memories/{record.id}")


def _as_shown(asked: Asked, memory_id: str) -> MemoryRecord:
    """Return a memory, after checking that its text is the one that the page showed.

    Raises:
        Conflict: the text has changed, so that the user would confirm or forget an unread text.
    """
    record = asked.memory.show(memory_id)
    shown = asked.form.get("shown")
    if shown is not None and shown[0].split() != record.content.split():
        raise Conflict(
            f"{record.id[:8]} was changed since it was shown: {record.content}",
            hint="Read the new text first.",
        )
    return record


def bulk(asked: Asked) -> Done:
    """Apply an action to the selected memories, or to all that match the filters."""
    given = {name: asked.field(name) for name in FILTERS if asked.field(name)}
    if asked.field("all") and not given.get("q"):
        ids = [one.id for one in asked.memory.list(**list_filters(given), limit=MOST_BULK)]
    else:
        ids = asked.fields("id")
    if not ids:
        raise InvalidInput("no memory is selected", hint="Select some, or all that match the filters.")
    _changed(asked, asked.field("do"), ids)
    return Done("memories" + (f"?{urlencode(given)}" if given else ""))


def undo(asked: Asked) -> Done:
    """Undo the last change."""
    last, asked.visit.undo = asked.visit.undo, {}
    if not last or last.get("project") != asked.project:
        raise InvalidInput("there is nothing to undo")
    _changed(asked, last["do"], last["ids"], again=False)
    return Done(asked.field("back").removeprefix(f"/{asked.project}/").lstrip("/"))


def _changed(
    asked: Asked, do: str, ids: list[str], *, revision: str | None = None, again: bool = True
) -> None:
    """Apply an action to memories, and store its inverse for an undo."""
    if do not in _BULK:
        raise InvalidInput(f"unknown action {do!r}", hint=", ".join(_BULK))
    store = asked.memory
    verbs: dict[str, Callable[[str], Any]] = {
        "verify": store.verify,
        "pin": store.pin,
        "unpin": lambda one: store.pin(one, pinned=False),
        "forget": store.forget,
        "restore": lambda one: store.restore(one, revision=revision),
    }
    done, failed = [], 0
    for one in dict.fromkeys(ids):
        try:
            before = store.show(one)
            verbs[do](one)
        except RemoraError:
            if len(ids) == 1:
                raise
            failed += 1
            continue
        same = {"forget": before.deprecated, "restore": not before.deprecated, "pin": before.pinned}
        if not same.get(do, False):
            done.append(one)
    back = _BULK[do] if again and revision is None else ""
    asked.visit.undo = {"project": asked.project, "do": back, "ids": done} if back and done else {}
    _say(asked, f"said.{do}", n=len(done))
    if failed:
        _say(asked, "said.failed", n=failed, kind="bad")


def _say(asked: Asked, key: str, kind: str = "good", **values: Any) -> None:
    asked.visit.said.append((kind, asked.words(key, **values)))


def _told(asked: Asked, path: str, key: str, /, **values: Any) -> Done:
    _say(asked, key, **values)
    return Done(path)


def wrong(asked: Asked) -> Done:
    """Correct a memory by one of the five choices."""
    memory_id = _as_shown(asked, asked.named["id"]).id
    where = {"files": _listed(asked.field("only_files")), "modules": _listed(asked.field("only_modules"))}
    choice = asked.field("choice")
    narrowed = {name: value for name, value in where.items() if value} if choice == "narrow" else {}
    done = asked.memory.wrong(
        memory_id,
        choice,
        right=asked.field("right") or None,
        branch=asked.field("only_branch") or None,
        **narrowed,
    )
    _say(asked, f"said.wrong.{choice}")
    if done.flagged:
        _say(asked, "said.flagged", n=len(done.flagged))
    if done.offer:
        _say(asked, "said.offer")
    if choice == "erase":
        return Done("memories")
    return Done(f"memories/{done.new.id if done.new is not None else done.memory.id}")


def reviewed(asked: Asked) -> Done | View:
    """Keep, edit or drop a learned memory, or keep all that do not need review."""
    store = asked.memory
    if asked.field("do") == "keep_all":
        asked_about = due(store.session_summary().learned, store.trust().level)
        seen = asked.fields("id")  # not memories learned after the page was rendered
        ids = [o.memory.id for o in asked_about if o.memory.id in seen and not o.memory.needs_review]
        for one in ids:
            store.verify(one)
        _say(asked, "said.verify", n=len(ids))
        return Done("review")
    record = _as_shown(asked, asked.field("id"))
    memory_id = record.id
    if asked.field("do") == "drop":
        _changed(asked, "forget", [memory_id])
        return Done("review")
    if (content := asked.field("content")) and content != record.content:
        store.edit(memory_id, content=content)
    _changed(asked, "verify", [memory_id])
    return Done("review")


def taught(asked: Asked) -> Done | View:
    """Preview how a text or a file would be stored, or store it."""
    text, path, about = asked.field("text"), asked.field("path"), asked.field("about")
    user, kind = bool(asked.field("user")), asked.field("type")
    store = asked.memory
    if not (text or path):
        raise InvalidInput("there is nothing to store", hint="Write a text, or name a file.")
    name, given = (path, None) if path else (PANEL, text)
    if asked.field("do") != "store":
        found = store.teach(name, text=given, user=user, dry_run=True)
        return View(found, "teach.html", teach_fields(asked, text, about, path, found))
    if text and (kind or about):
        more: dict[str, Any] = {"related_files": _listed(about)} if about else {}
        more |= {"type": kind} if kind else {}
        record = store.remember(text, source="user_taught", user=user, **more)
        _say(asked, "said.stored", n=1)
        return Done(f"memories/{record.id}")
    found = store.teach(name, text=given, user=user)
    return _told(asked, "memories", "said.stored", n=found.number("stored", "restored", "updated"))


def journal(asked: Asked) -> Done:
    """Write MEMORY.md, or restore a version of it."""
    found = asked.memory.journal
    if version := asked.field("version"):
        found.restore(version)
    else:
        found.write(asked.form.get("text", [""])[0].replace("\r\n", "\n"))
    return _told(asked, "journal", "said.journal")


def trusted(asked: Asked) -> Done:
    """Set the trust level."""
    level = asked.field("level")
    asked.memory.trust(int(level) if level.isdecimal() else level)
    return _told(asked, "settings", "said.trust")


def configured(asked: Asked) -> Done:
    """Set a setting in the user's settings file."""
    try:
        set_settings({asked.field("name"): asked.field("value")}, os.environ)
    except ConfigError as error:
        raise InvalidInput(str(error), hint=error.hint) from None
    return _told(asked, f"settings#{quote(asked.field('name'))}", "said.setting", name=asked.field("name"))


def exported(asked: Asked) -> Done:
    """Export all data to a new file on this machine."""
    done = asked.memory.export(asked.field("path"), asked.field("format", "json"))
    return _told(asked, "privacy", "said.exported", path=str(done.path))


def erased(asked: Asked) -> Done:
    """Erase every occurrence of a text for good; the user must type the confirmation word."""
    if asked.field("confirm").lower() != asked.words("privacy.word").lower():
        raise InvalidInput(f"nothing was erased: type {asked.words('privacy.word')!r} to confirm")
    asked.memory.erase(containing=asked.field("containing"))
    return _told(asked, "privacy", "said.erased")


def cards(asked: Asked) -> Done:  # noqa: ARG001  independent of the request
    """Hide the first steps for good."""
    return Done(cookie=CARDS)


def talk_gone(asked: Asked) -> Done:
    """Erase a conversation for good."""
    asked.memory.erase(session=asked.named["id"])
    return _told(asked, "sessions", "said.erased")


def weighed(asked: Asked) -> Done:
    """Apply the proposed phase weights, or undo the last ones."""
    if asked.field("do") == "undo":
        asked.memory.undo_trial()
    else:
        asked.memory.apply_trial()
    return _told(asked, "trial", "said.weighed")


def exchanged(asked: Asked) -> Done:
    """Synchronize with the shared log now."""
    done = asked.memory.sharing.sync()
    return _told(asked, "team", "said.synced", n=done.sent, received=done.received)


def decided(asked: Asked) -> Done:
    """Resolve a conflict between the texts of a memory."""
    asked.memory.sharing.decide(asked.field("id"), asked.field("keep"), named=True)
    return _told(asked, "team", "said.decided")


def invited(asked: Asked) -> Done:
    """Invite a colleague, or, without a name, another machine of the user."""
    code = asked.memory.sharing.invite(asked.field("name"), role=asked.field("role") or "member")
    return _told(asked, "team", "said.invited", code=code)


def shared(asked: Asked) -> Done:
    """Set the visibility of a memory."""
    record = asked.memory.show(asked.field("id"))
    asked.memory.sharing.share([record.id], asked.field("visibility"))
    return _told(asked, f"memories/{record.id}", "said.shared")


def spoken(asked: Asked) -> Done:
    """Dispute a memory, comment on a dispute, or uphold the memory."""
    uphold = asked.field("do") == "uphold"
    speak(asked.memory.sharing, asked.field("id"), asked.field("text"), uphold=uphold)
    return _told(asked, "team", "said.spoken")


ACTIONS: tuple[tuple[str, Callable[[Asked], Done | View]], ...] = (
    ("memories/bulk", bulk),
    ("memories/{id}/edit", edit),
    ("memories/{id}/change", change),
    ("memories/{id}/wrong", wrong),
    ("undo", undo),
    ("cards", cards),
    ("review/done", reviewed),
    ("teach/text", taught),
    ("journal/write", journal),
    ("settings/trust", trusted),
    ("settings/set", configured),
    ("privacy/export", exported),
    ("privacy/erase", erased),
    ("sessions/{id}/erase", talk_gone),
    ("trial/weights", weighed),
    ("team/sync", exchanged),
    ("team/decide", decided),
    ("team/invite", invited),
    ("team/share", shared),
    ("team/speak", spoken),
)
