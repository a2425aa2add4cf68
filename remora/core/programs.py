"""Tables of programs by what they do, and the scripts that shells get as an argument."""

from __future__ import annotations

import re
from collections.abc import Sequence


def names(text: str) -> frozenset[str]:
    """Return the names in a text; a middle dot stands for the space inside one."""
    return frozenset(name.replace("·", " ") for name in text.split())


# At the end of a pipe: they only show its output.
FILTERS = frozenset(
    "head tail grep egrep rg less more wc sort uniq cat tee cut tr jq sed awk column fold nl".split()
)
CHECKS = ("format", "lint", "test", "build")  # the purposes of checks, in the order of running them
# Programs that run the rest of a line: their options with a value, and the number of their own arguments.
RUNNERS: dict[str, tuple[frozenset[str], int]] = {
    **dict.fromkeys(names("sudo env nice"), (names("-u -g -n -C"), 0)),
    **dict.fromkeys(names("timeout gtimeout"), (names("-k -s --kill-after --signal"), 1)),
    **dict.fromkeys(names("npx bunx uvx pnpx"), (names("-p --package --from --with --python"), 0)),
    **dict.fromkeys(names("time nohup command exec xvfb-run caffeinate stdbuf"), (frozenset(), 0)),
    "uv run": (
        names("""
            --extra --with --with-editable --with-requirements --group --only-group --no-group --python -p
            --package --project --directory --env-file --index --index-url --default-index
        """),
        0,
    ),
    **dict.fromkeys(
        names("poetry·run pipenv·run pdm·run rye·run hatch·run"),
        (names("-C --directory -P --project -p -e --env"), 0),
    ),
    **dict.fromkeys(
        names("pnpm·exec pnpm·dlx yarn·dlx yarn·exec npm·exec bundle·exec mise·exec mise·x direnv·exec"),
        (names("-C --filter -F -p --package -w --workspace --package"), 0),
    ),
    **dict.fromkeys(names("python·-m python3·-m py·-m coverage·run"), (names("--source --rcfile"), 0)),
    "conda run": (names("-n -p --name --prefix --cwd"), 0),
}
# Runners in a container, which has a file system of its own.
CONTAINERS = dict.fromkeys(
    names("docker·exec podman·exec kubectl·exec docker·compose·exec docker·compose·run docker-compose·exec"),
    (names("-e -u -w -n -c -v --env --user --workdir --namespace --container --index"), 1),
)
# Options with a value that precede a program's subcommand.
VALUED = {
    **dict.fromkeys(("npm", "pnpm", "yarn"), names("--prefix -w --workspace -C --dir --filter -F --cwd")),
    **dict.fromkeys(("make", "just", "task", "go", "mise"), names("-C -f -d --directory --file --dir")),
    "cargo": names("--manifest-path --config -C"),
    **dict.fromkeys(("tox", "nox"), names("-c -f --noxfile")),
}
MANAGERS = names("npm yarn pnpm mvn mvnw deno composer mise bun")  # accept task names without a subcommand
SEVERAL = names("make rake gradle gradlew mvn mvnw just task ant")  # run several tasks, as `make clean test`
MANAGING = names("manage.py artisan setup.py")  # scripts that accept task names
# Programs that run a task of the project by its name; the name shows the purpose.
TASKS = names("""
    make just task rake invoke inv ant gulp grunt nox tox earthly mise·run mise·r npm·run npm·run-script
    yarn·run pnpm·run bun·run deno·task composer·run composer·run-script poe turbo turbo·run nx nx·run
    gradle gradlew rails mage dagger hatch
""")
# Program and subcommand, or program alone; the longer name is tried first.
_LISTED: dict[str, str] = {
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
HANDS = names("mkdir rmdir rm cp mv ln touch chmod chown kill pkill xargs tee tar zip unzip test [ [[")
PURPOSE = {name: purpose for purpose, programs in _LISTED.items() for name in names(programs)}
PROGRAMS = frozenset(
    name.partition(" ")[0] for table in (PURPOSE, RUNNERS, CONTAINERS) for name in table
) | names(
    """make just npm npx pnpm yarn bun pip pip3 uv poetry cargo go docker podman kubectl helm rails rake
    bundle gem brew
    prisma alembic flyway knex psql mysql redis-cli mongosh aws gcloud az fly flyctl heroku vercel netlify
    wrangler
    systemctl ssh scp rsync curl wget rm mv cp chmod chown kill terraform ansible nix supabase firebase
    gradle gradlew
    mvn dotnet composer php artisan mix deno conda pipenv tsc"""
)
# Words of the usual checks: their programs, their subcommands, and their runners.
VOCABULARY = frozenset(
    word
    for name in (*(n for n, p in PURPOSE.items() if p in CHECKS), *RUNNERS, *TASKS, *MANAGERS)
    for word in name.split()
)
RANK = {p: i for i, p in enumerate(("test", "lint", "build", "format", "run", "vcs", "other", "look"))}
# Builtins without a relevant effect, and tests.
QUIET = names("cd pushd popd export set unset source . echo printf true : sleep wait clear ulimit umask trap")
TESTS = names("[ [[ ((")
MOVES = names("cd pushd popd")
# They run the command after them, possibly after arguments of their own.
WRAPPERS = frozenset(word for name in (*RUNNERS, *CONTAINERS) for word in name.split()) | names(
    "npm pnpm yarn bun bundle xargs doas"
)
# Shells, and other programs that run code given to them.
WINDOWS_SHELLS = names("powershell pwsh cmd")
SHELLS = names("bash sh zsh dash ksh fish")
INTERPRETERS = SHELLS | names("python python2 python3 py node deno bun ruby perl php")
# Programs that show text of files. Some take a pattern or an expression first, some show names or nothing.
PATTERN_FIRST = names("sed awk gawk grep egrep fgrep zgrep rg ag jq yq")
READERS = PATTERN_FIRST | names("""
    cat tac head tail less more bat nl strings rev diff cmp comm paste sort uniq cut fold column xxd
    hexdump od base64 base32 zcat gzcat bzcat xzcat zless gunzip gzip unzip tar find fd ls tree
    pandoc pdftotext sqlite3 cp mv ln rsync xargs dd get-content gc type select-string sls
""")
LISTERS = names("find fd ls tree cp mv ln rsync tar gzip xargs comm rev")
# Programs that connect to other machines, or query them.
NETWORK = names("""
    curl wget http https lynx elinks w3m links aria2c axel httpie xh ssh scp sftp ftp lftp telnet nc ncat
    netcat socat websocat grpcurl whois dig nslookup lwp-request yt-dlp irm iwr invoke-restmethod
    invoke-webrequest start-bitstransfer
""")
DATABASES = names("""
    psql pg_dump mysql mysqldump mariadb mongosh mongo mongoexport redis-cli valkey-cli cqlsh sqlcmd
    clickhouse-client
""")
CLOUDS = names("""
    aws gcloud gsutil az doctl heroku fly flyctl vercel netlify wrangler supabase firebase stripe railway bq
    snowsql s3cmd rclone oci ibmcloud linode-cli
""")
ENGINES = names("docker podman nerdctl")  # of containers
# Commands that add a package to a project, if they name one.
ADDERS = names("""
    npm·install npm·i npm·add pnpm·add pnpm·install pnpm·i yarn·add bun·add bun·install bun·i deno·add
    pip·install pip3·install uv·add poetry·add pdm·add pipenv·install conda·install cargo·add go·get
    composer·require gem·install bundle·add dotnet·add pub·add brew·install
""")
# Programs that download a program to run it; a locator runs an installed one if there is one.
LOCATORS = names("npx bunx npm·exec")
FETCHERS = LOCATORS | names("""
    uvx pipx·run pnpm·dlx pnpx yarn·dlx npm·init npm·create yarn·create pnpm·create bun·create
""")


_SCRIPT_OPTIONS = frozenset({"-c", "-command", "/c", "//c"})  # of the shells of Windows
# Prefixes of options before it that take a value; an encoded script is not read.
_VALUED_OF_WINDOWS = ("-ex", "-ep", "-wi", "-wo", "-ve", "-in", "-out", "-conf")
_ENCODED = re.compile(r"[-/](?:e|ec|en\w*)", re.IGNORECASE)


def words_of(command: list[object]) -> str:
    """Return the command line of a command given as words; for a shell with a script, the script.

    >>> words_of(["bash", "-lc", "pytest -q"]), words_of(["git", "commit", "-m", "two words"])
    ('pytest -q', "git commit -m 'two words'")
    """
    parts = [part for part in command if isinstance(part, str)]
    from shlex import join  # hooks do not need it

    return script_of(parts) or join(parts)


def script_of(words: Sequence[str]) -> str:
    """Return the script that a shell gets as its last argument; empty for other commands.

    Windows shells take all the words after the option as one script, PowerShell also without an option.

    >>> script_of(["powershell.exe", "-NoProfile", "-Command", "pytest -q"]), script_of(["sh", "a.sh", "-c"])
    ('pytest -q', '')
    """
    shell = words[0].replace("\\", "/").rsplit("/", 1)[-1].lower().removesuffix(".exe") if words else ""
    if shell not in SHELLS | WINDOWS_SHELLS:
        return ""
    return (_of_windows if shell in WINDOWS_SHELLS else _of_unix)(shell, words[1:])


def _of_windows(shell: str, words: Sequence[str]) -> str:
    """Return the script in the arguments of a Windows shell."""
    powershell = shell != "cmd"
    before = ""
    for place, word in enumerate(words):
        option = word.lower()
        if option in _SCRIPT_OPTIONS:
            return " ".join(words[place + 1 :])
        if powershell and _ENCODED.fullmatch(option):
            return ""
        valued = before.startswith(_VALUED_OF_WINDOWS)
        if not valued and option[:1] not in ("-" if powershell else "/", "-", "+"):
            return " ".join(words[place:]) if powershell else ""
        before = option
    return ""


def _of_unix(shell: str, words: Sequence[str]) -> str:
    """Return the script in the arguments of a shell; its options may be one word, as in `-xc`."""
    asked = False
    place = 0
    while place < len(words) and words[place][:1] in ("-", "+") and len(words[place]) > 1:
        word = words[place]
        if word == "--":
            place += 1
            break
        letters = "" if word.startswith("--") else word[1:]
        asked = asked or (word[0] == "-" and "c" in letters)
        place += 1 + (sum(map(letters.count, "oO")) if shell != "fish" else 0)
    return words[place] if asked and place == len(words) - 1 else ""
