"""Process entry point: hooks and the status line skip the import of the command line."""

from __future__ import annotations

import sys


def main() -> None:
    """Run the command line of this process; never return."""
    if sys.argv[1:2] == ["hook"]:
        from remora.interfaces.hooks.main import main as hook

        hook(sys.argv[2:])
    if sys.argv[1:2] == ["statusline"] and len(sys.argv) == 2:
        from remora.interfaces.hooks.statusline import main as statusline

        statusline()
    from remora.interfaces.cli import main as verbs

    verbs()
