"""Read Cline's tasks of the extension up to version 3, and sessions of version 4, the CLI and other editors.

A task is `tasks/<task>/api_conversation_history.json` in the extension's folder of an editor, or below
`~/.cline/data`; a session is `~/.cline/data/sessions/<id>/<id>.messages.json`, with the working directory in
`<id>.json` beside it. The formats are derived from the source of versions 3.89.2 and 4.1.12; Cline documents
version 1 of the second.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from remora.core.actions import table
from remora.sources.instant import instant
from remora.sources.transcripts.hosts import roo, tasks
from remora.sources.transcripts.hosts.places import editor_folders, home_folder
from remora.sources.transcripts.hosts.values import apart, data_of, items, json_file, json_of, mapping
from remora.sources.transcripts.lines import Counts
from remora.sources.transcripts.texts import joined, number, string
from remora.sources.transcripts.turns import Called, Compacted, Prompt, Reply, Returned, Session, Turn

HOST = "cline"
ACTIONS: Mapping[str, str] = tasks.ACTIONS | table(
    {
        "read": "read_files",
        "edit": "editor",
        "run": "run_commands",
        "search": "search_codebase",
        "fetch": "fetch_web_content",
        "other": "skills ask_question submit_and_exit switch_to_act_mode team_status team_run_task "
        "team_cancel_run team_list_runs team_await_runs team_send_message team_broadcast team_read_mailbox "
        "team_mission_log team_cleanup team_shutdown_teammate team_create_outcome "
        "team_attach_outcome_fragment team_review_outcome_fragment team_finalize_outcome team_list_outcomes",
        "task": "spawn_agent team_spawn_teammate",
        "plan": "team_task",
    }
)
_FOLDERS = ("saoudrizwan.claude-dev", "saoudrizwan.cline-nightly")
_ENDING = ".messages.json"
_ATTACHED = "<file_content path="
_EXIT = re.compile(r"\[Command exited with code (-?\d{1,9})\]\n?")
_COMPACTED = ("auto_compaction", "manual_compaction", "compaction", "compaction_summary")


def files(environ: Mapping[str, str], folders: tuple[str, ...]) -> Iterator[Path]:
    """Yield the files of all sessions and tasks on this machine; a session continues a task."""
    own = home_folder(environ, ".cline", "CLINE_DIR") / "data"
    for folder in sorted((own / "sessions").glob("*/")):
        if (path := folder / f"{folder.name}{_ENDING}").is_file():
            yield path
    storages = [editor / "globalStorage" / name for editor in editor_folders(environ) for name in _FOLDERS]
    for storage in (own, *storages):
        yield from sorted((storage / "tasks").glob(f"*/{tasks.FILE}"))


def sessions(path: Path) -> Iterator[Session]:
    """Yield the session or the task in a file; the files of a session's subagents are not read."""
    if path.name == tasks.FILE:
        if not roo.owns(path):
            yield tasks.session(path)
    elif path.name.endswith(_ENDING) and path.name.removesuffix(_ENDING) == path.parent.name:
        note = mapping(json_of(data_of(path.with_name(f"{path.parent.name}.json"))))
        cwd = string(note.get("cwd"), 4096) or string(note.get("workspace_root"), 4096)
        yield Session(path.parent.name, cwd, instant(note.get("started_at")) or "")


def turns(path: Path, session: Session, counts: Counts) -> Iterator[Turn]:
    """Yield the turns of a session or task."""
    if path.name == tasks.FILE:
        yield from tasks.turns(path, session, counts)
        return
    for message in items(mapping(json_file(path, counts)).get("messages")):
        yield from _message(mapping(message), counts)


def _message(message: Mapping[str, Any], counts: Counts) -> Iterator[Turn]:
    key, at = string(message.get("id"), 200), instant(message.get("ts"))
    blocks = [mapping(block) for block in items(message.get("content"))]
    note = mapping(message.get("metadata"))
    if message.get("role") == "assistant":
        thoughts = [joined(b.get("thinking")) for b in blocks if b.get("type") == "thinking"]
        tokens = number(mapping(message.get("metrics")).get("inputTokens"))
        yield Reply(key, _text(blocks), "\n\n".join(thoughts), at, tokens)
        for block in blocks:
            if block.get("type") == "tool_use":
                tool = string(block.get("name"), 200)
                yield Called(string(block.get("id"), 200), tool, _plain(block.get("input")), at)
    elif note.get("kind") in _COMPACTED:
        yield Compacted(key, at)
    elif note.get("kind") or note.get("displayRole") in ("system", "status", "error"):
        counts.skip(string(note.get("kind"), 60) or "text of the program")
    else:
        for block in blocks:
            if block.get("type") == "tool_result":
                yield _returned(block, at)
        if text := _typed(_text(blocks)):
            yield Prompt(key, text, at)


def _text(blocks: list[dict[str, Any]]) -> str:
    return "\n\n".join(joined(block) for block in blocks if block.get("type") == "text").strip()


def _typed(text: str) -> str:
    """Return the typed part of a prompt; tags in an attached file belong to the file."""
    text = text.partition(_ATTACHED)[0].strip()
    inputs = [
        found for tag in ("input", "command") for found in apart(text, f"<user_{tag} ", f"</user_{tag}>")[1]
    ]
    told = "\n\n".join(found.partition(">")[2] for found in inputs) or text
    if told.startswith(("[TASK RESUMPTION]", "The user approved switching to act mode.")):
        return ""
    return told.strip()


def _plain(given: Any) -> Any:
    """Return the arguments of a tool for several items in the form of a tool for one item."""
    if not isinstance(given, dict):
        return given
    arguments = tasks.plain("", given)[1]
    if isinstance(commands := given.get("commands"), list):
        arguments["command"] = "\n".join(map(_command, commands))
    if isinstance(queries := given.get("queries"), list):
        arguments["pattern"] = "|".join(query for query in queries if isinstance(query, str))
    if requests := items(given.get("requests")):
        arguments["url"] = mapping(requests[0]).get("url")
    return arguments


def _command(given: Any) -> str:
    if isinstance(given, str):
        return given
    parts = [mapping(given).get("command"), *items(mapping(given).get("args"))]
    return " ".join(part for part in parts if isinstance(part, str))


def _returned(block: Mapping[str, Any], at: str | None) -> Returned:
    content, failed = block.get("content"), block.get("is_error") is True
    if isinstance(content, str) and content.startswith('{"query":'):
        content = [json_of(content) or content]
    texts: list[str] = []
    code: int | None = None
    for one in content if isinstance(content, list) else [content]:
        told = mapping(one)
        if "success" not in told:
            texts.append(joined(one))
            continue
        text = joined(told.get("error")) or joined(told.get("result"))
        if exit_ := _EXIT.search(text):
            code = int(exit_[1])
            text = text[: exit_.start()] + text[exit_.end() :]
        failed = failed or told["success"] is False
        texts.append(text)
    return Returned(string(block.get("tool_use_id"), 200), "\n".join(texts), at, error=failed, exit_code=code)
