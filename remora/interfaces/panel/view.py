"""Types of the panel: the request, the response and the result of an action."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

from remora.interfaces.panel.guard import Visit
from remora.interfaces.words import Words

if TYPE_CHECKING:
    from remora.app.memory import Memory


CARDS = "remora_cards"  # cookie that hides the first steps


class Asked(NamedTuple):
    """A request for a page or an action.

    Attributes:
        memory: the memory of the chosen project.
        project: the project's key in URLs.
        words: the messages in the user's language.
        visit: the browser's session.
        query: the query parameters.
        named: the path parameters.
        form: the fields of a form, each with all its values; empty for a page.
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
        """Return a field of the form, stripped of surrounding white space."""
        return self.form.get(name, [default])[0].strip()

    def fields(self, name: str) -> list[str]:
        """Return all values of a field of the form."""
        return self.form.get(name, [])

    def number(self, name: str, default: int, most: int = 1_000_000) -> int:
        """Return a query parameter as a number, at most `most`; the default if it is not a number."""
        text = self.query.get(name, "")
        return min(int(text), most) if text.isdecimal() and text.isascii() else default


class View(NamedTuple):
    """A response: the document of `remora … --json`, and its template.

    Attributes:
        document: the JSON document.
        template: the name of the template.
        more: variables of the template.
        status: the HTTP status.
    """

    document: Any
    template: str
    more: Mapping[str, Any] = {}
    status: int = 200


class Done(NamedTuple):
    """The result of an action: the path to redirect to, and the name of a permanent cookie to set."""

    path: str = ""
    cookie: str = ""
