"""Anthropic's memory tool (`memory_20250818`) on files of a project, for the SDK's tool runner.

```text
runner = client.beta.messages.tool_runner(model=…, tools=[RemoraMemoryTool(memory)], …)
```

The files are in `memory/tool` of the project's home and are found by `memory.search`. A command that fails
returns a tool error to the model; nothing else is raised into the runner.
"""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from anthropic.lib.tools import BetaAbstractMemoryTool, BetaAsyncAbstractMemoryTool, ToolError
from anthropic.tools.memory import BetaLocalFilesystemMemoryTool
from anyio import to_thread

from remora.app.records.note_index import TOOL_FOLDER
from remora.core.secrets import redact
from remora.core.text import clean
from remora.disk.files import make_folder
from remora.lifecycle.redaction import holds_secret

if TYPE_CHECKING:
    from collections.abc import Iterator

    from anthropic.types.beta import (
        BetaCacheControlEphemeralParam,
        BetaMemoryTool20250818CreateCommand,
        BetaMemoryTool20250818DeleteCommand,
        BetaMemoryTool20250818InsertCommand,
        BetaMemoryTool20250818RenameCommand,
        BetaMemoryTool20250818StrReplaceCommand,
        BetaMemoryTool20250818ViewCommand,
    )

    from remora.app.memory import Memory


class RemoraMemoryTool(BetaLocalFilesystemMemoryTool):
    """The memory tool for `anthropic.Anthropic`.

    Args:
        memory: an open memory. It must stay open while the tool is used.
        cache_control: passed to the API with the tool.
    """

    def __init__(
        self, memory: Memory, *, cache_control: BetaCacheControlEphemeralParam | None = None
    ) -> None:
        # The constructor of the base class would name the folder `memories`.
        BetaAbstractMemoryTool.__init__(self, cache_control=cache_control)
        self._project = memory._project
        self.base_path = self._project.memory_folder
        self.memory_root = self.base_path / TOOL_FOLDER
        if not self._project.read_only:
            make_folder(self.memory_root)

    def view(self, command: BetaMemoryTool20250818ViewCommand) -> str:
        """Show a file or a folder."""
        with _as_tool_errors():
            return clean(super().view(command))

    def create(self, command: BetaMemoryTool20250818CreateCommand) -> str:
        """Create a file."""
        with self._changing():
            _check_name(command.path)
            return clean(super().create(_redacted(command, "file_text")))

    def str_replace(self, command: BetaMemoryTool20250818StrReplaceCommand) -> str:
        """Replace text in a file."""
        with self._changing():
            return clean(super().str_replace(_redacted(command, "new_str")))

    def insert(self, command: BetaMemoryTool20250818InsertCommand) -> str:
        """Insert text after a line of a file."""
        with self._changing():
            return clean(super().insert(_redacted(command, "insert_text")))

    def delete(self, command: BetaMemoryTool20250818DeleteCommand) -> str:
        """Delete a file or a folder."""
        with self._changing():
            return clean(super().delete(command))

    def rename(self, command: BetaMemoryTool20250818RenameCommand) -> str:
        """Move a file or a folder to another path."""
        with self._changing():
            _check_name(command.new_path)
            return clean(super().rename(command))

    def clear_all_memory(self) -> str:
        """Delete all files of the tool."""
        with self._changing():
            return clean(super().clear_all_memory())

    @contextmanager
    def _changing(self) -> Iterator[None]:
        with _as_tool_errors():
            self._project.store("project")  # raises if the memory is closed
            self._project.must_be_writable()
            yield


class AsyncRemoraMemoryTool(BetaAsyncAbstractMemoryTool):
    """The memory tool for `anthropic.AsyncAnthropic`; commands run in threads."""

    def __init__(
        self, memory: Memory, *, cache_control: BetaCacheControlEphemeralParam | None = None
    ) -> None:
        super().__init__(cache_control=cache_control)
        self._tool = RemoraMemoryTool(memory)

    async def view(self, command: BetaMemoryTool20250818ViewCommand) -> str:
        """Show a file or a folder."""
        return await to_thread.run_sync(self._tool.view, command)

    async def create(self, command: BetaMemoryTool20250818CreateCommand) -> str:
        """Create a file."""
        return await to_thread.run_sync(self._tool.create, command)

    async def str_replace(self, command: BetaMemoryTool20250818StrReplaceCommand) -> str:
        """Replace text in a file."""
        return await to_thread.run_sync(self._tool.str_replace, command)

    async def insert(self, command: BetaMemoryTool20250818InsertCommand) -> str:
        """Insert text after a line of a file."""
        return await to_thread.run_sync(self._tool.insert, command)

    async def delete(self, command: BetaMemoryTool20250818DeleteCommand) -> str:
        """Delete a file or a folder."""
        return await to_thread.run_sync(self._tool.delete, command)

    async def rename(self, command: BetaMemoryTool20250818RenameCommand) -> str:
        """Move a file or a folder to another path."""
        return await to_thread.run_sync(self._tool.rename, command)

    async def clear_all_memory(self) -> str:
        """Delete all files of the tool."""
        return await to_thread.run_sync(self._tool.clear_all_memory)


@contextmanager
def _as_tool_errors() -> Iterator[None]:
    """Convert every error to a ToolError, whose text is for the model; it never has the place on disk."""
    try:
        yield
    except ToolError as error:
        raise ToolError(clean(str(error))) from error
    except OSError as error:
        raise ToolError(f"The command failed: {error.strerror}") from error
    except Exception as error:  # a field of the command is missing or has the wrong type
        raise ToolError(clean(f"The command failed: {error}")) from error


def _check_name(path: str) -> None:
    """Raise an error if a new path holds a secret; paths are shown and indexed."""
    if holds_secret(path):
        raise ToolError("the path holds a secret; choose another one")


def _redacted(command: Any, field: str) -> Any:
    """Return a copy of a command with the secrets in a text field replaced."""
    return command.model_copy(update={field: redact(getattr(command, field)).text})
