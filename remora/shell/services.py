"""Detect programs that fetch external content: network, hosting services, clouds, databases, registries.

Their output, or the files they leave, contain text of unknown authors. A command counts if it contacts
another machine; not if it names only this machine, or a service that the project runs itself:

    curl and similar       unless they name only this machine
    git clone              from another machine: its files will be read
    psql, redis-cli        with a host or an address elsewhere; a local database is the project's
    aws, kubectl           with a verb that shows something; not a deployment, nor a cluster on this machine
    docker run, pull       of an image that the session did not build, unless a folder of the project is
                           mounted; the project's services (compose, exec, logs) count as the project
    npx -y, uvx            of a downloaded program, unless it is a check: its output is about the project
    npm view, pip show     a registry's description of a package
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise

from remora.core.programs import CHECKS, CLOUDS, DATABASES, ENGINES, FETCHERS, LOCATORS, NETWORK
from remora.shell.purposes import purpose_of

_HOSTED = frozenset("pr mr issue run ci release repo gist snippet search api discussion".split())
_HOSTED_SHOWS = frozenset(
    "view list show diff status watch download checks issues prs code commits repos clone".split()
)
_REGISTRIES = re.compile(
    r"(?:npm|yarn|pnpm|bun) (?:view|info|show|search|v)\b|pip3? (?:download|show|index|search)\b"
    r"|(?:cargo|gem|brew|apt|apt-cache|composer) (?:search|info|show)\b|(?:docker|podman) search\b"
)
LOCAL = re.compile(
    r"(?:https?://)?(?:localhost|127(?:\.\d+){3}|0\.0\.0\.0|\[::1\])(?::(?:\d+|\$\{?\w+\}?))?(?:[/?#]|$)",
    re.IGNORECASE,
)
_REMOTE = re.compile(
    r"(?:^|\.\.\.?|\^)(?:refs/)?(?:remotes/)?(?:origin|upstream)/|FETCH_HEAD|@\{u(?:pstream)?\}"
)
GIT_SHOWS = frozenset(
    "show log diff blame grep cat-file shortlog range-diff format-patch whatchanged".split()
)
_CLONES = {
    "git": ("clone",),
    "hg": ("clone",),
    "jj": ("git", "clone"),
    "svn": ("checkout", "co", "export", "cat"),
}
_FAR = re.compile(r"[a-z+]+://|(?:[\w.-]+@)?[\w-][\w.-]+:(?!\\)")  # of a repository or a file

_HOST = re.compile(r"(?:--host|--hostname|-h|-H)(?:=|\Z)|-h(?=[\w.$/])")
_IN_ADDRESS = re.compile(r"\w[\w+]*://(?:[^/@\s]*@)?(\[[^\]]*\]|[^/:?\s]*)|\bhost=(\S+)")
_OF_THIS_NETWORK = re.compile(r"127\.|0\.0\.0\.0|\[?::1|/|[\w-]*\Z|.*\.(?:local|localhost|internal)\Z")

_SHOWS = re.compile(
    r"(?:get|list|ls|describe|show|view|cat|lsd|logs?|tail|query|download|pull|export|dump|read|scan|select|"
    r"filter|search|fetch|batch-get|receive)(?:-[\w-]+)?\Z|[\w-]+:(?:list|get|log|logs|read|info|show)\Z"
)
_COPIES = frozenset("cp mv sync copy rsync".split())
_OF_THE_USER = frozenset("sts configure auth config login whoami help".split())  # no text of others
_CLUSTER_SHOWS = {
    "kubectl": frozenset("get describe logs exec run debug attach top events cp diff".split()),
    "oc": frozenset("get describe logs exec run debug attach rsh cp".split()),
    "helm": frozenset("show search pull get list status history inspect".split()),
    "stern": frozenset(),
}
_LOCAL_CLUSTER = re.compile(
    r"(?:kind|k3d)-|minikube|docker-desktop|rancher-desktop|colima|orbstack|localhost"
)
_RUN_VALUED = frozenset(  # options of `docker run` with a value
    """
    -v --volume --mount -w --workdir -e --env --env-file -p --publish --name --network --net -u --user -h
    --hostname --platform --entrypoint -m --memory --cpus --gpus --add-host -l --label --restart --shm-size
    --tmpfs --cap-add --cap-drop --security-opt --pull --device --ulimit
    """.split()
)
_HERE = re.compile(r"\.{0,2}(?:/|:|\Z)|\$\{?(?:PWD|pwd)|\$\(pwd\)|`pwd`|[^,]*(?:src|source)=(?:\.|\$)")
_SCAFFOLDS = re.compile(r"(?:@[\w-]+/)?create(?:-|\Z)|(?:degit|giget|tiged)\b")


def asked(program: str, rest: Sequence[str], own: Sequence[str] = ()) -> str:
    """Return the request of a program to another machine; empty if it makes none.

    Args:
        program: its name.
        rest: the words after it, without quotes.
        own: images that the session built, in the form of `built`.

    >>> asked("kubectl", ["logs", "web-1"]), asked("psql", ["-h", "localhost", "app"])
    ('kubectl logs web-1', '')
    >>> asked("git", ["clone", "https://x.org/r"]), asked("git", ["clone", "../app", "copy"])
    ('https://x.org/r', '')
    """
    plain = [w for w in rest if not w.startswith("-")]
    if program in NETWORK:
        return _talks(program, rest, plain)
    if program in ("gh", "glab"):
        for what, verb in pairwise(plain):
            if what in _HOSTED and (what == "api" or verb in _HOSTED_SHOWS):
                return _named(program, what, verb)
    elif _REGISTRIES.match(f"{program} {' '.join(plain[:1])}"):
        return _named(program, *plain[:2])
    elif program in _CLONES and set(plain[:2]) & set(_CLONES[program]) and (far := _first_far(plain)):
        return far
    elif program == "git":
        return _of_remote(rest, plain)
    elif program in ("rsync", "rclone") and (far := _first_far(plain[:-1])):
        return far
    elif program in DATABASES:
        return _database(program, rest)
    elif program in CLOUDS:
        return _cloud(program, rest, plain)
    elif program in _CLUSTER_SHOWS:
        shows = _CLUSTER_SHOWS[program]
        if (not shows or shows & set(plain[:2])) and not any(map(_LOCAL_CLUSTER.search, rest)):
            return _named(program, *plain[:2])
    elif program in ENGINES and plain:
        return _image(program, rest, plain, own)
    return ""


def fetched(words: Sequence[str]) -> str:
    """Return the program that is downloaded and run, unless it is a check of the project.

    >>> fetched(("npx", "-y", "some-server")), fetched(("npx", "tsx", "a.ts")), fetched(("uvx", "ruff"))
    ('npx some-server', '', '')
    """
    length = next((n for n in (1, 2) if " ".join(words[:n]) in FETCHERS), 0)
    if not length:
        return _fetched_by_go(words)
    runner, rest = words[:length], list(words[length:])
    plain = [w for w in rest if not w.startswith("-")]
    if not plain:
        return ""
    name = plain[0].partition("@")[0] or plain[0]
    scaffolds = runner[-1] in ("create", "init") or _SCAFFOLDS.match(plain[0]) is not None
    surely = {"-y", "--yes", "-p", "--package"} & set(rest) or name != plain[0] or "/" in name.lstrip("@")
    if " ".join(runner) in LOCATORS and not (surely or scaffolds):
        return ""
    return "" if purpose_of((name, *plain[1:])) in CHECKS and not scaffolds else _named(*runner, plain[0])


def _fetched_by_go(words: Sequence[str]) -> str:
    if tuple(words[:2]) not in (("go", "run"), ("deno", "run")):
        return ""
    what = next((w for w in words[2:] if not w.startswith("-")), "")
    module, at, _ = what.partition("@")
    name = module.rsplit("/", 1)[-1]
    return _named("go", "run", what) if at and "." in module and purpose_of((name,)) not in CHECKS else ""


def built(program: str, rest: Sequence[str]) -> list[str]:
    """Return the images that a command builds, as `asked` takes them.

    >>> built("docker", ["build", "-t", "app:dev", "."])
    ['image app:dev']
    """
    if program not in ENGINES or "build" not in rest:
        return []
    named = (w for before, w in pairwise(rest) if before in ("-t", "--tag"))
    return [f"image {name}" for name in (*named, *(w[6:] for w in rest if w.startswith("--tag=")))]


def _named(*words: str) -> str:
    return " ".join(words)[:80]


def _talks(program: str, rest: Sequence[str], plain: Sequence[str]) -> str:
    far = [a for w in rest if "://" in w and not LOCAL.match(a := w[max(w.find("http"), 0) :])]
    names = [
        w
        for before, w in zip(["", *rest], rest, strict=False)
        if "." in w and not w.startswith("-") and not before.startswith("-") and not LOCAL.match(w)
    ]
    if far or names or not any(LOCAL.match(w) for w in plain):
        return (far or names or [w for w in plain if "." in w] or [program])[0]
    return ""


def _first_far(words: Sequence[str]) -> str:
    return next((w for w in words if _FAR.match(w) and not LOCAL.match(w) and w[:5] != "file:"), "")


def _of_remote(rest: Sequence[str], plain: Sequence[str]) -> str:
    verb = next((w for w in plain if w in GIT_SHOWS), "")
    refs = list(rest[: rest.index("--")] if "--" in rest else rest)
    for ref in refs[refs.index(verb) + 1 :] if verb in refs else ():
        # Of a range, a log shows only the right side; so does a diff since the merge base.
        shown = ref.rpartition("..")[2] if verb == "log" or "..." in ref else ref
        if _REMOTE.search(shown) or shown == "--remotes":
            return f"git {verb} {ref}"[:80]
    return ""


def _database(program: str, rest: Sequence[str]) -> str:
    for number, word in enumerate(rest):
        option = _HOST.match(word)
        if option:
            host = word[option.end() :] or (rest[number + 1] if number + 1 < len(rest) else "")
        elif found := _IN_ADDRESS.match(word):
            host = found[1] or found[2] or ""
        elif re.match(r"\$\{?\w*(?:URL|URI|DSN)\b", word):
            host = word
        else:
            continue
        if host and not _OF_THIS_NETWORK.match(host):
            return _named(program, host)
    return ""


def _cloud(program: str, rest: Sequence[str], plain: Sequence[str]) -> str:
    if "--local" in rest or any("://" in w and LOCAL.match(w[max(w.find("http"), 0) :]) for w in rest):
        return ""
    if not plain or plain[0] in _OF_THE_USER:
        return ""
    verb = next((w for w in plain[:4] if _SHOWS.match(w) or w in _COPIES), "")
    if program == "snowsql":
        return program
    sources = list(rest)[list(rest).index(verb) + 1 : -1] if verb in _COPIES else ["://"]
    if not verb or not any("://" in source or _FAR.match(source) for source in sources):
        return ""
    return _named(program, *plain[: plain.index(verb) + 1])


def _image(program: str, rest: Sequence[str], plain: Sequence[str], own: Sequence[str]) -> str:
    verb, after = plain[0], list(rest[list(rest).index(plain[0]) + 1 :])
    if verb in ("image", "container") and len(plain) > 1:
        verb, after = plain[1], list(rest[list(rest).index(plain[1]) + 1 :])
    if verb not in ("pull", "run"):
        return ""
    if verb == "run":
        mounted = [w for b, w in pairwise(after) if b in ("-v", "--volume", "--mount")]
        mounted += [w.partition("=")[2] for w in after if w.startswith(("--volume=", "--mount="))]
        quiet = any(re.match(r"-(?=[a-zA-Z]*d)[a-zA-Z]+\Z|--detach\Z", w) for w in after)
        if quiet or any(map(_HERE.match, mounted)):
            return ""
    image = next(
        (
            w
            for before, w in zip(("", *after), after, strict=False)
            if not w.startswith("-") and before not in _RUN_VALUED
        ),
        "",
    )
    return "" if not image or f"image {image}" in own or image[0] == "$" else _named(program, verb, image)
