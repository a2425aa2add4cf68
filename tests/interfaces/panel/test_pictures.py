"""Pictures: areas as large as what they stand for, and their numbers in words."""

from __future__ import annotations

import re
from xml.etree import ElementTree as ET

import pytest

from remora.interfaces.panel.pictures import Box, fading, together, treemap

SVG = "{http://www.w3.org/2000/svg}"


def drawn(text: str) -> ET.Element:
    """Return a picture as XML; what a browser reads as HTML needs no name space."""
    return ET.fromstring(text)


def test_areas_are_as_large_as_what_they_stand_for() -> None:
    """No box leaves the picture, and each has its share of it."""
    boxes = [Box(f"m{n}", 100.0 / (n + 1), 0.5, f"m{n}: told") for n in range(6)]
    found = drawn(treemap(boxes, "Map", "others"))
    rects = [one for one in found.iter("rect") if one.get("class") == "box"]
    areas = [float(one.get("width", "0")) * float(one.get("height", "0")) for one in rects]
    whole = sum(areas)
    assert whole == pytest.approx(720 * 320, rel=0.01)
    for area, box in zip(areas, boxes, strict=True):
        assert area / whole == pytest.approx(box.size / sum(one.size for one in boxes), rel=0.02)
    assert [one.text for one in found.iter("title")][:2] == ["Map", "m0: told"]


def test_the_hottest_part_has_the_highest_bar() -> None:
    """Beside the hottest the others are as high as their share of it; a cold one has none."""
    found = drawn(treemap([Box(f"m{n}", 100.0, 0.0, "told", heat=n / 2) for n in range(3)], "Map", "others"))
    boxes = [float(one.get("height", "0")) for one in found.iter("rect") if one.get("class") == "box"]
    bars = [float(one.get("height", "0")) for one in found.iter("rect") if one.get("class") == "heat"]
    assert sorted(bars) == pytest.approx(sorted((boxes[1] - 4) * share for share in (0.5, 1.0)), abs=0.2)


def test_many_small_parts_are_one_box() -> None:
    """A map of two hundred modules can still be read."""
    found = treemap([Box(f"m{n}", 1.0 + n, 0.0, "told") for n in range(200)], "Map", "other modules")
    assert found.count('class="box"') == 14
    assert "other modules: 187" in found
    assert treemap([], "Map", "others") == ""


def test_names_are_escaped() -> None:
    """A folder may be called anything."""
    found = treemap([Box("<b>", 1.0, 0.0, "<i>", '/x?"')], "<u>", "o") + together(
        "<a>", [("<c>", 0.5)], "<d>"
    )
    assert not re.search(r"<[biuacd]>", found)


def test_confidence_fades_by_half() -> None:
    """After a half-life without use the curve is at half of where it began."""
    found = drawn(fading(0.8, 30.0, 30.0, [], "Curve", "days"))
    points = [tuple(map(float, one.split(","))) for one in found.find("polyline").get("points", "").split()]  # type: ignore[union-attr]
    heights = [(130.0 - y) / 116.0 for _, y in points]
    assert heights[0] == pytest.approx(0.8, abs=0.01)
    now = float(found.find("line[@class='now']").get("x1", "0"))  # type: ignore[union-attr]
    at_now = min(points, key=lambda point: abs(point[0] - now))
    assert (130.0 - at_now[1]) / 116.0 == pytest.approx(0.4, abs=0.03)


def test_what_does_not_fade_is_a_line() -> None:
    """A decision keeps its confidence; its uses are ticks."""
    found = fading(0.9, 0.0, 100.0, [1.0, 50.0, 50.0], "Curve", "days")
    assert found.count('class="tick"') == 2


def test_files_around_a_file() -> None:
    """Each has its name and its share in words; ten at most."""
    others = [(f"dir/f{n}.py", 0.9 - n / 100) for n in range(20)]
    found = drawn(together("dir/x.py", others, "Together"))
    assert len(list(found.iter("line"))) == 10
    assert any("f0.py 90%" in (one.text or "") for one in found.iter("text"))
    assert together("x.py", [], "Together") == ""
