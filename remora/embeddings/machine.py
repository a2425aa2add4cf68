"""The free memory of this machine, on Linux, macOS and Windows."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

GIB = 1 << 30


def available_memory() -> int | None:
    """Return the bytes that a new process could use without swapping, None if unknown."""
    if sys.platform == "win32":
        return _windows()
    try:
        if sys.platform == "darwin":
            done = subprocess.run(["/usr/bin/vm_stat"], capture_output=True, text=True, timeout=2, check=True)
            return from_vm_stat(done.stdout)
        return from_meminfo(Path("/proc/meminfo").read_text(encoding="ascii", errors="replace"))
    except (OSError, subprocess.SubprocessError):
        return None


def from_meminfo(text: str) -> int | None:
    r"""Return the bytes of MemAvailable in the text of /proc/meminfo.

    >>> from_meminfo("MemTotal: 99 kB\nMemAvailable:   2048 kB\n")
    2097152
    """
    found = re.search(r"^MemAvailable:\s+(\d+) kB", text, re.MULTILINE)
    return int(found[1]) * 1024 if found else None


def from_vm_stat(text: str) -> int | None:
    r"""Return the bytes of free, inactive and speculative pages in what macOS's vm_stat prints.

    >>> from_vm_stat("page size of 4096 bytes)\nPages free: 2.\nPages inactive: 3.\n")
    20480
    """
    size = re.search(r"page size of (\d+) bytes", text)
    pages = re.findall(r"^Pages (?:free|inactive|speculative):\s+(\d+)\.", text, re.MULTILINE)
    return int(size[1]) * sum(map(int, pages)) if size and pages else None


def _windows() -> int | None:
    import ctypes

    class Status(ctypes.Structure):
        _fields_ = (
            ("length", ctypes.c_ulong),
            ("load", ctypes.c_ulong),
            *((name, ctypes.c_ulonglong) for name in ("total", "available", "p1", "p2", "v1", "v2", "v3")),
        )

    status = Status(length=ctypes.sizeof(Status))
    kernel = getattr(ctypes, "windll").kernel32  # noqa: B009 the attribute exists on Windows only
    return int(status.available) if kernel.GlobalMemoryStatusEx(ctypes.byref(status)) else None
