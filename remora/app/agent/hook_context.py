"""Identify a moment of a hook, and build the `Setting` of its decision.

Every tool call runs this module, so imports are few: rare moments import their modules themselves.
"""

from __future__ import annotations

import os
import time
import zlib
from collections.abc import Callable, Mapping
from functools import cache
from typing import Any

from remora.core import moments
from remora.core.actions import own_id
from remora.core.moments import Moment, Reply
from remora.disk.live import Head, at_once
from remora.disk.places import data_folder
from remora.injection.decide import Limits, Setting

DECIDED = (moments.BEFORE, moments.AFTER, moments.FAILED, moments.STEP)
DEEPEST = 24  # folders above a working folder that are searched


def kind_of(moment: Moment) -> str:
    """Return the kind of a moment for its line: FAILED for a tool's answer that shows a failure."""
    return moments.FAILED if moment.kind == moments.AFTER and moment.failed else moment.kind


def name_of(moment: Moment) -> str:
    """Return a checksum that identifies a moment without an id of its own: equal for a call and its result.

    It is empty for a moment with such an id, and for moments that may recur.
    """
    if moment.kind == moments.START:
        parts = [moment.source]
    elif moment.kind == moments.PROMPT:
        parts = [moment.turn, moment.text]
    elif (moment.tool or moment.call_id) and not own_id(moment.call_id, moment.tool):
        parts = [moment.turn, moment.call_id, moment.tool, moment.command, moment.pattern, moment.url]
        parts += [moment.place, *moment.paths, moment.changed, moment.removed]
    else:
        return ""
    return f"{zlib.crc32(chr(0).join((moment.agent, *parts)).encode('utf-8', 'replace')):08x}"


def place_of(moment: Moment) -> str:
    """Return the folder that a moment names, as its own or by an absolute path; empty if it names none."""
    return moment.cwd or next((os.path.dirname(p) for p in moment.paths if os.path.isabs(p)), "")  # noqa: PTH117, PTH120


def limits_of(head: Head) -> Limits:
    """Return the limits of injection in a session."""
    return Limits(head.limits[0], *(int(n) for n in head.limits[1:]))


def setting_of(
    head: Head, cwd: str, level: Callable[[], float], *, early: bool = True, now: float | None = None
) -> Setting:
    """Return the `Setting` of a decision: everything but the moment and the store.

    Args:
        head: the head of the session's live file.
        cwd: the folder of the moment's relative paths.
        level: returns the threshold of the trust level; the setting `inject.threshold` overrides it.
        early: the host accepts text before a tool is used.
        now: seconds since the epoch; the current time by default.
    """
    limits = limits_of(head)
    head = tree_of(head, cwd)
    return Setting(
        limits,
        cache(lambda: limits.threshold or level()),
        relative_to(head.root, cwd),
        lambda folder: is_within(head, cwd, folder),
        time.time() if now is None else now,
        _branch(head.head_file),
        _fingerprint,
        _goes_without_saying,
        early,
        lambda path: "*" in path or os.path.exists(os.path.join(head.root, path)),  # noqa: PTH110, PTH118
    )


def is_within(head: Head, cwd: str, folder: str) -> bool:
    """Return whether a folder, absolute or relative to `cwd`, is in the project or in a work tree of it."""
    place = os.path.normpath(os.path.join(cwd or head.root, folder))  # noqa: PTH118
    root = tree_of(head, place).root
    return not os.path.isabs(root) or place == root or bool(relative_to(root, "")(place))  # noqa: PTH117


def tree_of(head: Head, cwd: str) -> Head:
    """Return a head with the root and branch of the work tree that contains a folder.

    A session, and each of its subagents, may move to another work tree of the repository: the memory is the
    same, the files are elsewhere.
    """
    common = os.path.dirname(head.head_file)  # noqa: PTH120
    if "/worktrees/" in (apart := common.replace("\\", "/")):
        common = apart[: apart.rindex("/worktrees/")]
    folder = cwd
    for _ in range(DEEPEST):
        if not common or not folder or folder == head.root:
            return head
        try:
            place = os.path.join(folder, ".git")  # noqa: PTH118
            with open(place, encoding="utf-8", opener=at_once) as file:
                own = file.read(2_000).partition("gitdir:")[2].strip()
        except (OSError, ValueError):
            own = ""
        if own:
            own = os.path.normpath(os.path.join(folder, own))  # noqa: PTH118
            within = os.path.realpath(own).startswith(os.path.realpath(common) + os.sep)
            return head._replace(root=folder, head_file=os.path.join(own, "HEAD")) if within else head  # noqa: PTH118
        folder, before = os.path.dirname(folder), folder  # noqa: PTH120
        if folder == before:
            return head
    return head


def relative_to(root: str, cwd: str) -> Callable[[str], str]:
    """Return a function that makes a path relative to the root, with forward slashes; "" for one outside."""
    top = root.replace("\\", "/").rstrip("/") + "/"

    def relative(path: str) -> str:
        whole = path if os.path.isabs(path) else os.path.join(cwd or root, path)  # noqa: PTH117, PTH118
        whole = os.path.normpath(whole).replace("\\", "/")
        if not whole.startswith(top):
            whole = os.path.realpath(whole).replace("\\", "/")
        return whole[len(top) :] if whole.startswith(top) else ""

    return relative


def _branch(head_file: str) -> str:
    """Return the branch in git's HEAD file; empty if there is none."""
    try:
        with open(head_file, encoding="utf-8", opener=at_once) as file:
            said = file.read(1_000).strip()
    except (OSError, ValueError):
        return ""
    mark = "ref: refs/heads/"
    return said[len(mark) :] if said.startswith(mark) else ""


def _fingerprint(text: str) -> str:
    from remora.observer.fingerprint import fingerprint, of_harness, telling

    if of_harness(text):
        return ""
    line = telling(text)
    return fingerprint(line) if line else ""


def _goes_without_saying(path: str, partner: str) -> bool:
    from remora.observer.couplings import goes_without_saying

    return goes_without_saying(path, partner)


def line_of(moment: Moment, reply: Reply, head: Head) -> dict[str, Any]:
    """Return a moment as a line of the live file: actions and injections only, no text of the session."""
    line: dict[str, Any] = {"k": kind_of(moment), "at": int(time.time() * 1000)}
    if moment.agent:
        line["g"] = moment.agent
    if moment.action:
        line["a"] = moment.action
        relative = relative_to(tree_of(head, moment.cwd).root, moment.cwd)
        if paths := [inside for path in moment.paths[:20] if (inside := relative(path))]:
            line["p"] = paths
    if moment.action == "run" and moment.kind == moments.AFTER and not moment.failed:
        from remora.shell.trigger_match import marks  # its patterns take a millisecond to load

        line["c"] = marks(moment.command)
    here = not moment.place or is_within(head, moment.cwd, moment.place)
    if moment.action in ("search", "glob") and moment.pattern and here:
        line["q"] = _without_secrets(moment.pattern)[:200]
    if moment.call_id:
        line["i"] = moment.call_id
    if name := name_of(moment):
        line["n"] = name
    if moment.kind == moments.PROMPT and is_task(moment):
        line["task"] = 1
    if moment.kind == moments.START:
        line["s"] = moment.source
    if reply.text:
        ids = {"held": list(reply.ids)} if reply.held else {"said": list(reply.ids), "x": reply.text}
        line |= {**ids, "t": reply.trigger, "w": reply.why}
        if not reply.firm and reply.ids:
            line["u"] = [reply.had, *reply.types]
    return line


def is_task(moment: Moment) -> bool:
    """Return whether a prompt states a task: "go on" does not."""
    if len(moment.text.split()) >= 3:
        return True
    from remora.core.text import words_or_pairs  # most prompts do not need it

    return len(words_or_pairs(moment.text)) >= 3


def _without_secrets(pattern: str) -> str:
    """Return a search pattern without secrets; a plain name holds none."""
    if pattern.replace("_", "").isalpha():
        return pattern
    from remora.core.secrets import redact

    return redact(pattern).text


def note_trouble(error: BaseException, environ: Mapping[str, str] | None = None) -> None:
    """Append one line about an error to `hooks.log`; never raises. The file is rotated at 200,000 bytes."""
    try:
        folder = data_folder(os.environ if environ is None else environ)
        path = os.path.join(folder, "hooks.log")  # noqa: PTH118
        os.makedirs(folder, mode=0o700, exist_ok=True)  # noqa: PTH103
        if os.path.exists(path) and os.path.getsize(path) > 200_000:  # noqa: PTH110, PTH202
            os.replace(path, f"{path}.1")  # noqa: PTH105
        stamp = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
        text = f"{stamp} {type(error).__name__}: {str(error)[:300]}".replace("\n", " ")
        file = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
        try:
            os.write(file, f"{text}\n".encode("utf-8", "replace"))
        finally:
            os.close(file)
    except OSError:
        pass
