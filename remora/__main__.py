"""Run the command line as `python -m remora`."""

from __future__ import annotations

from remora.interfaces.entry import main

if __name__ == "__main__":
    main()
