"""Run git safely: neither a repository's configuration nor its size can do harm.

A repository can come from anywhere, so its own settings must not run anything: hooks, pager, fsmonitor,
external diff, text conversion and signature checks are off, no transport is allowed (a partial clone would
fetch silently), arguments are lists, and every call has a time limit. A program called git inside the
repository is never run.
"""

from __future__ import annotations

import os
import subprocess
import threading
from tempfile import TemporaryFile
from typing import IO, TYPE_CHECKING

from remora.core.errors import SourceError
from remora.disk.programs import find_program, search_path

if TYPE_CHECKING:
    from collections.abc import Generator, Iterator, Mapping
    from pathlib import Path

CALL_SECONDS = 30.0
ONLINE_SECONDS = 120.0
STREAM_SECONDS = 900.0  # a history of 100,000 commits takes git one to three minutes
TOKEN_BYTES = 1 << 20  # a commit message or path beyond this is cut; memory stays bounded
RENAME_LIMIT = 400  # rename detection is quadratic in the files of one commit

_SAFE = (
    "--no-pager",
    "--literal-pathspecs",
    *("-c", "core.quotepath=off"),
    *("-c", "core.fsmonitor=false"),
    *("-c", "core.hooksPath=/dev/null"),
    *("-c", "log.showSignature=false"),
    *("-c", "log.showRoot=true"),
    *("-c", f"diff.renameLimit={RENAME_LIMIT}"),
)
# Set by git around hooks; they would select another repository.
_HOOK_VARIABLES = frozenset(
    """GIT_DIR GIT_WORK_TREE GIT_INDEX_FILE GIT_COMMON_DIR GIT_OBJECT_DIRECTORY
    GIT_ALTERNATE_OBJECT_DIRECTORIES GIT_NAMESPACE GIT_PREFIX GIT_QUARANTINE_PATH GIT_EXTERNAL_DIFF
    GIT_LITERAL_PATHSPECS GIT_GLOB_PATHSPECS GIT_NOGLOB_PATHSPECS GIT_ICASE_PATHSPECS""".split()
)


def _environment() -> dict[str, str]:
    kept = {k: v for k, v in os.environ.items() if k not in _HOOK_VARIABLES}
    return kept | {
        "PATH": search_path(os.environ),  # git starts its own parts by it
        "LC_ALL": "C",
        "GIT_OPTIONAL_LOCKS": "0",
        "GIT_TERMINAL_PROMPT": "0",
        "GIT_ALLOW_PROTOCOL": "none",  # a partial clone must not fetch behind the user's back
    }


def _command(folder: Path, arguments: tuple[str, ...]) -> list[str]:
    """Return the words of a git command. Raises SourceError if there is no git outside of the repository."""
    git = find_program("git", os.environ, outside=str(folder))
    if git is None:
        raise SourceError("git is not installed", hint="Install git, or continue without its history.")
    return [git, "-C", str(folder), *_SAFE, *arguments]


def holds_repository(folder: Path) -> bool:
    """Return whether git may find a repository from a folder: a `.git` or a bare repository at or above it.

    A look at a few names costs less than a process, which every open of a project would start.
    """
    real = folder.resolve()
    for place in (real, *real.parents):
        bare = os.path.lexists(place / "HEAD") and os.path.lexists(place / "objects")
        if bare or os.path.lexists(place / ".git"):
            return True
    return False


def run(
    folder: Path,
    *arguments: str,
    given: bytes = b"",
    extra: Mapping[str, str] | None = None,
    seconds: float = CALL_SECONDS,
) -> subprocess.CompletedProcess[bytes]:
    """Return a finished git command, whatever its exit code.

    Args:
        folder: a folder of the repository.
        arguments: of the command.
        given: its standard input.
        extra: further variables of its environment.
        seconds: that it may take.

    Raises:
        SourceError: git is not installed, cannot be started or takes longer.
    """
    try:
        return subprocess.run(
            _command(folder, arguments),
            input=given,
            capture_output=True,
            timeout=seconds,
            env={**_environment(), **(extra or {})},
            check=False,
        )
    except subprocess.TimeoutExpired:
        raise SourceError(f"git {arguments[0]} took longer than {seconds:.0f} s in {folder}") from None
    except OSError as error:
        raise SourceError(f"git could not be started: {error}") from error


def run_online(folder: Path, *arguments: str) -> subprocess.CompletedProcess[bytes]:
    """Return a finished git command that may contact a remote, without asking for a password.

    Raises:
        SourceError: as `run`, after ONLINE_SECONDS.
    """
    batch = os.environ.get("GIT_SSH_COMMAND", "ssh -o BatchMode=yes -o ConnectTimeout=10")
    extra = {"GIT_ALLOW_PROTOCOL": "file:git:http:https:ssh", "GIT_SSH_COMMAND": batch}
    return run(folder, *arguments, extra=extra, seconds=ONLINE_SECONDS)


def ask(folder: Path, *arguments: str) -> bytes:
    """Return the output of a git command.

    Raises:
        SourceError: as `run`, or git failed.
    """
    done = run(folder, *arguments)
    if done.returncode:
        raise refused(folder, done.stderr)
    return done.stdout


def answer(folder: Path, *arguments: str) -> str:
    """Return the output of a git command without white space around it, empty if git failed.

    Raises:
        SourceError: as `run`.
    """
    done = run(folder, *arguments)
    return text(done.stdout).strip() if done.returncode == 0 else ""


def tokens(folder: Path, *arguments: str) -> Generator[bytes, None, None]:
    """Yield the NUL-separated tokens that a git process prints, each cut at TOKEN_BYTES.

    Closing the generator ends the process.

    Raises:
        SourceError: git is not installed, failed, or took longer than STREAM_SECONDS.
    """
    with TemporaryFile() as complaints:
        try:
            process = subprocess.Popen(
                _command(folder, arguments),
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=complaints,
                env=_environment(),
            )
        except OSError as error:
            raise SourceError(f"git could not be started: {error}") from error
        assert process.stdout is not None
        late = threading.Event()

        def stop() -> None:
            late.set()
            process.kill()

        timer = threading.Timer(STREAM_SECONDS, stop)
        timer.daemon = True
        timer.start()
        try:
            yield from _split(process.stdout)
            process.wait()
        finally:
            timer.cancel()
            process.kill()
            process.stdout.close()
            process.wait()
        if late.is_set():
            raise SourceError(f"git {arguments[0]} took longer than {STREAM_SECONDS:.0f} s in {folder}")
        if process.returncode:
            complaints.seek(0)
            raise refused(folder, complaints.read(4096))


def _split(stream: IO[bytes]) -> Iterator[bytes]:
    rest = b""
    while chunk := stream.read(1 << 16):
        *whole, rest = (rest + chunk).split(b"\0")
        yield from whole
        rest = rest[:TOKEN_BYTES]
    if rest:
        yield rest


def refused(folder: Path, complaint: bytes) -> SourceError:
    """Return the error for a failed git command, from its error output."""
    words = text(complaint).strip()
    line = next((x for x in words.splitlines() if x.startswith(("fatal:", "error:"))), words)
    if "dubious ownership" in words:
        return SourceError(
            f"git does not trust the repository at {folder}: it belongs to another user",
            hint=f"If you trust it: git config --global --add safe.directory '{folder}'",
        )
    return SourceError(
        f"git could not read {folder}: {line}", hint="Run `git fsck` there to find the damage."
    )


def text(raw: bytes) -> str:
    """Return git output as text; bytes that are not UTF-8 become replacement characters."""
    return raw.decode("utf-8", "replace")
