"""Find the project of a path, its settings and its home.

A project is a repository: its id is stored in the git configuration that all work trees share, so work
trees, subfolders and a moved folder have one memory. If that cannot be written (a read-only checkout), and
outside git, the id is a hash of the real path. A copy of a repository made with `cp` has the same id and
shares the memory; a clone starts its own.
"""

from __future__ import annotations

import hashlib
import os
import re
import tomllib
from collections.abc import Mapping
from contextlib import ExitStack, closing, suppress
from pathlib import Path
from typing import Any, NamedTuple

from remora.app.project import homes
from remora.core.config import Settings, parse
from remora.core.errors import ConfigError, InvalidInput, SourceError, StoreError, StoreReadOnly
from remora.disk.files import keep_to_oneself, lock, make_folder, os_errors, read_small
from remora.disk.places import data_folder
from remora.sources.git import Repository

ID_KEY = "remora.project"
SETTINGS_FILE = "remora.toml"
DATABASE = "memory.db"


class Location(NamedTuple):
    """A project and its place on disk.

    Attributes:
        id: 16 hex digits, the same from every work tree and subfolder.
        name: display name; the repository's folder name when the home was created.
        root: top of the work tree (the folder itself outside git).
        home: folder of its database, logs and notes.
        repository: None outside git.
        foreign: a home that the settings name and that is not this user's own: none of its files is opened.
    """

    id: str
    name: str
    root: Path
    home: Path
    repository: Repository | None
    foreign: Path | None = None


class KnownProject(NamedTuple):
    """A project: its key (the name of its home), the path of its folder, and the folder's name."""

    key: str
    root: str
    name: str


def data_dir(environ: Mapping[str, str]) -> Path:
    """Return the folder of all data: REMORA_HOME, else the platform's data folder."""
    return Path(data_folder(environ))


def config_dir(environ: Mapping[str, str]) -> Path:
    """Return the folder of the user's own settings."""
    if environ.get("REMORA_CONFIG"):
        return Path(environ["REMORA_CONFIG"]).expanduser()
    import platformdirs

    return Path(platformdirs.user_config_dir("remora", appauthor=False))


def user_file(environ: Mapping[str, str]) -> Path:
    """Return the path of the user's own settings, `config.toml`."""
    return config_dir(environ) / "config.toml"


def settings_for(root: Path, environ: Mapping[str, str]) -> Settings:
    """Read the user's settings, the repository's remora.toml and the environment.

    Raises:
        ConfigError: the user's file is not TOML, or a setting of the user's is unknown or wrong. Wrong
            settings of a repository are ignored (`ignored_settings` lists them).
    """
    files = {str(user_file(environ)): set_by_user(environ)}
    mine = parse(files, environ)
    own, _ = of_repository(root)
    # A repository can switch injection off, but not on against the user's settings.
    if own.get("inject") and not mine.inject.enabled:
        del own["inject"]
    return parse({**files, str(root / SETTINGS_FILE): own}, environ)


def set_by_user(environ: Mapping[str, str]) -> dict[str, Any]:
    """Return the content of the user's settings file; empty if there is none.

    Raises:
        ConfigError: the file is not TOML, or cannot be read.
    """
    path = user_file(environ)
    try:
        return _parsed(path.resolve())  # may be a link to a file elsewhere
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise ConfigError(f"{path} is not valid TOML: {error}", hint="Fix or remove it.") from None
    except StoreError as error:
        raise ConfigError(str(error)) from error


def _parsed(path: Path) -> dict[str, Any]:
    return tomllib.loads((read_small(path) or b"").decode("utf-8"))


def of_repository(root: Path) -> tuple[dict[str, Any], tuple[str, ...]]:
    """Return the settings that a repository's file may set, and a line for each that is ignored."""
    try:
        return allowed_in_repository(_parsed(root / SETTINGS_FILE), root)
    except (tomllib.TOMLDecodeError, UnicodeDecodeError, RecursionError) as error:
        return {}, (f"{SETTINGS_FILE} is not valid TOML ({error}); the whole file is ignored",)
    except StoreError as error:
        return {}, (f"{error}; it is ignored",)


def allowed_in_repository(content: Mapping[str, Any], root: Path) -> tuple[dict[str, Any], tuple[str, ...]]:
    """Return the settings that a repository may set, and a line for each that is ignored.

    A cloned repository may choose a home inside itself, change its search, and switch off injection. It must
    not be able to send memories anywhere or to switch injection on.
    """
    kept: dict[str, Any] = {}
    ignored: list[str] = []
    for name, value in content.items():
        parts = value.items() if isinstance(value, Mapping) else [("", value)]
        for key, one in parts:
            full = f"{name}.{key}" if key else name
            if why := _why_not(full, one, root):
                ignored.append(f"{full} is ignored: {why}")
            elif key:
                kept.setdefault(name, {})[key] = one
            else:
                kept[name] = one
    return kept, tuple(ignored)


def _why_not(name: str, value: Any, root: Path) -> str:
    """Return why a repository may not set a setting; empty if it may."""
    if name == "home":
        inside = isinstance(value, str) and _inside(value, root)
        return "" if inside else "the home must be inside the repository"
    if name == "inject.enabled":
        return "" if value is False else "a repository can only switch it off"
    if not name.startswith("search."):
        return "a repository may set only home, search.* and inject.enabled"
    try:
        parse({SETTINGS_FILE: {"search": {name.removeprefix("search."): value}}}, {})
    except ConfigError as error:
        return str(error).partition(": ")[2]
    return ""


def ignored_settings(root: Path) -> tuple[str, ...]:
    """Return a line for each ignored setting of a repository's remora.toml."""
    return of_repository(root)[1]


def _inside(home: str, root: Path) -> bool:
    path = Path(home)
    if not home or path.is_absolute() or home.startswith("~") or ".." in path.parts or "\0" in home:
        return False
    place = root / path
    try:
        real, top = place.resolve(), root.resolve()
    except (OSError, RuntimeError, ValueError):
        return False
    inner = real.relative_to(top).parts if real.is_relative_to(top) else ()
    git = any(part.casefold() == ".git" for part in inner)  # also of a submodule; some disks ignore case
    return bool(inner) and not git and real == top / path and not place.is_symlink()


def locate(path: Path, environ: Mapping[str, str], *, read_only: bool = False) -> tuple[Location, Settings]:
    """Return the project of a path and its settings; a repository gets its id on first use.

    Args:
        path: a folder or file in the project.
        environ: the process environment.
        read_only: write nothing; a repository without an id has no memory yet.

    Raises:
        InvalidInput: the path is not an existing folder or file.
        ConfigError: see `settings_for`.
        SourceError: git refuses the repository.
        StoreError: the folder of all projects cannot be read.
    """
    try:
        there = path.exists()
    except OSError:  # the name is too long, or a parent folder is not accessible
        there = False
    if not there:
        raise InvalidInput(f"{path} does not exist", hint="Name an existing folder.")
    real = path.resolve()
    repository = Repository.discover(real)
    root = repository.root if repository else (real if real.is_dir() else real.parent)
    settings = settings_for(root, environ)
    projects = data_dir(environ) / "projects"
    project_id = _identity(repository, root, projects, read_only=read_only)
    tree = shared_root(repository, root)
    foreign = None
    home, name = Path(settings.home).expanduser(), tree.name
    home = home if home.is_absolute() else tree / home
    if settings.home and _lies_in(home, tree) and not _may_be_home(home, tree, repository, environ):
        foreign = home
    if not settings.home or foreign is not None:
        home, name = _home(projects, tree.name, project_id)
    return Location(project_id, name, root, home, repository, foreign), settings


def _lies_in(home: Path, tree: Path) -> bool:
    return home.is_relative_to(tree) or home.resolve().is_relative_to(tree.resolve())


def _may_be_home(home: Path, tree: Path, repository: Repository | None, environ: Mapping[str, str]) -> bool:
    if home.is_relative_to(tree) and home.resolve() != tree.resolve() / home.relative_to(tree):
        return False  # a link leads out of it
    if homes.is_own(home, repository, data_dir(environ)):
        return True
    # A home with a committed ignore file would be foreign at the next call.
    return homes.is_free(home) and not (home.exists() and repository and homes.tracked(home, repository))


def make_home(project: Location, environ: Mapping[str, str]) -> None:
    """Create the project's home; in the work tree it gets an ignore file and a key (see `homes`)."""
    make_folder(project.home)
    keep_to_oneself(project.home)
    tree = shared_root(project.repository, project.root)
    if _lies_in(project.home, tree):
        if homes.is_free(project.home):
            homes.claim(project.home, data_dir(environ))
        if project.repository is not None:
            homes.ignore_all(project.home)


def branch_of(repository: Repository | None) -> str | None:
    """Return the branch that is checked out, None without one; git runs only if its files do not tell.

    Every search calls this, and a git process costs more than the rest of a search.
    """
    if repository is None:
        return None
    try:
        head = (repository.git_dir / "HEAD").read_text("utf-8").strip()
    except (OSError, UnicodeDecodeError):
        head = ""
    if head.startswith(_ON_BRANCH) and head != _ELSEWHERE:
        return head.removeprefix(_ON_BRANCH)
    if _SHA.fullmatch(head):
        return None
    try:
        return repository.branch()
    except SourceError:
        return None


def commit_of(repository: Repository | None) -> str | None:
    """Return the commit that is checked out, read from git's files; None without one.

    `remember` calls this, so it must not start a process. None as well if references are stored in tables.
    """
    if repository is None:
        return None
    try:
        head = (repository.git_dir / "HEAD").read_text("utf-8").strip()
        if not head.startswith("ref: "):
            return head if _SHA.fullmatch(head) else None
        name = head.removeprefix("ref: ")
        loose = repository.common_dir / name
        if loose.is_file():
            found = loose.read_text("utf-8").strip()
            return found if _SHA.fullmatch(found) else None
        for line in (repository.common_dir / "packed-refs").read_text("utf-8").splitlines():
            sha, _, packed = line.partition(" ")
            if packed == name and _SHA.fullmatch(sha):
                return sha
    except (OSError, UnicodeDecodeError):
        pass
    return None


_SHA = re.compile(r"[0-9a-f]{40,64}")
_ON_BRANCH = "ref: refs/heads/"
_ELSEWHERE = "ref: refs/heads/.invalid"  # git's placeholder when references are stored in tables


def shared_root(repository: Repository | None, root: Path) -> Path:
    """Return the folder that all work trees share: the main work tree if there is one."""
    if repository is None or repository.bare or repository.git_dir == repository.common_dir:
        return root
    return repository.common_dir.parent


def _identity(repository: Repository | None, root: Path, projects: Path, *, read_only: bool) -> str:
    if repository is None:
        return _hash(f"folder:{root}")
    found = _written_id(repository)
    if found is not None:
        return found
    fallback = _hash(f"repository:{repository.common_dir}")
    if read_only:
        return fallback
    # The lock makes concurrent processes find the id that the first one wrote.
    with ExitStack() as stack:
        with suppress(StoreReadOnly):  # the home may lie elsewhere, in the repository itself
            stack.enter_context(lock(projects / "new-project"))
        found = _written_id(repository)
        if found is not None:
            return found
        used = projects.is_dir() and any(projects.glob(f"*-{fallback}"))
        fresh = fallback if used else _hash(f"repository:{repository.common_dir}:{os.urandom(16).hex()}")
        if repository.config_set(ID_KEY, fresh):
            return fresh
    return fallback


def _written_id(repository: Repository) -> str | None:
    found = repository.config_get(ID_KEY)
    return found if found and re.fullmatch(r"[0-9a-f]{16}", found) else None


def _hash(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogateescape")).hexdigest()[:16]


def _home(projects: Path, name: str, project_id: str) -> tuple[Path, str]:
    """Return the home of an id and the project's name, which dates from the creation of the home."""
    with os_errors(projects, "read the folder"):
        for folder in sorted(projects.glob(f"*-{project_id}")) if projects.is_dir() else ():
            return folder, folder.name.removesuffix(f"-{project_id}")
    slug = re.sub(r"[^A-Za-z0-9._-]+", "-", name).strip("-.") or "project"
    return projects / f"{slug[:60]}-{project_id}", slug[:60]


def known_projects(environ: Mapping[str, str]) -> list[KnownProject]:
    """Return the projects in the data folder that have a database and whose folder exists, by name."""
    from remora.store.hook_reader import look  # hooks and help need no list

    found = []
    for database in sorted((data_dir(environ) / "projects").glob(f"*/{DATABASE}")):
        hook_reader = look(str(database))
        if hook_reader is None:
            continue
        with closing(hook_reader):
            root = hook_reader.root()
        if root and Path(root).is_dir():
            found.append(KnownProject(database.parent.name, root, Path(root).name))
    return sorted(found, key=lambda one: (one.name.lower(), one.key))
