"""Classification of files by their path: configuration, lock files, documentation, tests."""

from __future__ import annotations

import re

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


def is_config(path: str) -> bool:
    """Return whether a file is configuration that other files depend on; lock files are not.

    >>> is_config("Cargo.toml"), is_config(".github/workflows/ci.yml"), is_config("src/config.go")
    (True, True, False)
    """
    lower = path.lower()
    return lower.rsplit("/", 1)[-1] in _CONFIG_NAMES or _CONFIG.search(lower) is not None


def is_lock(path: str) -> bool:
    """Return whether a file is written by a package manager.

    >>> is_lock("web/package-lock.json"), is_lock("go.mod")
    (True, False)
    """
    return _LOCKS.search(path.lower()) is not None


def is_doc(path: str) -> bool:
    """Return whether a file is documentation."""
    return _DOCS.search(path.lower()) is not None


def is_test(path: str) -> bool:
    """Return whether a file contains tests, by its name or folder.

    >>> is_test("a/b_test.go"), is_test("tests/x.py"), is_test("a/contest.go")
    (True, True, False)
    """
    return _TEST.search(path) is not None


def folder(path: str) -> str:
    """Return the folder of a path; "." at the root."""
    return path.rsplit("/", 1)[0] if "/" in path else "."


def stem(path: str) -> str:
    """Return the name of a file in lower case, without its extension and without a mark of a test.

    >>> stem("cli/clean_test.go"), stem("x/Clean.tsx")
    ('clean', 'clean')
    """
    name = path.rsplit("/", 1)[-1].split(".", 1)[0].lower()
    return re.sub(r"^test_|[_.-](?:tests?|spec)$", "", name)
