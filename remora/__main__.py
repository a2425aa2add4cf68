"""Run the command line as `python -m remora`."""

from __future__ import annotations

import os
import sys

# `-m` puts the working folder first on the import path, unless -P is given: a repository could bring a module
# of its own under the name of one that is loaded later.
if not sys.flags.safe_path:
    try:
        here = os.getcwd()  # noqa: PTH109
    except OSError:
        here = ""  # the folder is gone
    if sys.path[:1] in ([""], [here]):
        del sys.path[0]

from remora.interfaces.entry import main

if __name__ == "__main__":
    main()
