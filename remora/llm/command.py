"""A language model behind a command, such as the user's own agent (`claude -p`, `codex exec`, `llm`).

The prompt is the command's input, its answer is the command's output. The command runs in a separate folder,
so that no project counts its sessions as work, and with Remora's hooks disabled.
"""

from __future__ import annotations

import contextlib
import os
import shlex
import signal
import subprocess
import sys
import tempfile
from collections.abc import Callable, Mapping, Sequence
from datetime import date
from pathlib import Path
from typing import IO, Any

from remora.core.errors import ConfigError, ModelMissing, ProviderBusy, ProviderError
from remora.core.text import shorten
from remora.disk.programs import find_program
from remora.llm.client import Completion, Message, strip_thinking

FOLDER = "model-command"  # below the data folder: where commands run
MAX_OUTPUT = 1_000_000  # bytes of an answer; the rest is cut
SWITCHES = {"REMORA_HOOKS": "off", "REMORA_WORK": "off"}
# An agent that finds these believes that it runs inside another session, and refuses or joins it.
_OF_A_SESSION = ("CLAUDECODE", "CLAUDE_CODE_ENTRYPOINT", "CLAUDE_CODE_SESSION_ID")


class CommandModel:
    """A program as a model: prompt on its standard input, answer on its standard output.

    Args:
        command: the program and its arguments, quoted as for a POSIX shell; no shell runs it.
        folder: its working folder, where its calls are counted; created if missing.
        environ: the inherited environment, without the marks of a running session.
        outside: a folder whose own programs are skipped, such as a repository; empty for none.
        timeout: seconds for one call.
        daily_calls: calls a day, of all processes together.
        today: returns the current day.

    Raises:
        ConfigError: the command is empty or has an open quote.
    """

    def __init__(
        self,
        command: str,
        folder: Path,
        environ: Mapping[str, str],
        *,
        outside: str = "",
        timeout: float = 120.0,
        daily_calls: int = 50,
        today: Callable[[], date] = date.today,
    ) -> None:
        try:
            self._arguments = shlex.split(command)
        except ValueError as error:
            raise ConfigError(f"llm.command cannot be read: {error}", hint="Close the quotes.") from None
        if not self._arguments:
            raise ConfigError(
                "llm.provider is command, but llm.command is empty",
                hint='Set llm.command, for example "claude -p".',
            )
        self._folder = folder
        self._environ = {k: v for k, v in environ.items() if k not in _OF_A_SESSION} | SWITCHES
        self._outside = outside
        self._timeout = timeout
        self._daily_calls = daily_calls
        self._today = today

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.model_id})"

    @property
    def model_id(self) -> str:
        """Provider and program."""
        return f"command:{Path(self._arguments[0]).name}"

    def complete(
        self,
        messages: Sequence[Message],
        *,
        max_tokens: int,  # noqa: ARG002  a command has its own limit
        temperature: float = 0.0,  # noqa: ARG002
        schema: Mapping[str, Any] | None = None,  # noqa: ARG002  `extract` asks for it in words
        timeout: float | None = None,
    ) -> Completion:
        """Return the command's answer; see `LanguageModel`.

        Raises:
            ModelMissing: the program is not installed.
            ProviderBusy: no answer in time.
            ProviderError: the command failed, had no output, or reached its daily limit.
        """
        program = find_program(self._arguments[0], self._environ, outside=self._outside)
        if program is None:
            raise ModelMissing(
                f"{self._arguments[0]} is not installed, or not on the PATH",
                hint="Check llm.command in the settings.",
            )
        self._folder.mkdir(parents=True, exist_ok=True)
        self._count()
        with (
            tempfile.TemporaryFile() as told,
            tempfile.TemporaryFile() as said,
            tempfile.TemporaryFile() as log,
        ):
            told.write(prompt_of(messages).encode("utf-8", "replace"))
            told.seek(0)
            budget = self._timeout if timeout is None else timeout
            code = self._run([program, *self._arguments[1:]], told, said, log, budget)
            said.seek(0)
            text = said.read(MAX_OUTPUT).decode("utf-8", "replace")
            if code:
                why = shorten((_end_of(log) or text).strip() or "no output", 300)
                raise ProviderError(f"{self.model_id} failed with code {code}: {why}")
        shown = strip_thinking(text)
        if not shown:
            raise ProviderError(f"{self.model_id} returned no text")
        return Completion(shown)

    def _run(
        self, arguments: list[str], told: IO[bytes], said: IO[bytes], log: IO[bytes], budget: float
    ) -> int:
        """Return the exit code; files instead of pipes, so that handles left open by a child block nobody."""
        try:
            process = subprocess.Popen(
                arguments,
                cwd=self._folder,
                env=self._environ,
                stdin=told,
                stdout=said,
                stderr=log,
                start_new_session=sys.platform != "win32",
            )
        except OSError as error:
            raise ProviderError(f"{self.model_id} cannot be started: {error}") from None
        try:
            return process.wait(budget)
        except subprocess.TimeoutExpired:
            raise ProviderBusy(
                f"{self.model_id} gave no answer within {budget:g} s", hint="Raise llm.timeout."
            ) from None
        finally:
            if process.poll() is None:
                _end(process)

    def _count(self) -> None:
        """Count a call in the file of the day, one byte each: an appended byte needs no lock."""
        name = f"calls-{self._today().isoformat()}"
        for old in self._folder.glob("calls-*"):
            if old.name < name:
                old.unlink(missing_ok=True)
        with (self._folder / name).open("ab", buffering=0) as calls:
            if calls.tell() < self._daily_calls:
                calls.write(b".")
                if calls.tell() <= self._daily_calls:
                    return
        raise ProviderError(
            f"{self.model_id} was called {self._daily_calls} times today, the limit of llm.daily_calls",
            hint="It can be called again tomorrow.",
        )


def prompt_of(messages: Sequence[Message]) -> str:
    r"""Return messages as one text: the instructions first, then the turns, with speakers if several.

    >>> prompt_of([Message("system", "Be short."), Message("user", "Hello")])
    'Be short.\n\nHello\n'
    >>> prompt_of([Message("user", "a"), Message("assistant", "b"), Message("user", "c")])
    'User:\na\n\nAssistant:\nb\n\nUser:\nc\n'
    """
    parts = [m.content for m in messages if m.role == "system"]
    turns = [m for m in messages if m.role != "system"]
    if len(turns) == 1:
        parts.append(turns[0].content)
    else:
        parts += [f"{m.role.capitalize()}:\n{m.content}" for m in turns]
    return "\n\n".join(parts) + "\n"


def _end_of(file: IO[bytes]) -> str:
    file.seek(max(0, file.seek(0, os.SEEK_END) - 2_000))
    return file.read().decode("utf-8", "replace")


def _end(process: subprocess.Popen[bytes]) -> None:
    """Kill a command and all its child processes."""
    with contextlib.suppress(OSError):
        if sys.platform == "win32":
            process.kill()
        else:
            os.killpg(process.pid, signal.SIGKILL)
    process.wait()
