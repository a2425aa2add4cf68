"""Components of an installation in a host's files: hooks, an MCP server, a text block; add and remove."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, NamedTuple, Protocol

from remora.interfaces.install import jsonc, tomls
from remora.interfaces.install.insertions import Block, Broken, Draft
from remora.interfaces.install.launch_command import Ours

HOOKS = "hooks"
MCP = "mcp"
RULES = "rules"


class Kept(NamedTuple):
    """The record of a file's state before the installation.

    Attributes:
        ours: an earlier installation added the piece to this file.
        fresh: the installation created the file.
    """

    ours: bool = False
    fresh: bool = False


class Piece(Protocol):
    """A part of an installation in a file."""

    def there(self, text: str, kept: Kept) -> bool:
        """Return whether a text contains the piece, in any version."""

    def right(self, text: str, kept: Kept) -> bool:
        """Return whether a text needs no change."""

    def add(self, draft: Draft) -> None:
        """Add the piece to a text that does not contain it."""

    def removed(self, text: str, kept: Kept) -> str | None:
        """Return a text without the piece; None if the file is Remora's and contains nothing else."""


class Hooks(NamedTuple):
    """The handlers of a host's events, under `hooks` in a JSON file.

    Attributes:
        ours: recognises Remora's handlers.
        entries: the handler to add to the list of each event.
        top: other keys that the file needs.
        alone: the file is named by Remora and contains nothing else.
    """

    ours: Ours
    entries: Mapping[str, Any]
    top: Mapping[str, Any] = {}
    alone: bool = False

    def there(self, text: str, kept: Kept) -> bool:  # noqa: ARG002
        """Return whether a text contains a handler of Remora."""
        return any(self._mine(entry) for _, entries in _events(text) for entry in entries)

    def right(self, text: str, kept: Kept) -> bool:  # noqa: ARG002
        """Return whether a text contains exactly Remora's current handlers, each once."""
        found = {event: [e for e in entries if self._mine(e)] for event, entries in _events(text)}
        return {event: mine for event, mine in found.items() if mine} == {
            event: [entry] for event, entry in self.entries.items()
        }

    def add(self, draft: Draft) -> None:
        """Add a handler to each event."""
        for key, value in self.top.items():
            if jsonc.at_path(jsonc.parse(draft.text), [key]) is None:
                jsonc.put(draft, [key], value)
        if jsonc.at_path(jsonc.parse(draft.text), ["hooks"]) is None:
            hooks = {event: [entry] for event, entry in self.entries.items()}
            jsonc.put(draft, ["hooks"], hooks, opened=1)
            return
        for event, entry in self.entries.items():
            jsonc.add_element(draft, ["hooks", event], entry)

    def removed(self, text: str, kept: Kept) -> str | None:
        """Return a text without Remora's handlers; others stay."""
        if not self.there(text, kept):
            return text
        for event, entries in _events(text):
            before = text
            for place, entry in reversed(list(enumerate(entries))):
                mine = [self.ours.hook(one) for one in _inner(entry)]
                if self.ours.hook(entry) or (mine and all(mine)):
                    text = jsonc.drop(text, ["hooks", event, place])
                    continue
                for inner in reversed([number for number, is_mine in enumerate(mine) if is_mine]):
                    text = jsonc.drop(text, ["hooks", event, place, "hooks", inner])
            if text != before:
                text = jsonc.prune_empty(text, ["hooks", event])
        return _left(text, kept, self.top, alone=self.alone)

    def _mine(self, entry: Any) -> bool:
        return self.ours.hook(entry) or any(self.ours.hook(one) for one in _inner(entry))


class Server(NamedTuple):
    """The entry of the MCP server in a JSON file.

    Attributes:
        ours: recognises Remora's servers.
        path: the keys to the entry; the last is the server's name.
        value: the entry.
        top: other keys for a new file.
    """

    ours: Ours
    path: tuple[str, ...]
    value: Mapping[str, Any]
    top: Mapping[str, Any] = {}

    def there(self, text: str, kept: Kept) -> bool:
        """Return whether a text has Remora's server, not another server of that name."""
        found = self._found(text)
        return found is not None and (found == self.value or (kept.ours and self.ours.server(found)))

    def right(self, text: str, kept: Kept) -> bool:
        """Return whether a text has the entry, or another server of that name."""
        found = self._found(text)
        return found == self.value or (found is not None and not self.there(text, kept))

    def add(self, draft: Draft) -> None:
        """Add the server, unless the name is taken."""
        if self._found(draft.text) is not None:
            return
        for key, value in self.top.items() if jsonc.parse(draft.text) is None else ():
            jsonc.put(draft, [key], value)
        jsonc.put(draft, self.path, self.value, opened=1)

    def removed(self, text: str, kept: Kept) -> str | None:
        """Return a text without the server."""
        if not self.there(text, kept):
            return text
        text = jsonc.drop(text, self.path)
        text = jsonc.prune_empty(text, self.path[:-1])
        return _left(text, kept, self.top)

    def _found(self, text: str) -> Any:
        found = jsonc.at_path(jsonc.parse(text), self.path)
        return None if found is None else found.plain()


class TomlServer(NamedTuple):
    """The table of the MCP server in a TOML file, in a marked block.

    Attributes:
        path: the keys of the table.
        block: the table between its markers.
    """

    path: tuple[str, ...]
    block: Block

    def there(self, text: str, kept: Kept) -> bool:  # noqa: ARG002
        """Return whether a text has the block."""
        tomls.parse(text)
        return self.block.span(text) is not None

    def right(self, text: str, kept: Kept) -> bool:
        """Return whether a text has the block, or a table of that name outside of it."""
        return self.block.holds(text) or (self._found(text) is not None and not self.there(text, kept))

    def add(self, draft: Draft) -> None:
        """Add the block, unless the name is taken."""
        if self._found(draft.text) is None:
            tomls.add(draft, self.block, self.path)

    def removed(self, text: str, kept: Kept) -> str | None:
        """Return a text without the block.

        Raises:
            Broken: something else was written between the markers.
        """
        if not self.there(text, kept):
            return text
        left = tomls.removed(text, self.block, self.path)
        return None if kept.fresh and not (left or "").strip() else (left or "")

    def _found(self, text: str) -> Any:
        return tomls.value_at(tomls.parse(text), self.path)


class Marked(NamedTuple):
    """A marked block of text: rules for a model, or a plugin.

    Attributes:
        block: the block with its markers.
        sign: text in the first marker of such a block, for every host.
        alone: the file is named by Remora and contains nothing else.
    """

    block: Block
    sign: str
    alone: bool = False

    def there(self, text: str, kept: Kept) -> bool:  # noqa: ARG002
        """Return whether a text contains the block."""
        return self.block.span(text) is not None

    def right(self, text: str, kept: Kept) -> bool:
        """Return whether a text contains the current block, or the equivalent block of another host."""
        return self.block.holds(text) or (self.sign in text and not self.there(text, kept))

    def add(self, draft: Draft) -> None:
        """Add the block.

        Raises:
            Broken: the file has Remora's file name but other content.
        """
        if self.alone and draft.text.strip():
            raise Broken("the file exists, and Remora did not write it", draft.text, 0)
        self.block.add(draft)

    def removed(self, text: str, kept: Kept) -> str | None:
        """Return a text without the block."""
        if not self.there(text, kept):
            return text
        left = self.block.removed(text)
        return left if left is not None or kept.fresh or self.alone else ""


def _inner(entry: Any) -> list[Any]:
    inner = entry.get("hooks") if isinstance(entry, Mapping) else None
    return inner if isinstance(inner, list) else []


def _events(text: str) -> list[tuple[str, list[Any]]]:
    found = jsonc.at_path(jsonc.parse(text), ["hooks"])
    value = None if found is None else found.plain()
    if not isinstance(value, Mapping):
        return []
    return [(event, entries) for event, entries in value.items() if isinstance(entries, list)]


def _left(text: str, kept: Kept, top: Mapping[str, Any], *, alone: bool = False) -> str | None:
    """Return a JSON file after removing entries; None if only keys are left that an installation adds."""
    root = jsonc.parse(text)
    if root is None or root.kind != "object":
        return text
    found = root.plain()
    frame = {key: value for key, value in top.items() if found.get(key) == value}
    only_frame = found == frame and not _comments(text, root)
    return None if only_frame and (kept.fresh or alone) else text


def _comments(text: str, root: jsonc.Node) -> bool:
    bare = "".join(text[: root.start].split()) + "".join(text[root.end :].split())
    inner = "".join(text[root.start : root.end].split())
    return bool(bare) or inner != "".join(json.dumps(root.plain(), ensure_ascii=False).split())
