"""Drafts from commit messages: fixes become gotchas or error patterns, reverts become dead ends.

A commit message is weak evidence, so only those that give a reason and change the product's source are used.
The drafts have modest confidence and are marked for review, with the commit as provenance. A fix that was
reverted later is withdrawn; a revert that was itself reverted is no dead end. The words that a revert took
out of its files go with its draft: an edit that brings them back repeats what was reverted.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from remora.core.edit_match import CODE_WORD, read_edit
from remora.core.paths import module_of
from remora.core.secrets import redact
from remora.core.text import STOP_WORDS, content_hash, words
from remora.core.values import MemoryDraft, Skipped
from remora.sources.git_process import run, text
from remora.sources.history import renames
from remora.sources.messages import body_of, subject_of
from remora.sources.word_patterns import any_of

if TYPE_CHECKING:
    from collections.abc import Container

    from remora.sources.git import Commit


KEPT = 200  # candidates of one history; more would drown a person's own statements
FILES_KEPT = 8
CONFIDENCE = 0.6
REASON_WORDS = 4  # minimum words of what a body adds to its subject


_FIX = re.compile(
    r"^(?:(?:fix|bugfix|hotfix|bug|perf)(?:\([^)]*\))?!?:\s*\S"  # conventional commits
    r"|(?:[\w./*{},-]+(?:\([^)]*\))?:\s*)?"  # "net/http: fix …"
    r"(?:bug ?fix|hot ?fix|fix(?:es|ed|ing)?|resolve[sd]?|prevent(?:s|ed)?|avoid(?:s|ed)?)\b)",
    re.IGNORECASE,
)
_OTHER_KIND = re.compile(
    rf"^{any_of('feat feature docs? style tests? chore ci build release deps refactor')}(?:\(.*?\))?!?:",
    re.IGNORECASE,
)

_ERROR = re.compile(
    r"\b[A-Z]\w*(?:Error|Exception|Panic)\b|\bSIG(?:SEGV|ABRT|PIPE|KILL)\b"
    r"|\b(?i:crash\w*|panics?|dead-?locks?|segfaults?|tracebacks?|race conditions?)\b"
)
_REVERT = re.compile(r"^(?:revert|reverts|reverted|back ?out)\b[:\s]*(?:\"(.+)\"|(.*))", re.IGNORECASE)
_REVERTED = re.compile(
    r"\b(?:reverts?|reverting|back(?:s|ed)? out) +(?:commit +)?([0-9a-f]{7,40})\b", re.IGNORECASE
)
_NOT_TRIED = re.compile(r"^(?:re-?vert|re-?apply|merge|bump|release)\b", re.IGNORECASE)
_KEY = re.compile(r"^[\[(]?(?:#\d+|[A-Z][A-Z0-9]*-\d+)[\])]?[\s:–-]+")  # of an issue, before what is said
_NUMBERS = re.compile(r"#?\b\d+\b|\b[A-Z]+-\d+\b")
_VAGUE = STOP_WORDS | frozenset(
    """bug bugs issue issues problem problems small minor several various stuff thing things another last
    broken wrong fix fixes fixed error errors crash code regression edge case cases bad stupid little silly
    make sure properly correctly work works working use using""".split()
)

_CHORE_FOLDER = any_of(r"""
        docs? documentation tests? testing __tests__ specs? fixtures examples? changelog\.d
        newsfragments changes \.[^/]+
    """)
_CHORE_FILE = any_of(r"""
        conftest\.py test_[^/]* [^/]*_test\.\w+ [^/]*[.-](?:test|spec)\.\w+ change(?:s|log)[^/]*
        news[^/]* authors[^/]* readme[^/]* licen[cs]e[^/]* contributing[^/]* \.[^/]+ tox\.ini
        setup\.(?:py|cfg) pyproject\.toml package\.json makefile [^/]*\.lock [^/]*-lock\.(?:json|yaml)
        requirements[^/]* [^/]*\.(?:md|rst|txt|adoc|po|pot|snap|svg|png|gif|jpe?g)
    """)
_NOT_SOURCE = re.compile(rf"(?:^|/)(?:{_CHORE_FOLDER}/|{_CHORE_FILE}$)", re.IGNORECASE)


def is_source(path: str) -> bool:
    """Return whether a path is product source: not a document, test, lock file or repository chore.

    >>> is_source("src/click/core.py"), is_source("tests/test_core.py"), is_source("docs/api.md")
    (True, False, False)
    """
    return not _NOT_SOURCE.search(path)


class Candidates:
    """The latest candidates of a history, at most KEPT."""

    def __init__(self) -> None:
        self._kept: dict[str, MemoryDraft] = {}  # by commit, the earliest first
        self._why: Counter[str] = Counter()
        self._moved: dict[str, str] = {}
        self._said: dict[str, str] = {}
        self.reverted: list[str] = []  # ids, often shortened: an earlier run's memories from them are void

    def add(self, commit: Commit) -> None:
        """Process one commit; call it once for each, oldest first."""
        self._moved.update(renames(commit.files))
        if reverted := _reverted(commit):
            self.reverted.append(reverted)
            self._withdraw(reverted)
        draft, why = _propose(commit)
        if draft is None:
            if why:
                self._why[why] += 1
            return
        key = content_hash(draft.content)
        if self._kept.pop(self._said.get(key, ""), None) is not None:  # a cherry-pick
            self._why["repeated by a later commit"] += 1
        self._said[key] = commit.sha
        self._kept[commit.sha] = draft
        if len(self._kept) > KEPT:
            del self._kept[next(iter(self._kept))]
            self._why[f"before the latest {KEPT}"] += 1

    def drafts(self, present: Container[str] | None = None) -> list[MemoryDraft]:
        """Return the candidates, oldest first, with the current names of their files.

        Args:
            present: the existing files; a candidate with none of its files left is dropped. None keeps all.
        """
        found: list[MemoryDraft] = []
        for draft in self._kept.values():
            files = tuple(dict.fromkeys(self._today(path) for path in draft.related_files))
            if present is not None:
                files = tuple(path for path in files if path in present)
            if files or present is None:
                found.append(_placed(draft, files))
        return found

    def left_out(self, present: Container[str] | None = None) -> tuple[Skipped, ...]:
        """Return the reasons for skipping commits that look like fixes or reverts, with counts."""
        why = Counter(self._why)
        why["the changed files no longer exist"] += len(self._kept) - len(self.drafts(present))
        ranked = sorted(why.items(), key=lambda item: (-item[1], item[0]))
        return tuple(Skipped(f"{n} commit{'s' * (n != 1)}", reason) for reason, n in ranked if n)

    def _withdraw(self, prefix: str) -> None:
        for sha in [sha for sha in self._kept if sha.startswith(prefix)]:
            del self._kept[sha]
            self._why["reverted later"] += 1

    def _today(self, path: str) -> str:
        seen: set[str] = set()
        while path in self._moved and path not in seen:
            seen.add(path)
            path = self._moved[path]
        return path


def _propose(commit: Commit) -> tuple[MemoryDraft | None, str]:
    """Return the draft of a commit, or the reason for skipping it ("" if it is no fix at all)."""
    commit = commit._replace(subject=_KEY.sub("", commit.subject))
    if revert := _REVERT.match(commit.subject):
        return _dead_end(commit, revert[1] or revert[2])
    if not _FIX.match(commit.subject):
        return None, ""
    if _OTHER_KIND.match(commit.subject):
        return None, "a feature or a chore, not a fix"
    files = [f.path for f in commit.files if f.status != "D" and is_source(f.path)]
    if not files:
        return None, "changes only documents, tests or settings"
    subject, body = subject_of(commit.subject), body_of(commit.body, commit.subject)
    if not _telling(subject) or len(_telling(body)) < REASON_WORDS:
        return None, "no more than its subject, which the log shows"
    text = f"{subject.rstrip('.')}. {body}"
    kind = "error_pattern" if _ERROR.search(text) else "gotcha"
    return _draft(commit, kind, f"An earlier commit: {text}", files, "fix"), ""


def _dead_end(commit: Commit, named: str) -> tuple[MemoryDraft | None, str]:
    tried, why = subject_of(named), body_of(commit.body)
    if not tried or _NOT_TRIED.match(tried):
        return None, ""
    told = len(_telling(why)) >= REASON_WORDS
    if len(_telling(tried)) < 2 and not told:
        return None, "names nothing"
    files = [f.path for f in commit.files if told or is_source(f.path)]
    if not files:
        return None, "changes only documents, tests or settings"
    payload = {
        "approach_tried": tried,
        "why_it_failed": why or "It was reverted; the commit gives no reason.",
    }
    instead = next((s for s in re.split(r"(?<=[.!?])\s+", why) if re.search(r"\binstead\b", s)), "")
    if instead:
        payload["alternative_used"] = instead
    sha = _reverted(commit)
    text = f"Tried and reverted: {tried.rstrip('.')}" + (f" ({sha[:10]})" if sha else "") + "."
    draft = _draft(commit, "dead_end", f"{text} {why}".strip(), files, "revert")
    return draft._replace(payload=payload), ""


def _draft(commit: Commit, kind: str, content: str, files: Sequence[str], tag: str) -> MemoryDraft:
    draft = MemoryDraft(
        content=content,
        type=kind,
        source="commit_auto",
        confidence=CONFIDENCE,
        tags=("git", tag),
        commit_sha=commit.sha,
        created_at=commit.date,
        needs_review=True,
    )
    return _placed(draft, tuple(files[:FILES_KEPT]))


def _placed(draft: MemoryDraft, files: tuple[str, ...]) -> MemoryDraft:
    modules = tuple(dict.fromkeys(module_of(path) for path in files))
    named = tuple(module for module in modules if module != ".")
    scope = "module" if len(modules) == len(named) == 1 else "global"
    return draft._replace(related_files=files, related_modules=named, scope=scope)


def _reverted(commit: Commit) -> str:
    found = _REVERTED.search(f"{commit.subject}\n{commit.body}")
    return found[1].lower() if found else ""


def _telling(text: str) -> set[str]:
    """Return the distinct subject words of a text."""
    return {w for w in words(_NUMBERS.sub(" ", text)) if w not in _VAGUE and len(w) > 1}


FILES, WORDS, LONGEST = 4, 12, 32  # that are read of one revert; words of one, and characters of a word
# Unlike `show` and `diff`, `diff-tree` does not depend on the user's display settings.
_PATCH = ("diff-tree", "-p", "-U0", "--root", "--no-commit-id", "--no-ext-diff", "--no-textconv")


def taken_out(folder: Path, sha: str, files: Sequence[str]) -> tuple[str, ...]:
    """Return the words of code that a commit removed and its files no longer contain, in order.

    Function words count only if there are no others, and a patch with a secret has none.

    Args:
        folder: of the repository.
        sha: the commit.
        files: the paths that it changed; the first few are read, as they are in the checked-out commit.

    Raises:
        SourceError: git is not installed, or took too long.
    """
    patch = run(folder, *_PATCH, sha, "--", *files[:FILES])
    if patch.returncode or not files:
        return ()
    lines = text(patch.stdout).split("\n")
    removed = "\n".join(line[1:] for line in lines if line[:1] == "-" and line[:3] != "---")
    if redact(removed).redactions:
        return ()  # what was taken out may be the secret itself
    code = "\n".join(read_edit(files[0], removed, "").added)  # without comments
    found = dict.fromkeys(word for word in CODE_WORD.findall(code) if len(word) <= LONGEST)
    kept: set[str] = set()
    for path in files[:FILES]:
        kept.update(CODE_WORD.findall(text(run(folder, "show", f"HEAD:{path}").stdout)))
    gone = [word for word in found if word not in kept]
    telling = [word for word in gone if word.lower() not in STOP_WORDS]
    return tuple(telling or gone)[:WORDS]
