"""Files and commands are found in text and in the arguments of tools."""

from __future__ import annotations

import pytest

from remora.conversation.mentions import commands_in, files_in, in_arguments


@pytest.mark.parametrize(
    ("text", "files"),
    [
        ("Look at src/auth.py, then ./lib/x.ts:12.", ["src/auth.py", "./lib/x.ts"]),
        ("`README.md`, Dockerfile and docs/.gitignore", ["README.md", "Dockerfile", "docs/.gitignore"]),
        ("请看src/配置/app.yaml的内容，还有main.go。", ["/app.yaml", "main.go"]),
        (r"C:\work\app.cs", [r"\work\app.cs"]),
        ("Größe/übung.py und файлы/данные.json", ["Größe/übung.py", "файлы/данные.json"]),
        ("https://x.org/a.html, me@x.py, version 1.2.3, e.g. i.e. 3 a.m. Node.js console.log", []),
        ("logs/app.log but not app.log", ["logs/app.log"]),
        ("x" * 200 + ".py", []),
    ],
)
def test_files(text: str, files: list[str]) -> None:
    """Names with a known ending are files; addresses, versions, attributes and libraries are not."""
    assert files_in(text) == files


def test_commands() -> None:
    """Code in a line, or a line after a prompt, that starts with a known program or a script."""
    text = "`pytest -q` or `FOO=1 make test`, not `x = 1`.\n  $ ./run.sh --all\n$ unknown-thing"
    assert commands_in(text) == ["pytest -q", "FOO=1 make test", "./run.sh --all"]


def test_arguments_of_tools() -> None:
    """Paths and commands count, at any depth; the text of a file does not. JSON as text is read."""
    assert in_arguments({"edits": [{"path": "a/b.py", "new_string": "see c.py"}]}) == (["a/b.py"], [])
    assert in_arguments('{"cmd": "git status\\ngit log", "n": 1}') == ([], ["git status"])
    assert in_arguments("cat a.py") == (["a.py"], [])
    assert in_arguments(None) == ([], [])
