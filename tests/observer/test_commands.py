"""Normal forms and purposes of commands, what they read from outside, what they write."""

from __future__ import annotations

import pytest

from remora.observer.commands import outside, parse
from remora.observer.paths import Home
from remora.observer.purposes import head, purpose_of

NORMAL = [
    ("cd /w/app && go test ./... 2>&1 | tail -20", "go test ./...", "test"),
    ("FOO=1 BAR='x y' pytest -q tests/a.py", "pytest -q tests/a.py", "test"),
    ("cd /w/app/web && npm run lint -- --fix", "npm run lint -- --fix", "lint"),
    (
        "mise run fmt && mise run lint && mise run test",
        "mise run fmt && mise run lint && mise run test",
        "test",
    ),
    ("/w/app/scripts/x.sh --keep", "scripts/x.sh --keep", "run"),
    (
        "git commit -m \"$(cat <<'EOF'\nfix: a thing\n\nmore; text && so | on\nEOF\n)\"",
        "git commit -m '…'",
        "vcs",
    ),
    ("git commit -m 'one'", "git commit -m '…'", "vcs"),
    (
        "cat <<'EOF' > /tmp/x.py\nimport os; os.system('rm')\nEOF\npython /tmp/x.py",
        "cat && python <tmp>",
        "run",
    ),
    ("for f in a b; do cat $f; done", "cat $f", "look"),
    ("(cd web && make build)", "make build", "build"),
    ("echo 'a && b' ; ls -la", "ls -la", "look"),
    ("make", "make", "build"),
    ("", "", "other"),
    ("'unbalanced", "'unbalanced", "other"),
]


@pytest.mark.parametrize(("command", "normal", "purpose"), NORMAL)
def test_normal_form_and_purpose(command: str, normal: str, purpose: str):
    """Folders, variables, pipes, redirections and texts go; what is done stays."""
    parsed = parse(command, "/w/app")
    assert (parsed.normal, parsed.purpose) == (normal, purpose)


@pytest.mark.parametrize(
    ("command", "purpose"),
    [
        ("uv run pytest -q", "test"),
        ("poetry run mypy .", "lint"),
        ("npx tsc --noEmit", "lint"),
        ("tsc", "build"),
        ("python -m unittest", "test"),
        ("python3 -m pytest", "test"),
        ("cargo test", "test"),
        ("cargo clippy", "lint"),
        ("cargo fmt", "format"),
        ("cargo build", "build"),
        ("go vet ./...", "lint"),
        ("gofmt -l .", "lint"),
        ("gofmt -w .", "format"),
        ("make test", "test"),
        ("just lint", "lint"),
        ("npm test", "test"),
        ("npm run build", "build"),
        ("yarn test", "test"),
        ("pnpm run typecheck", "lint"),
        ("./gradlew test", "test"),
        ("mvn verify", "test"),
        ("bundle exec rspec", "test"),
        ("dotnet build", "build"),
        ("docker compose up", "run"),
        ("git status", "vcs"),
        ("gh pr view 3", "vcs"),
        ("ls", "look"),
        ("sed -n 1,5p x", "look"),
        ("sed -i s/a/b/ x", "other"),
        ("./bin/tool", "run"),
        ("timeout 60 pytest", "test"),
        ("sudo env A=1 make check", "test"),
        ("mise run test:ci", "test"),
        ("ruff check .", "lint"),
        ("ruff format .", "format"),
        ("unheardof --x", "other"),
    ],
)
def test_purposes_of_usual_tools(command: str, purpose: str):
    """Tools of many languages, task runners by the task's name, and what only runs another program."""
    assert purpose_of(tuple(command.split())) == purpose


def test_a_head_is_the_program_and_what_it_does():
    """Flags and paths are not part of it."""
    assert [head(n) for n in ("go test -v -run X ./a", "mise run test:ci", "uv run pytest tests")] == [
        "go test",
        "mise run test:ci",
        "pytest tests",
    ]


def test_a_pipe_masks_the_exit_code():
    """`&&` does not hide a failure, a pipe and a semicolon do."""
    assert [parse(c).masked for c in ("a && b", "a | tail", "a; b", "a || true")] == [False, True, True, True]


@pytest.mark.parametrize(
    ("command", "source"),
    [
        ("curl -s https://example.com/install.sh | sh", "https://example.com/install.sh"),
        ("wget http://x.org/a.tgz", "http://x.org/a.tgz"),
        ("curl http://localhost:8080/health", ""),
        ("gh pr view 12 --comments", "gh pr view"),
        ("gh api repos/o/r/pulls/1/comments", "gh api repos/o/r/pulls/1/comments"),
        ("gh pr create --title x", ""),
        ("cat /etc/passwd", "/etc/passwd"),
        ("head -5 ~/notes.md", "~/notes.md"),
        ("cat /w/app/README.md", ""),
        ("cat README.md > /dev/null", ""),
        ("go test ./...", ""),
        ("bash -c 'curl -s https://a.org/x'", "https://a.org/x"),
        ('sh -c "wget -qO- https://a.org/x"', "https://a.org/x"),
        ('X=$(curl -s https://a.org/x); echo "$X"', "https://a.org/x"),
        ('echo "now: $(curl -s https://a.org/x)"', "https://a.org/x"),
        ("diff <(curl -s https://a.org/x) a.txt", "https://a.org/x"),
        ("echo `curl -s https://a.org/x`", "https://a.org/x"),
        ("cat <<EOF\n$(curl -s https://a.org/x)\nEOF", "https://a.org/x"),
        ("/usr/bin/curl -s https://a.org/x", "https://a.org/x"),
        ("/usr/bin/env curl -s https://a.org/x", "https://a.org/x"),
        ("echo a | xargs -n1 curl", "curl"),
        ("curl -s https://localhost.a.org/x", "https://localhost.a.org/x"),
        ("curl 127.0.0.1.a.org/x", "127.0.0.1.a.org/x"),
        ("curl http://localhost@a.org/x", "http://localhost@a.org/x"),
        ("curl localhost:1 https://a.org/x", "https://a.org/x"),
        ('curl -s "http://127.0.0.1:$PORT/x" -o out.json', ""),
        ("cd /opt/x && cat f.md", "/opt/x/f.md"),
        ("cd /opt/x && make test", "/opt/x"),
        ("cd /opt/x && cat docs/f.md", "/opt/x/docs/f.md"),
        ("cd /w/app/web && cat ../a.md", ""),
        ("cat < /opt/f.md", "/opt/f.md"),
        ("cat ../../x/f.md", "../../x/f.md"),
        ("cat /w/app/../x/f.md", "/w/app/../x/f.md"),
        ("cat /w/app-fork/f.md", "/w/app-fork/f.md"),
        ("cat $HOME/f.md", "$HOME/f.md"),
        ("find /opt/x -name '*.md'", "/opt/x"),
        ("tac /opt/f.md", "/opt/f.md"),
        ("diff a.md /opt/f.md", "/opt/f.md"),
        ("unzip -p /opt/x.zip f.md", "/opt/x.zip"),
        ("base64 -d /opt/f.txt", "/opt/f.txt"),
        ("cp /opt/f.md docs/f.md", "/opt/f.md"),
        ("cp docs/f.md /opt/f.md", ""),
        ("go build -o /opt/bin/x ./cmd", ""),
        ("sed -n '/start/,/end/p' a.md", ""),
        ("glab mr view 3", "glab mr view"),
        ("gh -R o/r pr view 3", "gh pr view"),
        ("git show origin/main:README.md", "git show origin/main:README.md"),
        ("git diff FETCH_HEAD", "git diff FETCH_HEAD"),
        ("git log HEAD..origin/main", "git log HEAD..origin/main"),
        ("git log origin/main..HEAD --oneline", ""),
        ("git diff origin/main...HEAD", ""),
        ("git -C /opt/x log", "/opt/x"),
        ("npm view left-pad", "npm view left-pad"),
        ("pip download x", "pip download x"),
        ("ssh host cat f", "ssh"),
        ("python3 -c \"import requests; print(requests.get('https://a.org/x').text)\"", "https://a.org/x"),
        ("node -e 'fetch(\"https://a.org/x\")'", "https://a.org/x"),
        ("python3 - <<'EOF'\nopen_url('https://a.org/x')\nEOF", "https://a.org/x"),
        ("git commit -m \"$(cat <<'EOF'\nuse `curl https://a.org/x`\nEOF\n)\"", ""),
        ("grep -rn 'curl https://a.org' src", ""),
    ],
)
def test_what_a_command_reads_from_outside(command: str, source: str):
    """Addresses, hosting services and files elsewhere are outside; this machine is not."""
    assert outside(command, Home("/w/app"), "/w/app") == source


def test_where_output_is_sent():
    """Files that a command writes outside the repository are the session's own."""
    assert parse("go test ./... > /tmp/out.txt 2>&1").writes == ("/tmp/out.txt",)


def test_a_command_of_a_megabyte_is_cut():
    """What is looked at is bounded."""
    assert len(parse("echo x; " * 100_000 + "make").normal) <= 200
