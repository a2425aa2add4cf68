"""What a command reads from outside: the network, other repositories, files elsewhere."""

from __future__ import annotations

import pytest

from remora.observer.outside import outside
from remora.observer.paths import Home


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
