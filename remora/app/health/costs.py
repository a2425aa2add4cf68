"""Report the cost of model calls, and the calls that are made automatically after sessions."""

from __future__ import annotations

from typing import TYPE_CHECKING

from remora.app.project.metered_models import CostRow, Costs
from remora.core.clock import DAY_SECONDS, to_iso
from remora.core.errors import InvalidInput
from remora.store.model_costs import OTHERS

if TYPE_CHECKING:
    from remora.app.project.open_project import OpenProject

MILLION = 1_000_000


def costs(project: OpenProject, days: int) -> Costs:
    """Return the model calls of the last `days` days; see `Memory.costs`."""
    if days < 1:
        raise InvalidInput("days must be 1 or more")
    now, settings = project.clock.now(), project.settings.llm
    since = to_iso(now - (days - 1) * DAY_SECONDS)[:10]
    rows = []
    for sums in project.db.model_costs.since(since):
        row, money = CostRow(*sums), None
        if (settings.price_in or settings.price_out) and row.purpose not in OTHERS:
            spent = row.input_tokens * settings.price_in + row.output_tokens * settings.price_out
            money = spent / MILLION
        rows.append(row._replace(seconds=round(row.seconds, 3), money=money))
    today = project.db.model_costs.tokens_of(to_iso(now)[:10])
    return Costs(days, tuple(rows), today, settings.daily_tokens, _due(project))


def _due(project: OpenProject) -> tuple[str, ...]:
    """Return the purposes for which the settings have a model called after sessions."""
    settings = project.settings
    if settings.llm.provider == "none":
        return ()
    found = []
    if settings.llm.describe:
        found.append("descriptions of changed modules, once a day")
    if settings.learn.synthesis:
        found.append("the lessons of each session")
    if settings.synthesis.enabled and settings.synthesis.model:
        found.append("what several sessions on a module have in common")
    return tuple(found)
