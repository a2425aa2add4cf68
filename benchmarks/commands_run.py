"""The verification commands in a line of shell, in a normal form that two runs of one check share.

It is made for the sessions of one Go repository, and shares nothing with the program's own normal form, so
that both sides of a comparison go through the same mill.
"""

from __future__ import annotations

import re

_SPLIT = re.compile(r"&&|\|\||[;|\n]|(?<![>&])&(?![>&\d])")
_QUOTED = re.compile(r"'[^']*'|\"(?:\\.|[^\"\\])*\"")
_REDIRECT = re.compile(r"\s\d?(?:>>?|<)\s*(?:&\d|\S+)|\s&>\s*\S+")
_ASSIGNED = re.compile(r"^(?:\s*(?:env|export|time|timeout\s+\d+\w?|[A-Za-z_]\w*=\S*)\s)+")
_TASK = re.compile(r"^mise\s+(?:run|r)\s+(?P<task>[\w:.-]+)")
_CHECKS = re.compile(r"(?:^|[:_-])(?:test|tests|lint|fmt|format|vet|check|dup)(?:$|[:_-])")
_TAGS = re.compile(r"-tags[= ](\S+)")
_GO = re.compile(r"^(?:gotestsum|go\s+(?:test|vet|fmt))\b")
_TOOLS = re.compile(r"^(?:golangci-lint(?:\s+(?:run|fmt))?|gofmt|goimports|gofumpt|staticcheck|shellcheck)\b")


def verification(command: str) -> list[str]:
    """Return the format, lint and test commands of a line, each once, in order.

    What only chooses single tests or what is printed is left out; the packages are kept.

    >>> verification("cd /w && mise run fmt && go test -v -run TestA ./cmd/... 2>&1 | tail -5")
    ['mise run fmt', 'go test ./cmd/...']
    """
    bare = _QUOTED.sub("'…'", re.sub(r"\\\n", " ", command))
    parts = (_REDIRECT.sub("", f" {part} ") for part in _SPLIT.split(bare))
    found = [_normal(_ASSIGNED.sub("", part).strip()) for part in parts]
    return list(dict.fromkeys(normal for normal in found if normal))


def tool(normal: str) -> str:
    """Return a normal form without its packages.

    >>> tool("go test -tags=integration ./cmd/...")
    'go test -tags=integration'
    """
    return " ".join(word for word in normal.split() if not word.startswith((".", "/")))


def _normal(part: str) -> str:
    if task := _TASK.match(part):
        return f"mise run {task['task']}" if _CHECKS.search(task["task"]) else ""
    if tools := _TOOLS.match(part):
        return " ".join(tools[0].split())
    if go := _GO.match(part):
        tags = _TAGS.search(part)
        packages = [w.rstrip("/") for w in part.split()[1:] if w.startswith("./") or w == "."]
        return " ".join([" ".join(go[0].split()), *([f"-tags={tags[1]}"] if tags else ()), *packages])
    return ""
