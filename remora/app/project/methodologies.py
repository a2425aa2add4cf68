"""Find methodology plugins: `native` is built in, others register under `remora.methodologies`.

Plugins are loaded only for a phase or type that Remora does not know itself. A plugin that cannot be loaded
is reported and does not stop the others.
"""

from __future__ import annotations

from importlib.metadata import EntryPoint, entry_points
from typing import NamedTuple

from remora.core.errors import InvalidInput
from remora.core.methodology import NATIVE, Methodology
from remora.core.values import PHASES

GROUP = "remora.methodologies"


class Plugins(NamedTuple):
    """The loaded methodologies by id, and the problems of those that could not be loaded."""

    known: dict[str, Methodology]
    problems: tuple[str, ...]

    def types(self) -> tuple[str, ...]:
        """Return the memory types that plugins add."""
        return tuple(t for plugin in self.known.values() for t in plugin.custom_memory_types)

    def phase(self, phase: str, methodology: str | None) -> str:
        """Return the universal phase for a phase of a methodology.

        Args:
            phase: a universal phase, or one of the methodology's.
            methodology: a plugin's id; the native one when None.

        Raises:
            InvalidInput: the methodology does not exist or failed, or the phase is unknown and none was
                named.
        """
        if methodology is None:
            if phase in PHASES:
                return phase
            mapped = NATIVE.map_phase(phase)
            if mapped == "explore" and phase != "insights":
                raise InvalidInput(
                    f"unknown phase {phase!r}",
                    hint=f"Choose one of {', '.join(PHASES)}, or name a methodology.",
                )
            return mapped
        if methodology not in self.known:
            raise InvalidInput(
                f"unknown methodology {methodology!r}",
                hint=f"Installed: {', '.join(sorted(self.known))}.",
            )
        try:
            mapped = self.known[methodology].map_phase(phase)
        except Exception as error:
            raise InvalidInput(
                f"the methodology {methodology!r} failed on the phase {phase!r}: {error!r}",
                hint=f"Name one of {', '.join(PHASES)} without a methodology, or update its package.",
            ) from error
        return mapped if mapped in PHASES else "explore"


def load(found: list[EntryPoint] | None = None) -> Plugins:
    """Return the installed methodologies.

    Args:
        found: the entry points to load; those of the environment by default.
    """
    known: dict[str, Methodology] = {NATIVE.id: NATIVE}
    problems: list[str] = []
    for point in entry_points(group=GROUP) if found is None else found:
        try:
            plugin = point.load()
        except Exception as error:  # noqa: BLE001  a plugin may fail in any way
            problems.append(f"{point.name} ({point.value}) cannot be loaded: {error!r}")
            continue
        if not isinstance(plugin, Methodology):
            problems.append(f"{point.name} ({point.value}) is not a methodology")
        elif plugin.id in known and known[plugin.id] is not plugin:
            problems.append(f"{point.name} ({point.value}) has the id {plugin.id!r}, which is taken")
        else:
            known[plugin.id] = plugin
    return Plugins(known, tuple(problems))
