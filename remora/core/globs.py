"""Match a file's path against the globs of rule files, in their several dialects.

Rule files of different tools agree on little: `**/` may match no folder, `{ts,tsx}` one of several endings,
and a folder may have the name `[slug]`. A star also crosses folders here: a rule shown a little too widely
is harmless, one that never applies is lost.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from fnmatch import translate
from functools import lru_cache
from itertools import islice, product

MOST_FORMS = 64  # forms from braces and "**/"; further ones are not tried
LONGEST = 1_000  # characters of a glob; a longer one matches nothing
_INNERMOST = re.compile(r"\{([^{}]*,[^{}]*)\}")


def matches(glob: str, path: str) -> bool:
    """Return whether a glob matches a path.

    >>> matches("src/**/*.{ts,tsx}", "src/app.tsx"), matches("src/**", "src/api/auth.py")
    (True, True)
    >>> matches("app/[slug]/*", "app/[slug]/page.tsx"), matches("**/*.py", "docs/a.md")
    (True, False)
    """
    return any(test(path) for test in _tests(glob))


@lru_cache(maxsize=4_096)
def _tests(glob: str) -> tuple[Callable[[str], object], ...]:
    spelt = forms(glob) if len(glob) <= LONGEST else ()
    return tuple(re.compile(translate(form)).match for form in spelt)


def forms(glob: str) -> list[str]:
    """Return the plain forms of a glob, each once; braces are expanded first.

    >>> forms("a/**/{b,c}")
    ['a/**/b', 'a/b', 'a/**/c', 'a/c']
    """
    found: dict[str, None] = {}
    for spelt in _without_braces(glob):
        parts = spelt.split("**/")
        for between in islice(product(("**/", ""), repeat=len(parts) - 1), MOST_FORMS):
            form = "".join(part + gap for part, gap in zip(parts, (*between, ""), strict=True))
            form = form.replace("[^", "[!")
            found[form] = None
            if "[" in form:
                found[form.replace("[", "[[]")] = None
            if len(found) >= MOST_FORMS:
                return list(found)[:MOST_FORMS]
    return list(found)


def _without_braces(glob: str) -> list[str]:
    waiting, done = [glob], list[str]()
    while waiting:
        first = waiting.pop(0)
        brace = _INNERMOST.search(first)
        if brace is None or len(waiting) + len(done) >= MOST_FORMS:
            done.append(first)
            continue
        ends = first[: brace.start()], first[brace.end() :]
        waiting[:0] = [f"{ends[0]}{choice}{ends[1]}" for choice in brace[1].split(",")]
    return done
