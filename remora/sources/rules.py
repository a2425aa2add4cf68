"""Rule files to memories: every rule of a project's rule files once, with all its places.

rule_files finds the files, rule_text decodes them, rule_split splits and rule_sense types them. The same text
in several files is one rule with several origins; its key does not depend on its place, so reading again
changes nothing. A rule for a folder or for globs has the scope "module" and stores them in `related_files`.
"""

from __future__ import annotations

import os
import posixpath
import re
import stat
from pathlib import Path
from time import thread_time
from typing import TYPE_CHECKING, NamedTuple

from remora.core.budget import FILE_SECONDS, look, within
from remora.core.errors import StoreError
from remora.core.rule_names import (
    CLAUDE_MEMORY,
    CONTRIBUTING,
    DECISIONS,
    HOST_FILES,
    LESSONS,
    ON_REQUEST,
    kind_of,
)
from remora.core.secrets import redact
from remora.core.skip import sparing
from remora.core.text import content_hash, shorten
from remora.core.values import MemoryDraft, Redaction, Skipped
from remora.disk.files import read_small
from remora.sources.decisions import decision_of
from remora.sources.markdown import label
from remora.sources.rule_files import Found, find
from remora.sources.rule_sense import memory_type
from remora.sources.rule_split import ALL, ORDERS, RULES, Block, LeftOut, split, standing_alone
from remora.sources.rule_text import Text, glob_folder, globs_of, imports_of, on_request, read

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping, Sequence

MAX_BYTES = 1 << 20
_TOO_LARGE = f"larger than {MAX_BYTES >> 20} MB"
MAX_RULES = 400  # of one file; more is a document, not rules
WAITS = "outside the project; to read it, run remora init --allow-import"
IMPORT_DEPTH = 4
CONTENT_CHARACTERS = 4_000
MENTIONS = 8
CONFIDENCE = 0.9
_CONFIDENCE = {  # written by an agent, or for other readers, perhaps long ago
    CLAUDE_MEMORY: 0.7,
    CONTRIBUTING: 0.7,
    DECISIONS: 0.8,
    LESSONS: 0.8,
}
_KEPT = {CLAUDE_MEMORY: ALL, "taught": ALL, LESSONS: ALL, CONTRIBUTING: ORDERS}
TAUGHT = "taught"  # the kind of a file that is no rule file

_WRITTEN = frozenset({".md", ".mdc", ".markdown", ".txt", ".rst"})
_IMPORTERS = frozenset({"claude", "claude_rules", "gemini"})
_IMPORT_LINE = re.compile(r"^\s*(?:[-*+]\s+)?(?:@\S+[\s,]*)+$")
_MEMORY_TYPES = {
    "user": "preference",
    "feedback": "preference",
    "project": "decision",
    "reference": "pattern",
}
_MENTION = re.compile(r"`([\w@.][\w@./-]{0,300})`|\(([\w@.][\w@./-]{0,300}\.\w+)\)")
# A file with lessons in its name, as rule files name it.
_LESSONS = re.compile(
    r"[`(\s@]((?:[\w.-]+/){0,6}[\w.-]*(?:lessons?|learnings?|gotchas|pitfalls|mistakes)[\w.-]*\.md)\b",
    re.IGNORECASE,
)
_GENERIC = re.compile(
    r"^(?:steps?|workflow|process|procedure|how to|usage|overview|instructions?)$", re.IGNORECASE
)


class RuleFile(NamedTuple):
    """A rule file that was read.

    Attributes:
        found: the file as found.
        text: its text without secrets.
        redactions: the removed secrets.
        globs: the files it applies to, from the root; empty for all in its folder.
    """

    found: Found
    text: Text
    redactions: tuple[Redaction, ...]
    globs: tuple[str, ...]


class Rule(NamedTuple):
    """One rule, every place of it as (path, line), and the key of its text."""

    draft: MemoryDraft
    origins: tuple[tuple[str, int], ...]
    key: str


class RuleScan(NamedTuple):
    """The result of reading a project's rule files."""

    files: tuple[RuleFile, ...]
    rules: tuple[Rule, ...]
    skipped: tuple[Skipped, ...]


def read_memory_text(
    text: Text, file: Path, shown: str, *, index: bool
) -> tuple[tuple[MemoryDraft, ...], tuple[Skipped, ...]]:
    """Return the notes of an agent in one file, split and typed as by `read_rules`, and the pieces left out.

    Args:
        text: of a Markdown file of an agent's own memory.
        file: that file.
        shown: its name in reports and origins.
        index: whether it lists the other files; lines that only do that are left out.
    """
    found = Found(shown, CLAUDE_MEMORY, "", file, whole=index)
    gathered: dict[str, _Gathered] = {}
    skipped: list[Skipped] = []
    loaded = _loaded(found, text)._replace(globs=())  # a note is about the project, whatever file it names
    _gather(loaded, file.parent, gathered, skipped)
    return tuple(one.rule(key).draft for key, one in gathered.items()), tuple(skipped)


def read_given(raw: bytes, path: str, root: Path, *, inside: bool = True) -> RuleScan:
    """Return the contents of a file given by a person, split and typed as by `read_rules`.

    A rule file is recognized by its name and read as such. Its imports are reported as left out: a person who
    gives one file means only that one.

    Args:
        raw: the file's bytes.
        path: relative to the root; a name for a file elsewhere.
        root: the project's folder.
        inside: whether the file lies in the project; elsewhere its folder does not limit its rules.
    """
    kind, folder, whole = kind_of(path) or (TAUGHT, "", False)
    kind = kind if kind in HOST_FILES else TAUGHT  # every informative piece of any other file counts
    folder = folder if inside and kind != TAUGHT else ""
    loaded = _decoded(Found(path, kind, folder, root / path, whole), raw)
    if isinstance(loaded, str):
        return RuleScan((), (), (Skipped(path, loaded),))
    imports = imports_of(loaded.text.body, loaded.text.first_line) if kind in _IMPORTERS else ()
    skipped = [
        Skipped(f"{path}:{line} @{target}", "an import; pass that file as well") for line, target in imports
    ]
    gathered: dict[str, _Gathered] = {}
    _gather(loaded, root, gathered, skipped, "pattern" if kind == TAUGHT else "preference")
    rules = tuple(one.rule(key) for key, one in gathered.items())
    return RuleScan((loaded,), rules, tuple(skipped))


def read_rules(root: Path, *, home: Path | None = None, allowed: Collection[str] = frozenset()) -> RuleScan:
    """Return the rules of a project.

    Args:
        root: the project's folder.
        home: the user's home folder, for imports from it and for an agent's notes about this project; None
            reads nothing outside the root.
        allowed: real paths outside of the project that its own files may import; others are skipped.
    """
    root = root.resolve()
    found, skipped = find(root, home)
    loader = _Loader(root, home, skipped, allowed)
    for one in found:
        with sparing(one.path, skipped), within(FILE_SECONDS, thread_time):
            loader.load(one)
    gathered: dict[str, _Gathered] = {}
    files: list[RuleFile] = []
    for loaded in loader.loaded():
        with sparing(loaded.found.path, skipped), within(FILE_SECONDS, thread_time):
            _gather(loaded, root, gathered, skipped)
            files.append(loaded)
    rules = tuple(one.rule(key) for key, one in gathered.items())
    return RuleScan(tuple(files), rules, tuple(skipped))


class _Loader:
    """Reads files and their imports, each real file once."""

    def __init__(
        self, root: Path, home: Path | None, skipped: list[Skipped], allowed: Collection[str]
    ) -> None:
        self._allowed = allowed
        self._root, self._home, self._skipped = root, home.resolve() if home else None, skipped
        self._by_file: dict[Path, RuleFile | None] = {}

    def loaded(self) -> Iterator[RuleFile]:
        """Yield the files that were read, in order."""
        return (one for one in self._by_file.values() if one is not None)

    def load(self, found: Found, depth: int = 0, place: str = "") -> None:
        """Read one file and its imports, unless it was read before; `place` is the place of its import."""
        place = place or found.path
        real = found.file.resolve()
        if real in self._by_file:
            return
        if not self._may_read(real, found.file):
            self._skip(place, "outside the project")
            return
        self._by_file[real] = None
        loaded = _read(found, real)
        if isinstance(loaded, str):
            self._skip(place, loaded)
            return
        self._by_file[real] = loaded
        if found.kind in _IMPORTERS:
            self._follow(found, loaded.text, depth)
        if found.kind in HOST_FILES and real.is_relative_to(self._root):
            self._follow_lessons(found, loaded.text)

    def _follow(self, found: Found, text: Text, depth: int) -> None:
        for line, target in imports_of(text.body, text.first_line):
            place = f"{found.path}:{line} @{target}"
            file = self._target(found.file, target)
            if file is None:
                self._skip(place, "in the home folder, which is not read")
            elif not file.exists():
                if target.startswith(("~/", "./", "../", "/")) or file.suffix in _WRITTEN:
                    self._skip(place, "the imported file does not exist")
            elif not file.is_file():
                self._skip(place, "imports a folder")
            elif file.suffix.lower() not in _WRITTEN and file.suffix:
                self._skip(place, "an import that is neither Markdown nor plain text")
            elif self._waits(found.file, file):
                self._skip(place, f"{WAITS} {file.resolve()}")
            elif depth >= IMPORT_DEPTH:
                self._skip(place, f"imported more than {IMPORT_DEPTH} files deep")
            else:
                one = Found(self._shown(file), found.kind, found.folder, file, whole=False)
                self.load(one, depth + 1, place)

    def _follow_lessons(self, found: Found, text: Text) -> None:
        """Read the lesson files that a rule file names, from its folder or from the root."""
        for name in dict.fromkeys(_LESSONS.findall(text.body)):
            for path in (posixpath.normpath(f"{found.folder}/{name}".lstrip("/")), posixpath.normpath(name)):
                file = self._root / path
                if file.resolve().is_relative_to(self._root) and file.is_file():
                    self.load(Found(path, LESSONS, found.folder, file, whole=True))
                    break

    def _waits(self, importer: Path, file: Path) -> bool:
        """Return whether a file of the project imports a file outside of it that is not allowed."""
        real = file.resolve()
        if real.is_relative_to(self._root) or not importer.resolve().is_relative_to(self._root):
            return False
        return self._may_read(real, file) and str(real) not in self._allowed

    def _target(self, importer: Path, target: str) -> Path | None:
        if target.startswith("~/"):
            return self._home / target[2:] if self._home else None
        return importer.parent / target

    def _shown(self, file: Path) -> str:
        plain = Path(os.path.normpath(file))
        if plain.is_relative_to(self._root):
            return plain.relative_to(self._root).as_posix()
        if self._home and plain.is_relative_to(self._home):
            return f"~/{plain.relative_to(self._home).as_posix()}"
        return str(plain)

    def _may_read(self, real: Path, file: Path) -> bool:
        """Return whether a file lies in the project, or is text in the home that a file there names.

        A link inside the project never leads into the home, because the project's author created it.
        """
        if real.is_relative_to(self._root):
            return True
        named = self._home is not None and not Path(os.path.normpath(file)).is_relative_to(self._root)
        return named and real.is_relative_to(self._home or self._root) and real.suffix.lower() in _WRITTEN

    def _skip(self, what: str, why: str) -> None:
        self._skipped.append(Skipped(what, why))


def _read(found: Found, file: Path) -> RuleFile | str:
    """Return a file, or the reason why it cannot be used."""
    try:
        status = file.stat()
        if not stat.S_ISREG(status.st_mode):
            return "not a regular file"
        if status.st_size > MAX_BYTES:
            return _TOO_LARGE
        raw = read_small(file, MAX_BYTES, links=True)
    except OSError as error:
        return f"cannot be read: {error.strerror}"
    except StoreError as error:
        return f"cannot be read: {error}"
    return _decoded(found, raw or b"")


def _decoded(found: Found, raw: bytes) -> RuleFile | str:
    """Return a file from its bytes, or the reason why they cannot be used."""
    if len(raw) > MAX_BYTES:
        return _TOO_LARGE
    try:
        text = read(raw)
    except ValueError:
        return "binary, not text"
    return _loaded(found, text) if text.body.strip() else "empty"


def _loaded(found: Found, text: Text) -> RuleFile:
    """Return a read file. Secrets go before it is split: half a key would no longer be recognized."""
    body, redactions = redact(text.body, keep_lines=True)
    return RuleFile(found, text._replace(body=body), redactions, globs_of(text.front, found.folder))


class _Gathered:
    """A rule during the search for its places."""

    def __init__(self, draft: MemoryDraft) -> None:
        self.draft = draft
        self.origins: list[tuple[str, int]] = []
        self.mentions: dict[str, None] = {}
        self.modules: dict[str, None] = {}
        self.globs: dict[str, None] = {}
        self.everywhere = self.standing = False

    def add(self, loaded: RuleFile, line: int, mentions: tuple[Sequence[str], Sequence[str]]) -> None:
        """Add one more place."""
        found = loaded.found
        self.origins.append((found.path, line))
        if "rule" in self.draft.tags:
            self.draft = self.draft._replace(tags=tuple(dict.fromkeys((*self.draft.tags, found.kind))))
        self.mentions.update(dict.fromkeys(mentions[0]))
        self.modules.update(dict.fromkeys(mentions[1]))
        globs = loaded.globs or ((f"{found.folder}/**",) if found.folder else ())
        self.globs.update(dict.fromkeys(globs))
        self.everywhere |= not globs
        self.standing |= not on_request(loaded.text.front)

    def rule(self, key: str) -> Rule:
        """Return the rule. If one place applies to everything, so does the rule."""
        globs = () if self.everywhere else tuple(self.globs)
        modules = (*(folder for glob in globs if (folder := glob_folder(glob))), *self.modules)
        path, line = self.origins[0]
        draft = self.draft._replace(
            scope="module" if globs else "global",
            related_files=tuple(dict.fromkeys((*globs, *self.mentions))),
            related_modules=tuple(dict.fromkeys(modules)),
            origin_path=path,
            origin_line=line,
            tags=self.draft.tags if self.standing else (*self.draft.tags, ON_REQUEST),
        )
        return Rule(draft, tuple(self.origins), key)


def _gather(
    loaded: RuleFile,
    root: Path,
    gathered: dict[str, _Gathered],
    skipped: list[Skipped],
    default: str = "preference",
) -> None:
    """Add a file's rules to those collected so far."""
    found = loaded.found
    blocks, out = _cut(found, loaded.text)
    skipped.extend(Skipped(f"{found.path}:{one.line} “{one.text}”", one.why) for one in out)
    if len(blocks) > MAX_RULES:
        what = f"{found.path}:{blocks[MAX_RULES].line} and below"
        skipped.append(Skipped(what, f"only the first {MAX_RULES} rules of a file are read"))
    default = _MEMORY_TYPES.get(_first(loaded.text.front, "type"), default)
    for block in blocks[:MAX_RULES]:
        look()
        draft = _draft(block, found.kind, default)
        if len(draft.content) > CONTENT_CHARACTERS:
            skipped.append(Skipped(f"{found.path}:{block.line}", f"cut at {CONTENT_CHARACTERS} characters"))
            draft = draft._replace(content=_cut_lines(draft.content))
        key = content_hash(draft.content.rstrip(" .;!"))
        one = gathered.setdefault(key, _Gathered(draft))
        one.add(loaded, block.line, _mentions(block.text, root, found.folder))


def _cut(found: Found, text: Text) -> tuple[list[Block], list[LeftOut]]:
    about = label(_first(text.front, "description") or _first(text.front, "name"))
    if found.kind == CLAUDE_MEMORY and not found.whole and len(text.body) <= CONTENT_CHARACTERS:
        body = "\n".join(line for line in text.body.strip().split("\n") if line.strip())
        return [Block(body, text.first_line, (about,) if about else (), "text")], []
    if found.kind == DECISIONS:
        return decision_of(text)
    body = _without_imports(text) if found.kind in _IMPORTERS else text.body
    keep = _KEPT.get(found.kind, RULES)
    blocks, out = split(body, first_line=text.first_line, title=not found.whole, context=about, keep=keep)
    if found.kind == CLAUDE_MEMORY:  # its index only lists the other files
        index = [b for b in blocks if re.search(r"\((?!\w+:)[\w./-]+\.md\)", b.text)]
        out += [
            LeftOut(b.line, shorten(b.text, 60), "lists a file that is also read directly") for b in index
        ]
        blocks = [b for b in blocks if b not in index]
    return blocks, out


def _without_imports(text: Text) -> str:
    """Return the body with its import-only lines empty, because the imported files are read themselves."""
    importing = {one.line - text.first_line for one in imports_of(text.body, text.first_line)}
    lines = text.body.split("\n")
    return "\n".join("" if n in importing and _IMPORT_LINE.match(ln) else ln for n, ln in enumerate(lines))


def _draft(block: Block, kind: str, default: str) -> MemoryDraft:
    text, told = standing_alone(block)
    agent = kind == CLAUDE_MEMORY
    return MemoryDraft(
        content=text,
        type=_type(block, kind, default),
        source="agent_explicit" if agent else "user_taught",
        confidence=_CONFIDENCE.get(kind, CONFIDENCE),
        tags=(TAUGHT,) if kind == TAUGHT else ("rule", kind),
        payload=_recipe(block),
        context_prefix=" > ".join(block.path) if block.path and not told else None,
    )


def _type(block: Block, kind: str, default: str) -> str:
    if block.steps or kind == DECISIONS:
        return "workflow_recipe" if block.steps else "decision"
    return memory_type(block.text, block.path, default=default)


def _recipe(block: Block) -> Mapping[str, object] | None:
    if not block.steps:
        return None
    names = [name for name in block.path[-2:] if not _GENERIC.match(name)]
    steps = [{"order": number, "description": step} for number, step in enumerate(block.steps, 1)]
    return {"task_pattern": " > ".join(names) or shorten(block.steps[0], 80), "steps": steps}


def _mentions(text: str, root: Path, folder: str) -> tuple[list[str], list[str]]:
    """Return the files and folders of the project that a rule names in code spans or links."""
    files: dict[str, None] = {}
    folders: dict[str, None] = {}
    for found in _MENTION.finditer(text):
        name = found[1] or found[2]
        if "/" not in name and "." not in name:
            continue
        for path in dict.fromkeys(
            (posixpath.normpath(f"{folder}/{name}".lstrip("/")), posixpath.normpath(name))
        ):
            place = root / path
            if path.startswith(("../", "/")) or path == ".":
                continue
            if place.is_file():
                files[path] = None
                break
            if "/" in name and place.is_dir():
                folders[path] = None
                break
    return list(files)[:MENTIONS], list(folders)[:MENTIONS]


def _cut_lines(text: str) -> str:
    cut = text[:CONTENT_CHARACTERS]
    return cut[: cut.rfind("\n")] + "\n…" if "\n" in cut else cut[:-1] + "…"


def _first(front: Mapping[str, tuple[str, ...]], key: str) -> str:
    return next(iter(front.get(key, ())), "")
