"""SVG pictures rendered on the server; they are readable without colour and have text alternatives."""

from __future__ import annotations

import math
from collections.abc import Sequence
from html import escape
from pathlib import PurePosixPath
from typing import NamedTuple

WIDTH = 720.0  # of every picture, in pixels
HEIGHT = 320.0  # of a treemap
_FEW = 14  # boxes of a treemap; the rest is merged into one box
_LETTER = 7.2  # maximum width of a label's letter, in pixels


class Box(NamedTuple):
    """A box of a treemap: name, size, filled share (0..1), tooltip, link, and heat (0..1)."""

    name: str
    size: float
    share: float
    told: str
    link: str = ""
    heat: float = 0.0


def treemap(boxes: Sequence[Box], title: str, other: str) -> str:
    """Return a treemap: area by size, hatched up to the filled share.

    The height of a bar at the left edge is the heat relative to the hottest box. Empty for no boxes.

    Args:
        boxes: the boxes; those without a size are omitted.
        title: the picture's title for screen readers.
        other: the name of the box that merges the smallest ones.
    """
    known = sorted((one for one in boxes if one.size > 0), key=lambda one: (-one.size, one.name))
    if len(known) > _FEW:
        rest = known[_FEW - 1 :]
        size = sum(one.size for one in rest)
        share = sum(one.share * one.size for one in rest) / size
        heat = sum(one.heat for one in rest)
        known = [*known[: _FEW - 1], Box(other, size, share, f"{other}: {len(rest)}", heat=heat)]
    if not known:
        return ""
    parts = [_head(title, HEIGHT, "group")]
    parts.append(
        '<defs><pattern id="full" width="6" height="6" patternUnits="userSpaceOnUse" '
        'patternTransform="rotate(45)"><rect width="3" height="6" class="hatch"/></pattern></defs>'
    )
    hottest = max(one.heat for one in known) or 1.0
    for one, (x, y, w, h) in zip(known, _boxes([o.size for o in known]), strict=True):
        full = h * one.share
        shown = _fitting(one.name, w - 12)
        label = f'<text x="{x + 8:.1f}" y="{y + 20:.1f}">{escape(shown)}</text>' if shown and h > 26 else ""
        percent = f'<text x="{x + 8:.1f}" y="{y + 37:.1f}" class="small">{one.share:.0%}</text>'
        box = (
            f"<g><title>{escape(one.told)}</title>"
            f'<rect x="{x:.1f}" y="{y:.1f}" width="{w:.1f}" height="{h:.1f}" class="box"/>'
            f'<rect x="{x:.1f}" y="{y + h - full:.1f}" width="{w:.1f}" height="{full:.1f}" '
            f'fill="url(#full)"/>{_bar(x, y, h, one.heat / hottest)}'
            f"{label}{percent if label and h > 44 else ''}</g>"
        )
        parts.append(f'<a href="{escape(one.link)}">{box}</a>' if one.link else box)
    return "".join((*parts, "</svg>"))


def _bar(x: float, y: float, h: float, heat: float) -> str:
    high = (h - 4) * heat
    if high < 1:
        return ""
    return f'<rect x="{x + 2:.1f}" y="{y + h - 2 - high:.1f}" width="4" height="{high:.1f}" class="heat"/>'


def _boxes(
    areas: Sequence[float], x: float = 0.0, y: float = 0.0, w: float = WIDTH, h: float = HEIGHT
) -> list[tuple[float, float, float, float]]:
    """Return (x, y, width, height) of boxes with the given areas, largest first, that fill a rectangle.

    The areas are divided into two parts of nearly equal sums, side by side along the longer side.
    """
    if len(areas) <= 1:
        return [(x, y, w, h)] * len(areas)
    at, first = 1, areas[0]
    while at < len(areas) - 1 and first < sum(areas) / 2:
        first += areas[at]
        at += 1
    share = first / sum(areas)
    if w >= h:
        return [
            *_boxes(areas[:at], x, y, w * share, h),
            *_boxes(areas[at:], x + w * share, y, w - w * share, h),
        ]
    return [*_boxes(areas[:at], x, y, w, h * share), *_boxes(areas[at:], x, y + h * share, w, h - h * share)]


def _fitting(name: str, width: float) -> str:
    most = int(width / _LETTER)
    return name if len(name) <= most else f"{name[: most - 1]}…" if most > 3 else ""


def fading(
    confidence: float, half_life: float, age: float, uses: Sequence[float], title: str, days: str
) -> str:
    """Return the decay curve of a memory's confidence, with ticks for its uses.

    Args:
        confidence: the confidence at the last use.
        half_life: in days; 0 for no decay.
        age: days since the memory was created.
        uses: the age of each use, in days.
        title, days: the picture's title, and the unit of the axis, as text.
    """
    height, top, bottom, left, right = 170.0, 14.0, 130.0, 44.0, WIDTH - 16
    last = min((*uses, age), default=age)
    span = max(30.0, age * 1.15, (half_life + age - last) * 1.15 if half_life else 0.0)
    begin, end = -age, span - age

    def across(day: float) -> float:
        return left + (right - left) * (day - begin) / (end - begin)

    def up(value: float) -> float:
        return bottom - (bottom - top) * value

    curve = []
    for step in range(61):
        day = begin + (end - begin) * step / 60
        idle = max(0.0, day + last)
        curve.append(
            f"{across(day):.1f},{up(confidence * (0.5 ** (idle / half_life) if half_life else 1)):.1f}"
        )
    lines = "".join(
        f'<line x1="{left}" x2="{right}" y1="{up(v):.1f}" y2="{up(v):.1f}" class="grid"/>'
        f'<text x="{left - 8}" y="{up(v) + 4:.1f}" class="small end">{v:g}</text>'
        for v in (0.0, 0.5, 1.0)
    )
    below = f'y1="{bottom + 4}" y2="{bottom + 14}" class="tick"'
    ticks = "".join(
        f'<line x1="{across(-day):.1f}" x2="{across(-day):.1f}" {below}/>' for day in sorted(set(uses))[:200]
    )
    now = (
        f'<line x1="{across(0):.1f}" x2="{across(0):.1f}" y1="{top}" y2="{bottom}" class="now"/>'
        f'<text x="{left}" y="{height - 8}" class="small">−{age:.0f} {escape(days)}</text>'
        f'<text x="{right}" y="{height - 8}" class="small end">+{end:.0f} {escape(days)}</text>'
    )
    return (
        f'{_head(title, height)}{lines}<polyline points="{" ".join(curve)}" class="curve"/>{ticks}{now}</svg>'
    )


def together(name: str, others: Sequence[tuple[str, float]], title: str) -> str:
    """Return a graph of a file and up to ten related files, nearer and with thicker lines by weight."""
    if not others:
        return ""
    shown, height = others[:10], 300.0
    x, y = WIDTH / 2, height / 2
    parts = [_head(title, height)]
    for number, (other, weight) in enumerate(shown):
        turn = 2 * math.pi * number / len(shown) - math.pi / 2
        far = 1.15 - 0.35 * weight
        ox, oy = x + 250 * far * math.cos(turn), y + 105 * far * math.sin(turn)
        side, aside, down = (
            ("end", -8, 4) if ox < x - 20 else ("start", 8, 4) if ox > x + 20 else ("middle", 0, -10)
        )
        label = f"{escape(_fitting(PurePosixPath(other).name, 190))} {weight:.0%}"
        width = 1 + 4 * weight
        parts.append(
            f"<g><title>{escape(other)} {weight:.0%}</title>"
            f'<line x1="{x}" y1="{y}" x2="{ox:.1f}" y2="{oy:.1f}" stroke-width="{width:.1f}" class="spoke"/>'
            f'<circle cx="{ox:.1f}" cy="{oy:.1f}" r="5" class="dot"/>'
            f'<text x="{ox + aside:.1f}" y="{oy + down:.1f}" class="small {side}">{label}</text></g>'
        )
    middle = escape(_fitting(name.rpartition("/")[2], 200))
    parts.append(f'<circle cx="{x}" cy="{y}" r="8" class="dot"/>')
    parts.append(f'<text x="{x}" y="{y - 14}" class="middle">{middle}</text></svg>')
    return "".join(parts)


def _head(title: str, height: float, role: str = "img") -> str:
    return (
        f'<svg viewBox="0 0 {WIDTH:.0f} {height:.0f}" role="{role}" aria-label="{escape(title)}" '
        f'class="picture"><title>{escape(title)}</title>'
    )
