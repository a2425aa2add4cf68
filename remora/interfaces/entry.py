"""Where a process of ours begins: the hook goes its own short way, everything else is the command line."""

from __future__ import annotations

import os
import sys


def main() -> None:
    """Run the command line of this process; never returns."""
    # An empty entry of PYTHONPATH means the working folder, which is somebody's repository.
    sys.path[:] = [place for place in sys.path if os.path.isabs(place)]  # noqa: PTH117
    if sys.argv[1:2] == ["hook"]:
        from remora.interfaces.hooks.main import main as hook

        hook(sys.argv[2:])
    from remora.interfaces.cli import main as verbs

    verbs()
