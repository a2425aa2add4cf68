"""The patterns of a .gitignore mean what git takes them for, and take no longer than they must."""

from __future__ import annotations

import random
from time import process_time

from remora.sources.ignored import LONGEST, Ignored
from tests.sources.conftest import Work

NAMES = ("a", "b", "ab", "a.b", "foo", "b c", "[a]", "a*b", "!x", "#y")
ATOMS = (
    *("a", "b", "*", "?", "[ab]", "[!a]", "[^b]", "[]a]", "[a-c]", "**", "foo", ".", "a*", "*b", "*.b"),
    *("\\*", "\\[", "\\!", "\\#", "[a"),
)


def line(rng: random.Random) -> str:
    """A pattern of one to three parts, with the signs before and behind that change what it means."""
    parts = [rng.choice(ATOMS) for _ in range(rng.choice((1, 1, 1, 2, 2, 3)))]
    return (
        rng.choice(("", "", "!"))
        + rng.choice(("", "/"))
        + "/".join(parts)
        + rng.choice(("", "/", "/**", " "))
    )


def covers(rules: Ignored, path: str) -> bool:
    """Return whether a path or one of the folders around it is ignored."""
    return any(rules.says(path[:end]) for end in (*(n + 1 for n, c in enumerate(path) if c == "/"), None))


def test_patterns_mean_what_git_takes_them_for(repo: Work):
    """Of files with awkward names, random patterns leave out those that git ignores."""
    rng = random.Random(18)
    for _ in range(120):
        path = repo.root / "/".join(rng.choice(NAMES) for _ in range(rng.randint(1, 4)))
        if not path.exists() and not any(parent.is_file() for parent in path.parents):
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text("1")
    files = sorted(
        path.relative_to(repo.root).as_posix()
        for path in repo.root.rglob("*")
        if path.is_file() and ".git" not in path.parts
    )
    for _ in range(40):
        lines = [line(rng) for _ in range(rng.randint(1, 4))]
        (repo.root / ".gitignore").write_text("\n".join(lines) + "\n")
        named = repo.git("ls-files", "-z", "--others", "--ignored", "--exclude-standard").split("\0")
        assert {path for path in files if covers(Ignored(lines), path)} == {*named} - {"", ".gitignore"}, (
            lines
        )


def test_stars_take_no_time():
    """Forty stars against a long name, and a hundred folders of any depth, are settled at once."""
    begun = process_time()
    rules = Ignored(["*a" * 40 + "*b", "**/a/" * 100 + "b"])
    assert not covers(rules, "a/" * 100 + "a" * 200 + "c")
    assert process_time() - begun < 2.0


def test_a_line_that_makes_no_sense_is_skipped():
    """Git skips it, too."""
    lines = ["[broken", "!", "/", "a" * (LONGEST + 1), "kept\\", "*.log"]
    assert Ignored(lines).says("x.log")
    for wrong in lines[:-1]:
        assert Ignored([wrong]).says(wrong) is None
