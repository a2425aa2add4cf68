"""What a path says: inside the repository or not, configuration, a lock file, documentation, its module."""

from __future__ import annotations

import posixpath
import re
from functools import lru_cache
from typing import NamedTuple

from remora.core.drives import below, forward, has_drive

# All compared in lower case: `Cargo.toml` is configuration too.
_CONFIG_NAMES = frozenset(
    """
    package.json tsconfig.json jsconfig.json pyproject.toml setup.py setup.cfg requirements.txt tox.ini
    pytest.ini cargo.toml go.mod go.work makefile justfile taskfile.yml dockerfile docker-compose.yml
    docker-compose.yaml compose.yaml compose.yml mise.toml .mise.toml .tool-versions .editorconfig .env
    .env.example .gitignore .gitattributes .dockerignore .npmrc .nvmrc .babelrc .prettierrc .eslintrc
    .pre-commit-config.yaml cmakelists.txt pom.xml build.gradle build.gradle.kts settings.gradle
    gradle.properties gemfile rakefile composer.json mix.exs deno.json turbo.json nx.json lerna.json
    pnpm-workspace.yaml .gitlab-ci.yml jenkinsfile codecov.yml renovate.json .goreleaser.yaml
    .goreleaser.yml biome.json mypy.ini .flake8 ruff.toml .rubocop.yml appsettings.json .swiftlint.yml
    bunfig.toml wrangler.toml vercel.json netlify.toml procfile .importlinter
    """.split()
)
_CONFIG = re.compile(
    r"(?:^|/)(?:\.github/workflows/[^/]+\.ya?ml|\.circleci/.+|\.?[\w-]+\.config\.[cm]?[jt]s|\.golangci\.\w+"
    r"|\.?(?:eslintrc|prettierrc|babelrc|stylelintrc)\.\w+|tsconfig\.[\w.-]+\.json|requirements[\w.-]*\.txt"
    r"|dockerfile\.[\w-]+|[\w-]+\.dockerfile|docker-compose\.[\w-]+\.ya?ml|[\w.-]+\.(?:csproj|sln"
    r"|gemspec|cabal|tf))$"
)
_LOCKS = re.compile(
    r"(?:^|/)(?:package-lock\.json|yarn\.lock|pnpm-lock\.yaml|bun\.lockb?|cargo\.lock|poetry\.lock"
    r"|uv\.lock|go\.sum"
    r"|gemfile\.lock|composer\.lock|mix\.lock|flake\.lock|pipfile\.lock|podfile\.lock)$"
)
_DOCS = re.compile(r"\.(?:md|mdx|rst|txt|adoc)$|(?:^|/)(?:license|notice|changelog|readme)[^/]*$")
_TEST = re.compile(
    r"(?:^|/)(?:tests?|spec|__tests__|integration_test)/|(?:^|/)test_[^/]*$|[_.-](?:test|spec)s?\.\w+$"
)
_INSTALLED = re.compile(r"(?:^|/)(?:node_modules|bower_components|(?:site|dist)-packages)(?:/|$)")
_SHOWN = re.compile(
    r"^((?>(?:[\w@.+-]*/)*?(?:node_modules|(?:site|dist)-packages)/)[^\s:]+)[:-]\d+[:-]", re.MULTILINE
)
_HOME = re.compile(r"^\$(?:HOME\b|\{HOME\})")
_HERE = re.compile(r"^\$(?:PWD\b|\{PWD\}|\(pwd\))")
_WORK_TREE = re.compile(r"/(?:\.claude/worktrees|\.worktrees)/.*")


class Home(NamedTuple):
    """What of the file system is a session's own: the repository, and files that the session wrote itself.

    Attributes:
        root: the absolute folder of the repository; empty if unknown.
        own: absolute paths of single files.
    """

    root: str = ""
    own: tuple[str, ...] = ()

    def has(self, path: str, folder: str = "") -> bool:
        """Say whether a path, as seen from a folder, is at home; whole parts of paths are compared.

        >>> home = Home("/w/app", ("/tmp/x",))
        >>> [home.has(p) for p in ("/w/app/a", "/w/app-fork/a", "/tmp/x", "/tmp/xyz", "../b", "~/../c", "a")]
        [True, False, True, False, False, False, True]
        """
        path = joined(folder, path.replace("\\", "/") if has_drive(self.root) else path)
        if path[0] not in "/~" and not has_drive(path):
            return path != ".." and not path.startswith("../")
        return path in self.own or (bool(self.root) and within(path, self.root))


class Place(NamedTuple):
    """Where a command line was run: its folder, and that where the session began; absolute where known."""

    folder: str
    home: str


def within(path: str, folder: str) -> bool:
    """Say whether a path is a folder or lies in it.

    >>> within("/w/app/a", "/w/app"), within("/w/app-fork", "/w/app")
    (True, False)
    """
    return below(path, folder) is not None


def repository(cwd: str) -> str:
    """Return the folder of the repository that a session began in: of a work tree, what holds it.

    >>> repository("/w/app/.worktrees/fix/web"), repository("/w/app/")
    ('/w/app', '/w/app')
    """
    return _WORK_TREE.sub("", cwd).rstrip("/")


def written_out(path: str) -> str:
    """Return a path of a command line without the variables that stand for home and for the folder itself."""
    return _HERE.sub(".", _HOME.sub("~", path))


def joined(folder: str, path: str) -> str:
    r"""Return a path of a command line as it is seen from a folder.

    >>> joined("/w/app", "../b"), joined("/w/app", "$HOME/c"), joined("/w/app", "/d//e")
    ('/w/b', '~/c', '/d/e')
    >>> joined("C:/w/app", "..\\b"), joined("C:/w/app", "c:\\d"), joined("/w/app", "a\\b")
    ('C:/w/b', 'C:/d', '/w/app/a\\b')
    """
    path = forward(written_out(path))
    path = path.replace("\\", "/") if has_drive(folder) else path
    whole = path if path[:1] == "~" or has_drive(path) else posixpath.join(folder, path)
    return whole if whole[:1] == "~" else posixpath.normpath(whole)  # nobody knows what is above a `~`


def entered(folder: str, to: list[str]) -> str:
    """Return the folder after a `cd`; a place that only a variable knows changes nothing.

    >>> entered("/w/app", ["web"]), entered("/w/app", ["../b"]), entered("/w/app", ["$X"]), entered("/w", [])
    ('/w/app/web', '/w/b', '/w/app', '~')
    """
    path = written_out(next((w for w in to if not w.startswith("-")), "" if to else "~"))
    return folder if not path or path.startswith(("$", "`")) else joined(folder, path)


def seen_from(home: str, folder: str) -> str | None:
    """Return a folder as seen from where a session began, "" for that itself, None outside of it.

    So is what lies around that, as for a session that began in a part of its repository, and a work tree in
    it, of which nothing tells where it begins.

    >>> [seen_from("/w/app", f) for f in ("/w/app/web", "/w/app", "/w", "/w/b", "/w/app/.worktrees/x/web")]
    ['web', '', '', None, '']
    >>> seen_from("", "web"), seen_from("", ""), seen_from("", "../b"), seen_from("", "~/x")
    ('web', '', None, None)
    """
    if folder == home or _WORK_TREE.search(folder.removeprefix(home)):
        return ""
    if not folder.startswith("/") and not has_drive(folder):
        return None if folder.startswith(("~", "..")) else "" if folder == "." else folder
    if not home or within(home, folder):
        return ""
    return below(folder, home)


@lru_cache(256)
def placed(home: str, said: str) -> Place:
    """Return where a call is run that says its folder, in a session that began in `home`.

    Another checkout, as on another machine, is at home where it is.
    """
    folder = joined(home, said) if said else home
    outside = not home or seen_from(home, folder) is None
    return Place(folder, folder if outside else home)


def inside(path: str) -> bool:
    """Say whether a path is of the repository: relative, and not above it.

    >>> inside("a/b.go"), inside("/etc/hosts"), inside("../x"), inside("C:/x"), inside("")
    (True, False, False, False, False)
    """
    return (
        bool(path)
        and path[0] not in "/~"
        and path != "."
        and not path.startswith("..")
        and not has_drive(path)
    )


def is_config(path: str) -> bool:
    """Say whether a file is configuration that other files depend on; lock files are not.

    >>> is_config("Cargo.toml"), is_config(".github/workflows/ci.yml"), is_config("src/config.go")
    (True, True, False)
    """
    lower = path.lower()
    return lower.rsplit("/", 1)[-1] in _CONFIG_NAMES or _CONFIG.search(lower) is not None


def third_party(path: str) -> bool:
    """Say whether a file lies among installed packages: the text of strangers, inside of the repository too.

    >>> third_party("node_modules/x/readme.md"), third_party("src/node_modules.ts")
    (True, False)
    """
    return _INSTALLED.search(path) is not None


def found_installed(text: str) -> str:
    r"""Return the first file of an installed package of which the finds of a search show a line.

    >>> found_installed("src/a.js:3: import x\nnode_modules/x/a.js:7: // text")
    'node_modules/x/a.js'
    """
    found = _SHOWN.search(text) if "_modules/" in text or "-packages/" in text else None
    return found[1] if found else ""


def is_lock(path: str) -> bool:
    """Say whether a file is written by a package manager.

    >>> is_lock("web/package-lock.json"), is_lock("go.mod")
    (True, False)
    """
    return _LOCKS.search(path.lower()) is not None


def is_doc(path: str) -> bool:
    """Say whether a file is prose."""
    return _DOCS.search(path.lower()) is not None


def is_test(path: str) -> bool:
    """Say whether a file holds tests, by its name or folder.

    >>> is_test("a/b_test.go"), is_test("tests/x.py"), is_test("a/contest.go")
    (True, True, False)
    """
    return _TEST.search(path) is not None


def folder(path: str) -> str:
    """Return the folder of a path; "." at the root."""
    return path.rsplit("/", 1)[0] if "/" in path else "."


def stem(path: str) -> str:
    """Return the name of a file without its ending and without what marks a test, lower-case.

    >>> stem("cli/clean_test.go"), stem("x/Clean.tsx")
    ('clean', 'clean')
    """
    name = path.rsplit("/", 1)[-1].split(".", 1)[0].lower()
    return re.sub(r"^test_|[_.-](?:tests?|spec)$", "", name)
