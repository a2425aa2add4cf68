"""Free memory, from the text of each system."""

from __future__ import annotations

import sys

from remora.embeddings.machine import GIB, available_memory, from_meminfo, from_vm_stat

VM_STAT = """Mach Virtual Memory Statistics: (page size of 16384 bytes)
Pages free:                               10000.
Pages active:                            400000.
Pages inactive:                          390000.
Pages speculative:                         1000.
Pages wired down:                        200000.
"""


def test_linux_says_what_is_available():
    """MemAvailable counts, in kB; not MemFree."""
    text = "MemTotal:  32000000 kB\nMemFree:  100 kB\nMemAvailable:   16777216 kB\n"
    assert from_meminfo(text) == 16 * GIB
    assert from_meminfo("MemFree: 1 kB\n") is None


def test_macos_counts_free_inactive_and_speculative_pages():
    """Active and wired pages are in use."""
    assert from_vm_stat(VM_STAT) == 16384 * (10000 + 390000 + 1000)
    assert from_vm_stat("") is None


def test_this_machine_has_some_memory():
    """The real probe gives a plausible number on every system that has one."""
    free = available_memory()
    if sys.platform in ("linux", "darwin", "win32"):
        assert free is not None
        assert 1 << 20 < free < 1 << 50
    else:
        assert free is None
