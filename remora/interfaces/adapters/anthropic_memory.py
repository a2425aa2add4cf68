"""Anthropic's memory tool (`memory_20250818`) on files of a project, for the SDK's tool runner.

```text
runner = client.beta.messages.tool_runner(model=…, tools=[RemoraMemoryTool(memory)], …)
```

The files are in `memory/tool` of the project's home and are found by `memory.search`. A command that fails
returns a tool error to the model; nothing else is raised into the runner.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from anthropic.lib.tools import BetaAbstractMemoryTool, BetaAsyncAbstractMemoryTool, ToolError
from anyio import to_thread

from remora.app.records.tool_files import ToolFiles
from remora.core.errors import RemoraError
from remora.core.text import clean

if TYPE_CHECKING:
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


class RemoraMemoryTool(BetaAbstractMemoryTool):
    """The memory tool for `anthropic.Anthropic`.

    Args:
        memory: an open memory. It must stay open while the tool is used.
        cache_control: passed to the API with the tool.
    """

    def __init__(
        self, memory: Memory, *, cache_control: BetaCacheControlEphemeralParam | None = None
    ) -> None:
        super().__init__(cache_control=cache_control)
        self._files = ToolFiles(memory._project)

    def view(self, command: BetaMemoryTool20250818ViewCommand) -> str:
        """Show a file or a folder."""
        return _told(lambda: self._files.view(command.path, command.view_range))

    def create(self, command: BetaMemoryTool20250818CreateCommand) -> str:
        """Create a file."""
        return _told(lambda: self._files.create(command.path, command.file_text))

    def str_replace(self, command: BetaMemoryTool20250818StrReplaceCommand) -> str:
        """Replace text in a file."""
        return _told(lambda: self._files.str_replace(command.path, command.old_str, command.new_str))

    def insert(self, command: BetaMemoryTool20250818InsertCommand) -> str:
        """Insert text after a line of a file."""
        return _told(lambda: self._files.insert(command.path, command.insert_line, command.insert_text))

    def delete(self, command: BetaMemoryTool20250818DeleteCommand) -> str:
        """Delete a file or a folder."""
        return _told(lambda: self._files.delete(command.path))

    def rename(self, command: BetaMemoryTool20250818RenameCommand) -> str:
        """Move a file or a folder to another path."""
        return _told(lambda: self._files.rename(command.old_path, command.new_path))

    def clear_all_memory(self) -> str:
        """Delete all files of the tool."""
        return _told(self._files.clear)


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


def _told(do: Callable[[], str]) -> str:
    """Return the answer of a command, without invisible characters; line ends stay as in the file.

    The model copies text from the answer into its next `str_replace`, so the line ends must match.

    Raises:
        ToolError: the command failed; its text is for the model.
    """
    try:
        return clean(do())
    except RemoraError as error:
        raise ToolError(clean(str(error))) from error
    except Exception as error:  # a field of the command is missing or has the wrong type
        raise ToolError(clean(f"The command failed: {error}")) from error
