"""Report the recorded model calls by purpose and model, with their cost by the prices in the settings."""

from __future__ import annotations

from typing import NamedTuple

from remora.app.project.open_project import OpenProject
from remora.core.clock import DAY_SECONDS, to_iso
from remora.core.errors import InvalidInput
from remora.store.model_costs import OTHERS

MILLION = 1_000_000


class CostRow(NamedTuple):
    """The calls of one purpose to one model.

    Attributes:
        purpose, model: of the calls.
        calls, failed: number of calls, and of those that failed.
        input_tokens, output_tokens: totals, with estimates.
        estimated: number of calls whose tokens are estimated because none were reported.
        seconds: total duration.
        money: cost by the prices in the settings; None without prices.
    """

    purpose: str
    model: str
    calls: int
    failed: int
    input_tokens: int
    output_tokens: int
    estimated: int
    seconds: float
    money: float | None = None


class Costs(NamedTuple):
    """The cost of model calls.

    Attributes:
        days: number of days, counted back from today.
        rows: by purpose and model, the most tokens first.
        today: tokens used today.
        limit: daily token limit of background calls; 0 for none.
        due: descriptions of the calls that are made automatically.
    """

    days: int
    rows: tuple[CostRow, ...]
    today: int
    limit: int
    due: tuple[str, ...] = ()


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
