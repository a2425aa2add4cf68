"""What programs are for: the usual tools of many languages, and how they run one another."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import lru_cache

ASSIGNMENT = re.compile(r"[A-Za-z_]\w*=")
FILTERS = frozenset(
    "head tail grep egrep rg less more wc sort uniq cat tee cut tr jq sed awk column fold nl".split()
)  # at the end of a pipe: what comes out of it is only looked at
CHECKS = ("format", "lint", "test", "build")  # what work is checked with, in the order in which it is run


def _names(text: str) -> frozenset[str]:
    """Return the names in a text; a middle dot stands for the space inside one."""
    return frozenset(name.replace("·", " ") for name in text.split())


# What runs the rest of a line: which of its options take a value, and how many words of its own follow them.
_RUNNERS: dict[str, tuple[frozenset[str], int]] = {
    **dict.fromkeys(_names("sudo env nice"), (_names("-u -g -n -C"), 0)),
    **dict.fromkeys(_names("timeout gtimeout"), (_names("-k -s --kill-after --signal"), 1)),
    **dict.fromkeys(_names("npx bunx uvx pnpx"), (_names("-p --package --from --with --python"), 0)),
    **dict.fromkeys(_names("time nohup command exec xvfb-run caffeinate stdbuf"), (frozenset(), 0)),
    "uv run": (
        _names("""
            --extra --with --with-editable --with-requirements --group --only-group --no-group --python -p
            --package --project --directory --env-file --index --index-url --default-index
        """),
        0,
    ),
    **dict.fromkeys(
        _names("poetry·run pipenv·run pdm·run rye·run hatch·run"),
        (_names("-C --directory -P --project -p -e --env"), 0),
    ),
    **dict.fromkeys(
        _names("pnpm·exec pnpm·dlx yarn·dlx yarn·exec npm·exec bundle·exec mise·exec mise·x direnv·exec"),
        (_names("-C --filter -F -p --package -w --workspace --package"), 0),
    ),
    **dict.fromkeys(_names("python·-m python3·-m py·-m coverage·run"), (_names("--source --rcfile"), 0)),
    "conda run": (_names("-n -p --name --prefix --cwd"), 0),
}
# The same in a container: what is run there sees other files.
_IN_CONTAINERS = dict.fromkeys(
    _names("docker·exec podman·exec kubectl·exec docker·compose·exec docker·compose·run docker-compose·exec"),
    (_names("-e -u -w -n -c -v --env --user --workdir --namespace --container --index"), 1),
)
_VERSIONED = re.compile(r"(python|pip)3?(?:\.\d+)?")
# Options of a program that take a value and stand before what it is asked to do.
_FIRST = {
    **dict.fromkeys(("npm", "pnpm", "yarn"), _names("--prefix -w --workspace -C --dir --filter -F --cwd")),
    **dict.fromkeys(("make", "just", "task", "go", "mise"), _names("-C -f -d --directory --file --dir")),
    "cargo": _names("--manifest-path --config -C"),
    **dict.fromkeys(("tox", "nox"), _names("-c -f --noxfile")),
}
_OWN_SCRIPTS = _names("hatch·run pdm·run rye·run pipenv·run")  # also run scripts of the project by name
_MANAGERS = _names("npm yarn pnpm mvn mvnw deno composer mise bun")  # know tasks without a word before them
_SEVERAL = _names(
    "make rake gradle gradlew mvn mvnw just task ant"
)  # run several tasks, as `make clean test`
_MANAGING = _names("manage.py artisan setup.py")  # scripts that are such managers
# Programs that run a task of the project by its name; the name says what for.
_TASKS = _names("""
    make just task rake invoke inv ant gulp grunt nox tox earthly mise·run mise·r npm·run npm·run-script
    yarn·run pnpm·run bun·run deno·task composer·run composer·run-script poe turbo turbo·run nx nx·run
    gradle gradlew rails mage dagger hatch
""")
_PIECES = re.compile(r"[:_.\-/]+|(?<=[a-z])(?=[A-Z])")
_GENERAL = _names("check checks ci verify all run")  # say little: another word of the name tells more
_TASK_OF: tuple[tuple[str, re.Pattern[str]], ...] = tuple(
    (purpose, re.compile(rf"\A(?:{'|'.join(pattern.split())})", re.IGNORECASE))
    for purpose, pattern in (
        (
            "test",
            r"""tests? testing test(?:all|suite|fast|unit|s?ci) specs? e2e bench\w* checks? checkall ci verify
            cov coverage unit integration smoke
            (?:unit|int|integration|py|doc|func|functional|acceptance|smoke|load|go|js|all|api|ui)tests?""",
        ),
        (
            "lint",
            r"""\w*lint(?:ers?|ing)? vet typecheck(?:s|ing)? types? mypy pyright analy[sz]e audit clippy
            static ruff flake8 tsc shellcheck""",
        ),
        ("format", r"fmt format(?:ting|ter)? prettier style tidy black isort gofmt rustfmt"),
        (
            "build",
            r"""build\w* compile dist bundle install gen generate codegen assemble package release all
            proto\w* deps setup""",
        ),
        ("run", r"run dev serve server start watch up demo preview"),
    )
)
# Program and subcommand, or program alone; the longer name is tried first.
_PROGRAMS: dict[str, str] = {
    "test": """
        go·test gotestsum pytest py.test unittest nosetests jest vitest mocha ava karma cargo·test
        cargo·nextest npm·test npm·t yarn·test pnpm·test bun·test deno·test mvn·test mvn·verify
        rspec minitest phpunit pest dotnet·test ctest bazel·test swift·test mix·test playwright·test
        cypress·run flutter·test dart·test behave lein·test sbt·test stack·test cabal·test zig·test
        hatch·test tox nox bats busted rails·test prove composer·test
    """,
    "lint": """
        golangci-lint go·vet staticcheck revive ruff·check ruff flake8 pylint mypy pyright
        basedpyright ty bandit eslint tslint stylelint oxlint biome·lint biome·check biome
        cargo·clippy cargo·check shellcheck hadolint rubocop phpstan psalm phpcs ktlint detekt
        swiftlint actionlint yamllint markdownlint pre-commit buf·lint terraform·validate tflint
        mix·credo credo dart·analyze flutter·analyze lint-imports deno·lint cppcheck clang-tidy
        govulncheck checkstyle hlint vulture semgrep xo standard
    """,
    "format": """
        gofmt goimports gofumpt go·fmt black isort ruff·format prettier cargo·fmt rustfmt
        clang-format dart·format mix·format terraform·fmt biome·format swiftformat shfmt stylua
        php-cs-fixer yapf autopep8 deno·fmt zig·fmt ormolu fourmolu buf·format google-java-format
        cog
    """,
    "build": """
        go·build go·install go·generate go·mod go·get cargo·build cargo·add npm·install npm·i npm·ci
        npm·pack yarn yarn·install yarn·add pnpm·install pnpm·i pnpm·add bun·install bun·add
        pip·install pip3·install uv·sync uv·add uv·pip uv·lock poetry·install poetry·add poetry·lock
        pipenv·install tsc webpack rollup vite·build esbuild mvn·package mvn·install mvn·compile
        cmake ninja meson bazel·build docker·build podman·build dotnet·build dotnet·restore
        swift·build javac kotlinc gcc g++ clang clang++ cc c++ rustc goreleaser bundle·install
        composer·install composer·update mix·compile mix·deps.get gem·install brew·install apt-get
        apt mise·install stack·build cabal·build sbt·compile lein·compile zig·build flutter·build
        next·build make·install build
    """,
    "vcs": """
        git gh glab hg svn jj gt
    """,
    "run": """
        go·run cargo·run python python3 py node deno·run bun ruby perl php java docker·run
        docker·compose docker-compose npm·start yarn·start pnpm·start dotnet·run bash sh zsh
        swift·run flutter·run mix·run iex uvicorn gunicorn flask streamlit next·dev vite podman·run
        kubectl terraform ansible-playbook
    """,
    "look": """
        ls cat head tail less more find fd grep egrep rg ag ack wc tree file stat du df pwd which
        type env printenv ps lsof sed awk jq yq diff cmp date whoami uname hostname strings xxd
        hexdump od bat eza go·doc go·list go·env go·version npm·ls npm·view pip·list pip·show
        pip·freeze docker·ps docker·logs cd echo printf test md5 shasum sha256sum realpath dirname
        basename history top man sqlite3 ast-grep tokei cloc scc column
    """,
}
_BUILDS = re.compile(
    r"build|compile|bundle|assemble|package\b|\btsc\b|\ball$|\bjavac\b|\bg?cc\b|\bninja\b|\bcmake\b"
)
_TOOL = r"^(?:\S*/)?(?:(?:npm|pnpm|yarn|bun)\s(?:(?:run|exec)\s)?)?"  # also by a path, or by its manager
# What looks at no code, or is no whole command: nobody knows the variable of a loop outside of it. What is
# no usual name for that is a setting, and set wherever the command is run.
_IDLE = re.compile(
    r"\s(?:--?(?:help|version|no-run|collect-only|co|list|list-?[tT]ests|show-?[cC]onfig|print-config)|-h)"
    rf"(?=[\s=]|$)|{_TOOL}ctest\b.*\s(?:-N|--show-only)\b"
    rf"|{_TOOL}(?:vitest|cargo(?:\s\+\S+)?\snextest|tox)\slist(?=\s|$)"
    r"|\$\{?(?:\w|(?:test_?)?(?:file|dir|path)(?:name)?|fname|folder|pkg|package|module|mod|crate|test|spec"
    r"|item|line)\b"
)
_DRY = re.compile(r"\s--(?:dry-run|just-print)\b")  # of a formatter: checks
_DRY_MAKE = re.compile(r"^(?:make|ninja|rake)\b.*\s-n\b")
_QUOTED = re.compile(r"""'[^']*(?:'|\Z)|"(?:\\.|[^"\\])*(?:"|\Z)""", re.DOTALL)  # options of another program
_RENEWS = re.compile(
    r"\s--?(?:snapshot-update|update-?[sS]napshots?|bless|accept)\b"
    r"|^(?:\S*/)?(?:jest|vitest|ava|playwright|npm|pnpm|yarn|bun)\s(?:.*\s)?-u(?=\s|$)"
)  # tests nothing
_SAYING = 3  # words of an unknown program that may say what it is for, its name first
_PLAIN_WORD = re.compile(r"-{0,2}[A-Za-z][\w:.-]*")
_HANDS = _names("mkdir rmdir rm cp mv ln touch chmod chown kill pkill xargs tee tar zip unzip test [ [[")
_PURPOSE = {name: purpose for purpose, programs in _PROGRAMS.items() for name in _names(programs)}
PROGRAMS = frozenset(
    name.partition(" ")[0] for table in (_PURPOSE, _RUNNERS, _IN_CONTAINERS) for name in table
) | _names(
    """make just npm npx pnpm yarn bun pip pip3 uv poetry cargo go docker podman kubectl helm rails rake
    bundle gem brew
    prisma alembic flyway knex psql mysql redis-cli mongosh aws gcloud az fly flyctl heroku vercel netlify
    wrangler
    systemctl ssh scp rsync curl wget rm mv cp chmod chown kill terraform ansible nix supabase firebase
    gradle gradlew
    mvn dotnet composer php artisan mix deno conda pipenv tsc"""
)
# Words that the usual checks are made of: their programs, what these are asked to do, and what runs them.
VOCABULARY = frozenset(
    word
    for name in (*(n for n, p in _PURPOSE.items() if p in CHECKS), *_RUNNERS, *_TASKS, *_MANAGERS)
    for word in name.split()
)
RANK = {p: i for i, p in enumerate(("test", "lint", "build", "format", "run", "vcs", "other", "look"))}


@lru_cache(maxsize=1024)
def purpose_of(words: tuple[str, ...]) -> str:
    """Return what one program's words are for.

    >>> purpose_of(("npx", "tsc", "--noEmit")), purpose_of(("mise", "run", "test:ci"))
    ('lint', 'test')
    >>> purpose_of(("uv", "run", "--extra", "dev", "pytest")), purpose_of(("make", "-C", "web", "lint"))
    ('test', 'lint')
    """
    own_scripts = " ".join(words[:2]) in _OWN_SCRIPTS
    words = _without(unwrapped(words), _IN_CONTAINERS)
    if not words:
        return "other"
    first = words[0].rsplit("/", 1)[-1] if "/" in words[0] else words[0]
    rest = _asked(first, words[1:])
    two = f"{first} {rest[0]}" if rest else first
    if first in ("sed", "perl", "awk") and any(w.startswith(("-i", "--in-place")) for w in words[1:]):
        return "other"  # it changes files
    if first == "tsc" and "--noEmit" in words:
        return "lint"
    if first in ("gofmt", "ruff") and "-l" in words and "-w" not in words:
        return "lint"
    if first in _MANAGING or (rest and rest[0] in _MANAGING):
        asked = rest if first in _MANAGING else rest[1:]
        return (_task(asked[0]) if asked else "other").replace("other", "run")
    for program, names in ((two, rest[1:]), (first, rest)):
        if program in _TASKS and (names or first == "make"):
            told = [_task(name) for name in (names if first in _SEVERAL else names[:1]) or ["all"]]
            return next((purpose for purpose in told if purpose != "other"), _PURPOSE.get(program, "other"))
    if first in _MANAGERS and rest and two not in _PURPOSE:
        told = [_task(name) for name in (rest if first in _SEVERAL else rest[:1])]
        return next((purpose for purpose in told if purpose != "other"), _PURPOSE.get(rest[0], "other"))
    known = _PURPOSE.get(two) or _PURPOSE.get(first)
    if own_scripts and (first == "test" or not known) and (purpose := _task(first)) != "other":
        return purpose
    if known:
        return known
    return "run" if words[0].startswith(("./", "../")) or words[0].endswith((".sh", ".py")) else "other"


def check_of(words: tuple[str, ...]) -> str:
    """Return what a program's words check work with, one of CHECKS; empty where they check nothing.

    What only installs, or generates, is for a build and checks nothing; nor does what only lists or compiles
    tests or renews what they expect, says what it would do, or lacks the variable of a loop around it.

    >>> check_of(("go", "vet")), check_of(("go", "build")), check_of(("pip", "install", "requests"))
    ('lint', 'build', '')
    >>> check_of(("pytest", "--co")), check_of(("npm", "test", "--", "-u")), check_of(("pytest", "$f"))
    ('', '', '')
    >>> check_of(("rtk", "bun", "run", "test")), check_of(("node", "scripts/lint-docs.mjs"))
    ('test', 'lint')
    """
    if words[:2] in (("command", "-v"), ("command", "-V")):
        return ""  # it only asks where a program is
    purpose = purpose_of(words)
    if purpose in ("run", "other"):
        behind = unwrapped(words)[1:]  # of a program that nobody knows and that runs another one
        known = purpose_of(behind) if purpose == "other" and _program(words) not in _HANDS else ""
        purpose = known if known in CHECKS else _said(words, script=purpose == "run")
    if purpose not in CHECKS or (purpose == "build" and not _BUILDS.search(" ".join(words))):
        return ""
    plain = " ".join(_without(unwrapped(words), _IN_CONTAINERS))
    dry = _DRY.search(plain) or _DRY_MAKE.search(_QUOTED.sub("", plain))
    idle = _IDLE.search(plain) or (purpose != "format" and dry)
    return "" if idle or (purpose == "test" and _RENEWS.search(plain)) else purpose


def could_check(words: tuple[str, ...]) -> bool:
    """Return whether a program may be a check though its words do not say so: sessions tell by its runs.

    >>> could_check(("pnpm", "assist")), could_check(("ls", "-la")), could_check(("pnpm", "assist", "--help"))
    (True, False, False)
    """
    plain = unwrapped(words)
    if purpose_of(words) not in ("run", "other") or purpose_of(plain[1:]) in ("look", "vcs"):
        return False
    return _program(plain) not in (*_HANDS, "") and not _IDLE.search(" ".join(plain))


def _said(words: tuple[str, ...], *, script: bool) -> str:
    """Return what the first words of an unknown program say that it is for; `script` where it runs one."""
    plain = unwrapped(words)
    if not plain or _program(plain) in _HANDS:
        return ""
    asked = [word for word in plain[1:] if word[:1] != "-" or word[:2] == "--"][: _SAYING - 1]
    if not (script and asked):
        asked = [word for word in asked if "/" not in word and "." not in word]
    for word in (_program(plain), *(asked[0].rsplit("/", 1)[-1:] if asked else ()), *asked[1:]):
        purpose = _task(word) if _PLAIN_WORD.fullmatch(word) else "other"
        if purpose in CHECKS:
            return purpose
    return ""


def _program(words: tuple[str, ...]) -> str:
    return words[0].rsplit("/", 1)[-1] if words else ""


def says_what_for(word: str) -> bool:
    """Return whether a name is made of nothing but words that say what a task is for.

    >>> says_what_for("test:ci"), says_what_for("type-check"), says_what_for("test-payments")
    (True, True, False)
    """
    return all(_task(piece) != "other" for piece in _PIECES.split(word))


def _asked(program: str, words: tuple[str, ...]) -> list[str]:
    """Return the words that say what a program is asked to do: without its options and their values."""
    valued = _FIRST.get(program, frozenset())
    found = [
        w
        for w, before in zip(words, ("", *words), strict=False)
        if w[:1] not in "-+" and before not in valued
    ]
    return found[2:] if found[:1] == ["workspace"] and program == "yarn" else found


@lru_cache(maxsize=1024)
def unwrapped(words: tuple[str, ...]) -> tuple[str, ...]:
    """Return the words without what only runs the rest.

    >>> unwrapped(("uv", "run", "--with", "x", "pytest", "-q"))
    ('pytest', '-q')
    """
    for _ in range(4):
        if not words:
            return words
        if versioned := _VERSIONED.fullmatch(words[0]):
            words = (versioned[1], *words[1:])
        shorter = _without(words, _RUNNERS)
        if shorter == words:
            return words
        words = shorter
    return words


def in_container(words: tuple[str, ...]) -> bool:
    """Return whether a line runs in a container, which has a file system of its own.

    >>> in_container(("sudo", "docker", "compose", "exec", "web", "pytest")), in_container(("pytest",))
    (True, False)
    """
    words = unwrapped(words)
    return any(" ".join(words[:length]) in _IN_CONTAINERS for length in (2, 3))


def _without(words: tuple[str, ...], runners: Mapping[str, tuple[frozenset[str], int]]) -> tuple[str, ...]:
    """Return the words behind a runner with its options and own words; all of them without one."""
    length = next((n for n in (3, 2, 1) if " ".join(words[:n]) in runners), 0)
    if not length:
        return words
    valued, own = runners[" ".join(words[:length])]
    words = words[length:]
    while words and (words[0].startswith("-") or ASSIGNMENT.match(words[0])):
        words = words[2 if words[0] in valued else 1 :]
    return words[own:]


@lru_cache(maxsize=512)
def head(normal: str) -> str:
    """Return the program and what it does: the first words of a normal form that are not flags or paths.

    >>> head("go test ./cmd -run TestX"), head("mise run lint")
    ('go test', 'mise run lint')
    """
    words = unwrapped(tuple(normal.split(" && ")[0].split()))
    kept = [w for w in words[:4] if not w.startswith("-") and not re.search(r"[/.'\"*$]", w)]
    return " ".join(kept[: 3 if " ".join(kept[:2]) in _TASKS else 2])


def _task(name: str) -> str:
    """Return what a task is for, by the first word of its name that tells.

    >>> _task("build:styles"), _task("check-types"), _task("latest"), _task("ci")
    ('build', 'lint', 'other', 'test')
    """
    pieces = _PIECES.split(name)
    for piece in (*(p for p in pieces if p.lower() not in _GENERAL), *pieces):
        for purpose, pattern in _TASK_OF:
            if pattern.fullmatch(piece):
                return purpose
    return "other"
