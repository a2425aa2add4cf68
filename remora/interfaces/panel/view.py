"""What a page is made from, and what it answers."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

from remora.interfaces.panel.guard import Visit
from remora.interfaces.words import Words

if TYPE_CHECKING:
    from remora.app.memory import Memory


CARDS = "remora_cards"  # cookie of a browser in which the first steps were closed


class Asked(NamedTuple):
    """A request, as pages and actions see it.

    Attributes:
        memory: of the project that was chosen.
        project: its key in addresses.
        words: the person's language.
        visit: the browser's session.
        query: the fields of the address.
        named: the parts of the path.
        form: the fields of a form, each with all its values; empty of a page.
        now: seconds since the epoch.
    """

    memory: Memory
    project: str
    words: Words
    visit: Visit
    query: Mapping[str, str]
    named: Mapping[str, str]
    form: Mapping[str, list[str]]
    now: float

    def field(self, name: str, default: str = "") -> str:
        """Return a field of the form, without the white space around it."""
        return self.form.get(name, [default])[0].strip()

    def fields(self, name: str) -> list[str]:
        """Return all values of a field of the form."""
        return self.form.get(name, [])

    def number(self, name: str, default: int, most: int = 1_000_000) -> int:
        """Return a number of the address; the default where it is none."""
        text = self.query.get(name, "")
        return min(int(text), most) if text.isdecimal() and text.isascii() else default


class View(NamedTuple):
    """An answer: the document that `remora … --json` prints, and how it is shown.

    Attributes:
        document: the JSON.
        template: name of the template.
        more: what the template needs besides the document's fields.
        status: of HTTP.
    """

    document: Any
    template: str
    more: Mapping[str, Any] = {}
    status: int = 200


class Done(NamedTuple):
    """A change that was made: where to go on, and the name of a cookie that is set for good."""

    path: str = ""
    cookie: str = ""
