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
    """No box leaves the picture, and each has its share of it; the hottest has the highest bar."""
    boxes = [Box(f"m{n}", 100.0 / (n + 1), 0.5, f"m{n}: told", heat=n / 5) for n in range(6)]
    found = drawn(treemap(boxes, "Map", "others"))
    rects = [one for one in found.iter("rect") if one.get("class") == "box"]
    areas = [float(one.get("width", "0")) * float(one.get("height", "0")) for one in rects]
    whole = sum(areas)
    assert whole == pytest.approx(720 * 320, rel=0.01)
    for area, box in zip(areas, boxes, strict=True):
        assert area / whole == pytest.approx(box.size / sum(one.size for one in boxes), rel=0.02)
    assert [one.text for one in found.iter("title")][:2] == ["Map", "m0: told"]
    bars = [float(one.get("height", "0")) for one in found.iter("rect") if one.get("class") == "heat"]
    inner = [float(one.get("height", "0")) - 4 for one in rects[1:]]
    shares = [bar / whole for bar, whole in zip(bars, inner, strict=True)]
    assert shares == pytest.approx([0.2, 0.4, 0.6, 0.8, 1.0], abs=0.01)


def test_many_small_parts_are_one_box() -> None:
    """A map of two hundred modules can still be read, and so can the ten nearest of many files."""
    found = treemap([Box(f"m{n}", 1.0 + n, 0.0, "told") for n in range(200)], "Map", "other modules")
    assert found.count('class="box"') == 14
    assert "other modules: 187" in found
    assert treemap([], "Map", "others") == together("x.py", [], "Together") == ""
    found = together("dir/x.py", [(f"dir/f{n}.py", 0.9 - n / 100) for n in range(20)], "Together")
    assert found.count("<line") == 10
    assert "f0.py 90%" in found


def test_names_are_escaped() -> None:
    """A folder may be called anything."""
    found = treemap([Box("<b>", 1.0, 0.0, "<i>", '/x?"')], "<u>", "o") + together(
        "<a>", [("<c>", 0.5)], "<d>"
    )
    assert not re.search(r"<[biuacd]>", found)


def test_confidence_fades_by_half() -> None:
    """After a half-life without use the curve is at half of where it began; days of use are ticks."""
    found = drawn(fading(0.8, 30.0, 30.0, [], "Curve", "days"))
    points = [tuple(map(float, one.split(","))) for one in found.find("polyline").get("points", "").split()]  # type: ignore[union-attr]
    heights = [(130.0 - y) / 116.0 for _, y in points]
    assert heights[0] == pytest.approx(0.8, abs=0.01)
    now = float(found.find("line[@class='now']").get("x1", "0"))  # type: ignore[union-attr]
    at_now = min(points, key=lambda point: abs(point[0] - now))
    assert (130.0 - at_now[1]) / 116.0 == pytest.approx(0.4, abs=0.03)
    assert fading(0.9, 0.0, 100.0, [1.0, 50.0, 50.0], "Curve", "days").count('class="tick"') == 2
