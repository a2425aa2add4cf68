"""What the model saw of Remora in a session, as a page that can be compared with one that was kept.

The page has the conversation in outline and every word of Remora in full: what its hooks said, at the place
where the model read it, and what its tools answered. Whatever the host adds of its own is left out. Ids,
dates, ages and relevances are made the same for every run.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from typing import Any

from remora.interfaces.mcp_server.descriptions import INSTRUCTIONS
from tests.interfaces.hooks.real.scripted_api import Asked, Message, texts_of
from tests.interfaces.hooks.real.world import SERVER, Session, World

_HEARD = re.compile(r"(\w+(?::\w+)?) hook additional context: ")
_SHOWN = ("command", "file_path", "query", "content", "memory_id", "description")
_ID = re.compile(r"\b[0-9a-f]{8}(?:(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})?\b")
_ALIKE = (
    (re.compile(r"\b\d{4}-\d\d(?:-\d\d)?\b"), "DATE"),
    (re.compile(r"\b\d\d:\d\d\b"), "TIME"),
    (re.compile(r"\b(?:just now|today|\d+ (?:seconds?|minutes?|s|min) ago)\b"), "AGE"),
    (re.compile(r"\b\d\.\d+\b"), "N.NN"),
)


def page(session: Session, world: World, ask: str) -> str:
    """Return what the model saw that was asked something."""
    last = [one for one in session.asked if one.ask == ask][-1]
    parts = [_offered(last), *_conversation(last.messages, said_by_hooks(session))]
    return _same("\n\n".join(parts), world) + "\n"


def said_by_hooks(session: Session) -> list[str]:
    """Return what hooks gave the host for the model, in their order."""
    found = []
    for hook in session.hooks:
        answer: dict[str, Any] = json.loads(hook["stdout"] or "{}")
        if text := answer.get("hookSpecificOutput", {}).get("additionalContext"):
            found.append(text)
    return found


def heard(session: Session, ask: str = "") -> list[str]:
    """Return what hooks said in a conversation, in the order in which the model reads it.

    Args:
        session: a run of the host.
        ask: whose conversation; that of the last request by default.
    """
    last = [one for one in session.asked if one.ask == ask or not ask][-1]
    said = said_by_hooks(session)
    return [
        told
        for message in last.messages
        for text in (*texts_of(message, "user"), *texts_of(message, "system"))
        for _, told in _hooks_in(text, said)
    ]


def answers(asked: Sequence[Asked], server: str = SERVER) -> list[str]:
    """Return what the tools of a server answered in the conversation of the last of some requests."""
    names: dict[str, str] = {}
    found = []
    for block in (b for m in asked[-1].messages for b in _blocks(m)):
        if block["type"] == "tool_use":
            names[block["id"]] = block["name"]
        elif block["type"] == "tool_result" and names[block["tool_use_id"]].startswith(server):
            found.append(_text(block))
    return found


def _offered(asked: Asked) -> str:
    """Return which tools of Remora there are, and that the server's own words came with them."""
    at_once = sorted(t["name"] for t in asked.body["tools"] if t["name"].startswith(SERVER))
    everything = "\n".join(
        text for message in asked.messages for role in ("user", "system") for text in texts_of(message, role)
    )
    later = sorted(set(re.findall(rf"^{SERVER}__\w+$", everything, re.MULTILINE)) - set(at_once))
    skills = re.findall(r"^- (remora:\w+): ", everything, re.MULTILINE)
    told = "with" if INSTRUCTIONS.strip() in everything else "WITHOUT"
    return "\n".join(
        (
            f"The server is there {told} its instructions.",
            f"Tools at once: {', '.join(n.removeprefix(SERVER + '__') for n in at_once)}.",
            f"Tools to be loaded: {', '.join(n.removeprefix(SERVER + '__') for n in later)}.",
            f"Skills that the model may use: {', '.join(skills)}.",
        )
    )


def _conversation(messages: Sequence[Message], said: Sequence[str]) -> Iterator[str]:
    names: dict[str, str] = {}
    for message in messages:
        blocks = _blocks(message)
        results = [block for block in blocks if block["type"] == "tool_result"]
        for block in results or blocks:
            if block["type"] == "tool_use":
                names[block["id"]] = block["name"]
                yield f"THE MODEL USES {block['name']}: {_given(block['input'])}"
            elif block["type"] == "tool_result":
                yield _result(block, names[block["tool_use_id"]])
            elif block["type"] == "text" and message["role"] == "assistant":
                yield f"THE MODEL: {block['text']}"
            elif block["type"] == "text":
                yield from _from_outside(block["text"], message["role"], said)


def _from_outside(text: str, role: str, said: Sequence[str]) -> Iterator[str]:
    """Yield what hooks said within a text of the host, or else what a person said."""
    found = list(_hooks_in(text, said))
    for where, told in found:
        yield f"REMORA at {where}:\n{_quoted(told)}"
    if not found and role == "user" and not text.lstrip().startswith("<"):
        yield f"THE PERSON: {text}"


def _hooks_in(text: str, said: Sequence[str]) -> Iterator[tuple[str, str]]:
    """Yield where a hook spoke within a text of the host, and what; each must be what a hook did say."""
    for start in _HEARD.finditer(text):
        rest = text[start.end() :]
        whole = max((one.strip() for one in said if rest.startswith(one.strip())), key=len, default="")
        yield start[1], whole or f"NOT WHAT A HOOK SAID: {rest[:200]}"


def _result(block: Message, tool: str) -> str:
    failed = bool(block.get("is_error"))
    if tool.startswith(SERVER):
        return f"REMORA ANSWERS{' WITH AN ERROR' if failed else ''}:\n{_quoted(_text(block))}"
    return "it failed" if failed else "it worked"


def _text(block: Message) -> str:
    content = block.get("content", "")
    if isinstance(content, str):
        return content
    return "\n".join(part.get("text", f"({part['type']})") for part in content)


def _given(given: dict[str, Any]) -> str:
    return str(next((given[key] for key in _SHOWN if key in given), json.dumps(given)))


def _quoted(text: str) -> str:
    return "\n".join(f"    {line}".rstrip() for line in text.splitlines())


def _blocks(message: Message) -> list[Message]:
    content = message.get("content", ())
    return [{"type": "text", "text": content}] if isinstance(content, str) else list(content)


def _same(text: str, world: World) -> str:
    """Return a text as every run has it: ids by their order, and no paths, dates, ages, relevances."""
    text = text.replace(str(world.folder), "")
    ids: dict[str, str] = {}
    text = _ID.sub(lambda found: ids.setdefault(found[0][:8], f"ID{len(ids) + 1}"), text)
    for pattern, word in _ALIKE:
        text = pattern.sub(word, text)
    return text
