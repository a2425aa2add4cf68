"""What a command reads from outside: the network, other repositories, files elsewhere."""

from __future__ import annotations

import time

import pytest

from remora.shell.location import Home
from remora.shell.provenance import left, outside


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
        ("cat ~/../f.md", "~/../f.md"),
        ("cd ~/../x && cat f.md", "~/../x/f.md"),
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
        ("git clone https://a.org/r", "https://a.org/r"),
        ("git clone --depth 1 git@a.org:o/r /tmp/r", "git@a.org:o/r"),
        ("cd web && git clone https://a.org/r lib && cat lib/README.md", "https://a.org/r"),
        ("gh repo clone o/r", "gh repo clone"),
        ("git clone . /tmp/copy", ""),
        ("git clone file:///w/app /tmp/copy", ""),
        ("git fetch origin && git pull --rebase", ""),
        ("svn checkout https://a.org/r", "https://a.org/r"),
        ("rsync -a host.org:/srv/x .", "host.org:/srv/x"),
        ("rsync -a dist/ host.org:/srv/x", ""),
        ("whois a.org", "a.org"),
        ("cat node_modules/left-pad/README.md", "node_modules/left-pad/README.md"),
        ("cd web/node_modules/left-pad && head -20 index.js", "index.js"),
        (
            "sed -n 1,40p .venv/lib/python3.12/site-packages/x/a.py",
            ".venv/lib/python3.12/site-packages/x/a.py",
        ),
        ("grep -rn foo node_modules", "node_modules"),
        ("grep -rn foo . --exclude-dir=node_modules", ""),
        ("grep -rn foo . --exclude-dir node_modules", ""),
        ("rg foo -g '!**/node_modules/**'", ""),
        ("find . -name '*.ts' -not -path './node_modules/*'", ""),
        ("find . -path ./node_modules -prune -o -name a.ts -print", ""),
        ("tree -I node_modules", ""),
        ("ls node_modules", ""),
        ("rm -rf node_modules && npm ci", ""),
        ("grep node_modules .gitignore", ""),
        ("node_modules/.bin/jest --ci", ""),
        ("psql -c 'select * from users'", ""),
        ("psql -h localhost app -c 'select 1'", ""),
        ("psql -h db app -c 'select 1'", ""),
        ("psql -h db.a.org app -c 'select 1'", "psql db.a.org"),
        ("psql postgres://u:p@db.a.org:5432/app", "psql db.a.org"),
        ("psql postgresql://localhost/app", ""),
        ("psql 'host=db.a.org dbname=app'", "psql db.a.org"),
        ('psql "$DATABASE_URL" -c "select 1"', "psql $DATABASE_URL"),
        ("mysql -hdb.a.org -e 'select 1'", "mysql db.a.org"),
        ("redis-cli -h 127.0.0.1 get x", ""),
        ("redis-cli --host=cache.a.org get x", "redis-cli cache.a.org"),
        ("sqlite3 app.db 'select 1'", ""),
        ("sqlite3 /opt/app.db 'select 1'", "/opt/app.db"),
        ("aws s3 cp s3://b/f -", "aws s3 cp"),
        ("aws s3 cp dist/f s3://b/f", ""),
        ("aws s3 sync s3://b/f data", "aws s3 sync"),
        ("aws logs tail /aws/lambda/f", "aws logs"),
        ("aws --endpoint-url http://localhost:4566 s3 ls", ""),
        ("aws sts get-caller-identity", ""),
        ("aws lambda update-function-code --function-name f", ""),
        ("gcloud logging read 'x'", "gcloud logging read"),
        ("vercel deploy --prod", ""),
        ("kubectl logs web-1", "kubectl logs web-1"),
        ("kubectl -n prod get cm settings -o yaml", "kubectl prod get"),
        ("kubectl apply -f web.yaml", ""),
        ("kubectl --context kind-dev logs web-1", ""),
        ("helm lint chart", ""),
        ("docker pull redis:7", "docker pull redis:7"),
        ("docker run --rm alpine cat /etc/motd", "docker run alpine"),
        ("docker run --rm -e X=1 ghcr.io/o/tool:1 --help", "docker run ghcr.io/o/tool:1"),
        ('docker run --rm -v "$PWD":/w -w /w golang:1.22 go test ./...', ""),
        ("docker run -d -p 6379:6379 redis:7", ""),
        ("docker build -t app:dev . && docker run --rm app:dev", ""),
        ("docker compose up --build", ""),
        ("docker compose exec web cat /app/log", ""),
        ("docker logs web", ""),
        ("npx tsc --noEmit", ""),
        ("npx prisma migrate dev", ""),
        ("npx -y some-server --help", "npx some-server"),
        ("npx some-server@latest", "npx some-server@latest"),
        ("npx --yes prettier --check .", ""),
        ("npx create-next-app web", "npx create-next-app"),
        ("npm create vite@latest web", "npm create vite@latest"),
        ("uvx ruff check .", ""),
        ("uvx cowsay hi", "uvx cowsay"),
        ("uv run pytest", ""),
        ("go run a.org/x/tool@latest", "go run a.org/x/tool@latest"),
        ("go run golang.org/x/tools/cmd/goimports@latest -w .", ""),
        ("go run ./cmd/app", ""),
        ("npm install && npm test", ""),
        ("Invoke-RestMethod https://a.org/x | Select-Object y", "https://a.org/x"),
        ("irm a.org", "a.org"),
        ("curl.exe https://a.org", "https://a.org"),
        ("Get-Content C:/Users/x/notes.md", "C:/Users/x/notes.md"),
        ("type ../other/README.md", "../other/README.md"),
        ("Get-Content src/a.py", ""),
        ("markitdown https://a.org/readme", "https://a.org/readme"),
        ("trafilatura -u https://a.org/readme", "https://a.org/readme"),
        ("uv run --with requests python -c \"get('https://a.org')\"", "https://a.org"),
        ("lighthouse http://localhost:3000", ""),
        ("echo https://a.org/readme", ""),
        ("git remote add origin https://a.org/r", ""),
        ("grep -rn https://a.org src", ""),
        ("git --git-dir=../other/.git log", "../other/.git"),
        ("perl -ne print /etc/hosts", "/etc/hosts"),
        ("dd if=/etc/hosts", "/etc/hosts"),
    ],
)
def test_what_a_command_reads_from_outside(command: str, source: str):
    """Addresses, hosting services and files elsewhere are outside; this machine is not."""
    assert outside(command, Home("/w/app"), "/w/app") == source


@pytest.mark.parametrize(
    ("command", "source"),
    [
        ("cd /c/w/app && cat src/a.py", ""),
        ("cat /mnt/c/W/App/a.py 'c:\\w\\app\\b.py'", ""),
        ('cd "C:\\w\\app\\web" && npm test && cat ../a.py', ""),
        ('cat "..\\x\\a.py"', "..\\x\\a.py"),
        ('cat "C:\\w\\app\\..\\x\\a.py"', "C:\\w\\app\\..\\x\\a.py"),
        ('cd "C:\\w\\x" && npm test', "C:/w/x"),
        ("cd /c/w/app-fork && npm test", "/c/w/app-fork"),
        ("cat /d/w/app/a.py", "/d/w/app/a.py"),
        ("cat /w/app/a.py", "/w/app/a.py"),
    ],
)
def test_a_repository_on_a_drive_is_home_however_that_is_written(command: str, source: str):
    """By Windows, by Git Bash, by WSL; what lies beside it is outside."""
    assert outside(command, Home("C:/w/app"), "C:/w/app") == source


@pytest.mark.parametrize("command", ["cat /c/w/app/a.py", "cat /mnt/c/w/app/a.py", "cat C:/w/app/a.py"])
def test_without_drives_there_is_none(command: str):
    """There `/c` is a folder like others."""
    assert outside(command, Home("/w/app"), "/w/app") == command.removeprefix("cat ")


@pytest.mark.parametrize(
    ("command", "source"),
    [
        ("(New-Object Net.WebClient).DownloadString('https://a.org')", "https://a.org"),
        ("[System.Net.WebClient]::new().DownloadFile($url, 'a.md')", "DownloadFile"),
        ("$r = irm $url; $r", "irm"),
        ("ConvertFrom-Json (Invoke-RestMethod $url)", "Invoke-RestMethod"),
        ("$urls | % { iwr $_ }", "iwr"),
        ('powershell -c "iwr https://a.org"', "https://a.org"),
        (
            "pwsh -NoProfile -Command \"(New-Object Net.WebClient).OpenRead('https://a.org')\"",
            "https://a.org",
        ),
        ('cmd //c "curl https://a.org"', "https://a.org"),
        ('cmd.exe /c "type ..\\x\\a.md"', "../x/a.md"),
        ("Set-Location C:/x; Get-Content a.md", "C:/x/a.md"),
        ('powershell -c "npm test"', ""),
        ('cmd //c "type src\\a.md"', ""),
        ("$r = irm http://localhost:3000/x", ""),
        ("Select-String Invoke-WebRequest src/a.ps1", ""),
        ("grep -rn '.DownloadString(' src", ""),
        ("git commit -m 'use irm'", ""),
        ("npm run confirm -- irm.ts", ""),
        ("node -e \"redis.getAsync('a')\"", ""),
        ("Set-Location web; npm test", ""),
    ],
)
def test_what_shells_of_windows_read_from_outside(command: str, source: str):
    """PowerShell fetches in any place of a line; a script for another shell is looked at as any."""
    assert outside(command, Home("/w/app"), "/w/app") == source


@pytest.mark.parametrize(
    "command",
    [
        "npm test > /tmp/t.log 2>&1; tail -5 /tmp/t.log",
        "npm test &> /tmp/t.log || true; tail -5 /tmp/t.log",
        "npm test 2>&1 | tee /tmp/t.log; tail -5 /tmp/t.log",
        "(npm ci && npm test) > '/tmp/t.log'; echo $?; grep -c ok /tmp/t.log",
        "{ npm ci; npm test; } > ~/t.log; echo done >> ~/t.log; tail $HOME/t.log",
        "cat > /tmp/t.py <<'EOF'\nprint(1)\nEOF\npython /tmp/t.py",
        "cat <<EOF > /tmp/t.sh\nmake lint\nEOF\nbash /tmp/t.sh",
        "bash -c 'npm test > ../t.log; tail ../t.log'",
        "pytest && make > /tmp/a && cat /tmp/a",
        "pytest && make > /tmp/a && make lint | grep x && cat /tmp/a",
        "pytest && (make > /tmp/a && cat /tmp/a)",
        "pytest; make > /tmp/a && cat /tmp/a; cat /tmp/a",
        "{ npm ci && npm test; } > /tmp/a; cat /tmp/a",
        "(npm ci && npm run x) 2>&1 > /tmp/a; cat /tmp/a",
        "cd web && npm test > /tmp/a; cat /tmp/a",
    ],
)
def test_what_a_command_of_the_line_itself_wrote_is_not_from_outside(command: str):
    """A log or a script that the line makes and then reads is its own work."""
    assert outside(command, Home("/w/app"), "/w/app") == ""


@pytest.mark.parametrize(
    ("command", "source"),
    [
        ("curl https://a.org > /tmp/a; cat /tmp/a", "https://a.org"),
        ("wget -qO- a.org | tee /tmp/a; cat /tmp/a", "a.org"),
        ("cat /opt/a.md > /tmp/a; cat /tmp/a", "/opt/a.md"),
        ("cat /tmp/a; npm test > /tmp/a", "/tmp/a"),
        ("cat < /tmp/a; npm test > /tmp/a", "/tmp/a"),
        ("X=$(cat /tmp/a); npm test > /tmp/a", "/tmp/a"),
        ("npm test > /tmp/a; cat /tmp/b", "/tmp/b"),
        ("npm test > /tmp/a; cat /tmp/a.md", "/tmp/a.md"),
        ("npm test >> /tmp/a; cat /tmp/a", "/tmp/a"),
        ("npm test | tee -a /tmp/a; cat /tmp/a", "/tmp/a"),
        ("npm test 2>&1; cat /tmp/a", "/tmp/a"),
        ("echo '> /tmp/a'; cat /tmp/a", "/tmp/a"),
        ("[ -f /tmp/a ] || npm test > /tmp/a; cat /tmp/a", "/tmp/a"),
        ("(test -f /tmp/a) || { echo; npm test > /tmp/a; }; cat /tmp/a", "/tmp/a"),
        ("{ which b; } || npm test > /tmp/a; cat /tmp/a", "/tmp/a"),
        ("if false; then npm test > /tmp/a; fi; cat /tmp/a", "/tmp/a"),
        ("f() { echo > /tmp/a; }; cat /tmp/a", "/tmp/a"),
        ("pytest && make > /tmp/a; cat /tmp/a", "/tmp/a"),
        ("pytest && make > /tmp/a\ncat /tmp/a", "/tmp/a"),
        ("pytest && make | tee /tmp/a; cat /tmp/a", "/tmp/a"),
        ("pytest && (make > /tmp/a); cat /tmp/a", "/tmp/a"),
        ("pytest && { echo; make > /tmp/a; }; cat /tmp/a", "/tmp/a"),
        ("pytest && (npm ci && npm test) > /tmp/a; cat /tmp/a", "/tmp/a"),
        ("(pytest && make > /tmp/a); cat /tmp/a", "/tmp/a"),
        ("pytest && > /tmp/a; cat /tmp/a", "/tmp/a"),
        ("pytest && > /tmp/a make; cat /tmp/a", "/tmp/a"),
        ("echo /opt/a.md > /tmp/a; cat /tmp/a | xargs cat", "/tmp/a"),
        ("echo /opt/a.md > /tmp/a; cat /tmp/a | while read x; do cat $x; done", "/tmp/a"),
        ("echo 'cat /opt/a.md' > /tmp/a; cat /tmp/a | bash", "/tmp/a"),
        ("echo 'cat /opt/a.md' > /tmp/a; cat /tmp/a | sudo /bin/sh", "/tmp/a"),
        ("echo 'cat /opt/a.md' > /tmp/a; sh /tmp/a", "/tmp/a"),
        ("cat > /tmp/a <<EOF\ncat /opt/a.md\nEOF\nsh /tmp/a", "/opt/a.md"),
        ("cat > b <<EOF\nx\nEOF\necho 'cat /opt/a.md' > /tmp/a; sh /tmp/a", "/tmp/a"),
        ("cat > /tmp/a <<EOF\nprint(open('/opt/a.md').read())\nEOF\npython /tmp/a", "/opt/a.md"),
        ("cat > /tmp/a <<EOF\nget('https://a.org')\nEOF\npython /tmp/a", "https://a.org"),
        ("cat <<EOF | curl -d @- https://a.org\ntext\nEOF", "https://a.org"),
        ("cat <<EOF > /tmp/a && cat /opt/a.md\ntext\nEOF", "/opt/a.md"),
    ],
)
def test_what_else_a_line_reads_stays_from_outside(command: str, source: str):
    """What it fetched, only added to, read first or may not have written, and what its script reads."""
    assert outside(command, Home("/w/app"), "/w/app") == source


@pytest.mark.parametrize(
    ("command", "files"),
    [
        ("npm test > /tmp/a 2> b.log | tee -a /tmp/c ../d e.log", ("/tmp/a", "/tmp/c", "/w/d")),
        ("for a in 1 2; do npm test >> /tmp/a; done", ("/tmp/a",)),
        ("bash -c 'make > /tmp/a' && docker build -t app:dev .", ("image app:dev", "/tmp/a")),
        ("npm test > /dev/null; echo '> /tmp/a'; cat /w/app/a", ()),
        ("curl https://a.org > /tmp/a", ()),
    ],
)
def test_what_a_command_leaves_behind(command: str, files: tuple[str, ...]):
    """Files outside and images are its own afterwards, unless text from outside may be in them."""
    assert left(command, Home("/w/app"), "/w/app") == files


@pytest.mark.parametrize("piece", ["$(a; ", "<(a; ", "`a; ", "bash; "])
def test_scripts_in_scripts_are_looked_at_in_time(piece: str):
    """However deep they are; the time is that of the thread."""
    command = "bash <<A\nbash <<B\nmake\nB\nA\n" + piece * (16_000 // len(piece))
    started = time.thread_time()
    assert outside(command) == ""
    assert time.thread_time() - started < 1.0


def test_a_script_in_scripts_is_looked_at():
    """The deepest of four."""
    assert outside("a $(b $(c $(d $(curl -s https://a.org/x))))") == "https://a.org/x"
