"""What programs are for: the usual tools of many languages, and how they run one another."""

from __future__ import annotations

import re
from functools import lru_cache

ASSIGNMENT = re.compile(r"[A-Za-z_]\w*=")
CHECKS = ("format", "lint", "test", "build")  # what work is checked with, in the order in which it is run


def _names(text: str) -> frozenset[str]:
    """Return the names in a text; a middle dot stands for the space inside one."""
    return frozenset(name.replace("·", " ") for name in text.split())


# A word that runs the rest: how many words of its own follow it.
_WRAPPERS: dict[str, int] = {
    **dict.fromkeys(
        _names("sudo env time nohup command exec nice npx bunx uvx pnpx xvfb-run caffeinate stdbuf"), 0
    ),
    **dict.fromkeys(_names("timeout gtimeout"), 1),
}
_RUNNERS = _names("""
    uv·run poetry·run pipenv·run pdm·run rye·run hatch·run bundle·exec pnpm·exec pnpm·dlx yarn·dlx
    yarn·exec npm·exec mise·exec mise·x direnv·exec python·-m python3·-m py·-m
""")
_OWN_SCRIPTS = _names("hatch·run pdm·run rye·run pipenv·run")  # also run scripts of the project by name
# Programs that run a task of the project by its name; the name says what for.
_TASKS = _names("""
    make just task rake invoke inv ant gulp grunt nox tox earthly mise·run mise·r npm·run npm·run-script
    yarn·run pnpm·run bun·run deno·task composer·run composer·run-script poe turbo turbo·run nx nx·run
    gradle gradlew rails mage dagger hatch
""")
_TASK_OF: tuple[tuple[str, re.Pattern[str]], ...] = tuple(
    (purpose, re.compile(pattern, re.IGNORECASE))
    for purpose, pattern in (
        ("test", r"test|spec|e2e|bench|(?:^|[:_-])(?:check|ci|verify|cov|coverage)(?:$|[:_-])"),
        ("lint", r"lint|vet|type-?check|types|mypy|analy[sz]e|audit|clippy|static"),
        ("format", r"fmt|format|prettier|style|tidy"),
        (
            "build",
            r"build|compile|dist|bundle|install|generate|codegen|assemble|package|release|^all$|proto|deps|setup",
        ),
        ("run", r"run|dev|serve|start|watch|up$|demo|preview"),
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
_PURPOSE = {name: purpose for purpose, programs in _PROGRAMS.items() for name in _names(programs)}
RANK = {p: i for i, p in enumerate(("test", "lint", "build", "format", "run", "vcs", "other", "look"))}


def purpose_of(words: tuple[str, ...]) -> str:
    """Return what one program's words are for.

    >>> purpose_of(("npx", "tsc", "--noEmit")), purpose_of(("mise", "run", "test:ci"))
    ('lint', 'test')
    >>> purpose_of(("hatch", "run", "docs:build")), purpose_of(("pdm", "run", "test"))
    ('build', 'test')
    """
    own_scripts = " ".join(words[:2]) in _OWN_SCRIPTS
    words = unwrapped(words)
    if not words:
        return "other"
    first = words[0].rsplit("/", 1)[-1] if "/" in words[0] else words[0]
    rest = [w for w in words[1:] if not w.startswith("-")]
    two = f"{first} {rest[0]}" if rest else first
    if first in ("sed", "perl", "awk") and any(w.startswith(("-i", "--in-place")) for w in words[1:]):
        return "other"  # it changes files
    if first == "tsc" and "--noEmit" in words:
        return "lint"
    if first in ("gofmt", "ruff") and "-l" in words and "-w" not in words:
        return "lint"
    for head, names in ((two, rest[1:]), (first, rest)):
        if head in _TASKS and (names or first == "make"):
            return _task(names[0] if names else "all")
    known = _PURPOSE.get(two) or _PURPOSE.get(first)
    if own_scripts and (first == "test" or not known) and (purpose := _task(first)) != "other":
        return purpose
    if known:
        return known
    if first in ("npm", "yarn", "pnpm", "mvn", "mvnw", "deno", "composer", "mise") and rest:
        return _task(rest[0])
    return "run" if words[0].startswith(("./", "../")) or words[0].endswith((".sh", ".py")) else "other"


def unwrapped(words: tuple[str, ...]) -> tuple[str, ...]:
    """Return the words without what only runs the rest.

    >>> unwrapped(("uv", "run", "pytest", "-q"))
    ('pytest', '-q')
    """
    for _ in range(4):
        if not words:
            return words
        skip = _WRAPPERS.get(words[0])
        if skip is not None:
            words = words[1:]
            while words and (words[0].startswith("-") or ASSIGNMENT.match(words[0])):
                words = words[1:]
            words = words[skip:]
        elif " ".join(words[:2]) in _RUNNERS:
            words = words[2:]
            while words and words[0].startswith("-"):
                words = words[1:]
        else:
            return words
    return words


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
    for purpose, pattern in _TASK_OF:
        if pattern.search(name):
            return purpose
    return "other"
