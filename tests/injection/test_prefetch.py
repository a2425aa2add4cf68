"""Files that are loaded ahead: which sessions count, which files may be shown, and how they are packed."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from remora.core.events import FileUse
from remora.core.tokens import scripts
from remora.core.values import Taint
from remora.injection.prefetch import MOST_FILES, Prefetch, prefetch, secret_name
from remora.injection.scope import Scope
from remora.sources.git import Repository
from tests.helpers import SECRET, Repo
from tests.observer.sessions import session
from tests.retrieval.worlds import World

AUTH = Scope(("auth",))


class Shop:
    """A project with sessions that used its files."""

    def __init__(self, folder: Path) -> None:
        self.world = World(folder)
        self.root = folder / "repo"
        self.number = 0

    def put(self, path: str, text: str = "x = 1\n") -> None:
        """Write a file."""
        (self.root / path).parent.mkdir(parents=True, exist_ok=True)
        (self.root / path).write_text(text, "utf-8")

    def worked(self, *read: str, edited: tuple[str, ...] = ("auth/gone.py",), times: int = 1) -> None:
        """Record sessions that read some files and changed others, one in `auth` that is gone by default."""
        for _ in range(times):
            self.number += 1
            uses = [FileUse(p, 1, 0, 1, 2) for p in read] + [FileUse(p, 1, 1, 1, 2) for p in edited]
            one = session(
                f"s{self.number}",
                files=tuple(uses),
                started=f"2026-01-{self.number:02d}T10:00:00.000Z",
            )
            with self.world.db.transaction():
                self.world.db.sessions.record(one, (), "1", "2026-02-01T00:00:00.000Z")

    def ahead(self, where: Scope = AUTH, **more) -> Prefetch:
        """Return the files to load ahead."""
        return prefetch(self.world.db, self.root, where, **more)


@pytest.fixture
def shop(tmp_path: Path) -> Iterator[Shop]:
    """A project without sessions."""
    made = Shop(tmp_path)
    with made.world:
        yield made


def paths(found: Prefetch) -> list[str]:
    """Return the paths in order."""
    return [one.path for one in found]


def test_always_before_often(shop: Shop) -> None:
    """More than 80 % of the sessions first, more than half second, what half used or fewer not at all."""
    for path in ("a_often.py", "z_always.py", "half.py", "four_of_five.py"):
        shop.put(path)
    shop.worked("z_always.py", "a_often.py", "half.py", "four_of_five.py", times=2)
    shop.worked("z_always.py", "a_often.py", "four_of_five.py", times=1)
    shop.worked("z_always.py", "four_of_five.py", times=1)
    shop.worked("z_always.py", times=1)
    found = shop.ahead()
    assert [(f.path, f.share, f.always) for f in found] == [
        ("z_always.py", 1.0, True),
        ("four_of_five.py", 0.8, False),
        ("a_often.py", 0.6, False),
    ]
    assert found[0].why == "used in 5 of 5 sessions that changed `auth`"
    assert shop.ahead(Scope(("aut",))) == []


PATTERN: dict[str, Any] = {
    "always_read_files": ["a.py"],
    "frequently_read_files": ["b.py"],
    "module_trigger": "auth",
    "session_count": 6,
}


def test_remembered_patterns(shop: Shop) -> None:
    """A pattern of the module counts as its sessions do; one from outside, or of too few, does not."""
    shop.put("a.py")
    shop.put("b.py")
    remember = shop.world.remember
    remember("p", "Sessions of `auth` read", type="prefetch_pattern", payload=PATTERN)
    found = shop.ahead()
    assert [(f.path, f.always) for f in found] == [("a.py", True), ("b.py", False)]
    assert found[0].why == "used in 5 of 6 sessions that changed `auth`, from memory"
    assert shop.ahead(Scope(("web",))) == []
    shop.world.memory.forget(shop.world.id_of("p"))
    remember("few", "A few sessions", type="prefetch_pattern", payload={**PATTERN, "session_count": 2})
    remember(
        "forged", "Sessions of somebody", type="prefetch_pattern", payload=PATTERN, taint=Taint("web_fetch")
    )
    assert shop.ahead() == []


def test_sessions_that_can_be_counted_count(shop: Shop) -> None:
    """A stored pattern stands in for a module with fewer than three sessions only."""
    shop.put("a.py")
    shop.put("now.py")
    shop.world.remember("p", "Sessions of `auth` read", type="prefetch_pattern", payload=PATTERN)
    shop.worked("now.py", edited=("auth/tokens.py",), times=2)
    assert paths(shop.ahead()) == ["a.py"]
    shop.worked("now.py", edited=("auth/tokens.py",))
    assert paths(shop.ahead()) == ["now.py"]


def test_only_files_that_may_be_shown(shop: Shop, tmp_path: Path) -> None:
    """Gone, outside, secret, generated, binary, empty or linked files are not shown."""
    (tmp_path / "elsewhere.py").write_text("x = 1\n")
    names = [
        *("ok.py", "gone.py", "../elsewhere.py", str(tmp_path / "elsewhere.py"), "~/x.py"),
        *(".env", "deploy/id_rsa", "app.min.js", "data.bin", "empty.py"),
        *("link.py", "node_modules/x/index.js", "made.py", "keys.txt"),
    ]
    for name in names:
        if name not in ("gone.py", "link.py", "~/x.py") and not name.startswith(("/", "..")):
            shop.put(name)
    shop.put("data.bin", "\0\0\0")
    shop.put("empty.py", "\n")
    shop.put("made.py", "# Code generated by a tool. DO NOT EDIT.\nx = 1\n")
    body = "\n".join(["MIIEpAIBAAKCAQEA" + "q8Zk2LmN9xT4vB7cW1sR5yU3eH6jD0aF" * 2] * 4)
    shop.put("keys.txt", f"-----BEGIN RSA PRIVATE KEY-----\n{body}\n-----END RSA PRIVATE KEY-----\n")
    (shop.root / "link.py").symlink_to(tmp_path / "elsewhere.py")
    shop.worked(*names, times=3)
    found = shop.ahead()
    assert paths(found) == ["ok.py"]
    why = {skipped.what: skipped.why for skipped in found.left_out}
    assert why[".env"] == why["deploy/id_rsa"] == "its name is typical of a file with secrets"
    assert why["link.py"] == "symlink"
    assert why["keys.txt"] == "it contains a private key"
    assert {"app.min.js", "data.bin", "empty.py", "made.py", "node_modules/x/index.js"} <= why.keys()
    assert not {"gone.py", "../elsewhere.py", "~/x.py"} & why.keys()


def test_git_says_what_is_ignored(shop: Shop) -> None:
    """In a repository a tracked file counts though a pattern names it, an untracked one does not."""
    repo = Repo(shop.root).init()
    repo.commit("start", {"kept.log": "1\n", "a.py": "x = 1\n"})
    shop.put(".gitignore", "*.log\n")
    shop.put("noise.log", "2\n")
    shop.put("new.py", "y = 1\n")
    shop.worked("kept.log", "noise.log", "a.py", "new.py", times=3)
    found = shop.ahead(repository=Repository.discover(shop.root))
    assert paths(found) == ["a.py", "kept.log", "new.py"]


def test_no_more_than_twelve(shop: Shop) -> None:
    """Twelve files at most, those at hand not among them."""
    names = [f"f{number:02}.py" for number in range(20)]
    for name in names:
        shop.put(name)
    shop.worked(*names, times=3)
    assert paths(shop.ahead()) == names[:MOST_FILES]
    assert paths(shop.ahead(most=2, without=("f00.py",))) == ["f01.py", "f02.py"]
    assert shop.ahead(most=0) == []


def test_the_budget_holds_for_the_text(shop: Shop) -> None:
    """What does not fit is passed over and named; the text takes no more than its tokens."""
    shop.put("a_huge.py", "value = 1\n" * 20_000)
    shop.put("b_large.py", "value = 1\n" * 2_000)
    shop.put("c_small.py", "value = 1\n" * 20)
    shop.worked("a_huge.py", "b_large.py", "c_small.py", times=3)
    found = shop.ahead()
    assert paths(found) == ["b_large.py", "c_small.py"]
    assert found.tokens == scripts(found.text) <= sum(f.tokens for f in found) + 20 <= 32_000
    assert [s.what for s in found.left_out] == ["a_huge.py"]
    small = shop.ahead(budget=400)
    assert paths(small) == ["c_small.py"]
    assert scripts(small.text) <= 400


PACKED = """\
## Current contents of files that similar sessions used

### a.py (used in 3 of 3 sessions that changed `auth`)
```
     1\tTOKEN = "[REDACTED:github-token]"
     2\tx = 2
```

### b.md (used in 3 of 3 sessions that changed `auth`)
````
     1\t```
     2\tcode
     3\t```
````"""


def test_the_packed_text(shop: Shop) -> None:
    """After three sessions, with evidence and numbered lines, in fences that nothing ends; tokens go."""
    shop.put("a.py", f'TOKEN = "{SECRET}"\nx = 2\n')
    shop.put("b.md", "```\ncode\n```\n")
    shop.worked("a.py", "b.md", times=2)
    assert shop.ahead().text == ""
    shop.worked("a.py", "b.md")
    assert shop.ahead().text == PACKED


@pytest.mark.parametrize(
    "path",
    [
        ".env", "conf/.env.production", "prod.env", ".netrc", ".npmrc", "certs/site.pem", "id_ed25519",
        "config/credentials.json", "db-secrets.yaml", "service-account-prod.json", ".ssh/config",
        "infra/prod.tfvars", "terraform.tfstate", "release.keystore", "k.ASC",
    ],
)  # fmt: skip
def test_names_of_secrets(path: str) -> None:
    """Names under which secrets lie."""
    assert secret_name(path)


@pytest.mark.parametrize(
    "path",
    [".env.example", "src/secrets.py", "docs/password.md", "keyboard.ts", "environment.yml", "tokens.py"],
)
def test_names_of_no_secrets(path: str) -> None:
    """Code and documents about secrets are read as any other."""
    assert not secret_name(path)
