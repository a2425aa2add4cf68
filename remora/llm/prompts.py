"""Load and fill prompt files; a missing or an extra variable is an error."""

from __future__ import annotations

import re
from functools import cache
from importlib.resources import files

from remora.core.errors import InvalidInput

_VARIABLE = re.compile(r"\{\{([a-z_]+)\}\}")


@cache
def load(package: str, name: str) -> str:
    """Return the text of `<name>.prompt`, a file beside the code that uses it."""
    return files(package).joinpath(f"{name}.prompt").read_text(encoding="utf-8").strip()


def variables(template: str) -> set[str]:
    """Return the names of a template's variables.

    >>> sorted(variables("Hello {{name}}, it is {{time}}"))
    ['name', 'time']
    """
    return set(_VARIABLE.findall(template))


def fill(template: str, **values: str) -> str:
    """Return a template with every `{{name}}` replaced by its value, in one pass.

    Text in a value is never treated as a variable.

    Raises:
        InvalidInput: a variable has no value, or a value no variable.

    >>> fill("{{a}} and {{b}}", a="{{b}}", b="2")
    '{{b}} and 2'
    """
    wanted = variables(template)
    if wanted != set(values):
        differing = ", ".join(sorted(wanted ^ set(values)))
        raise InvalidInput(f"the prompt and its values differ in {differing}")
    return _VARIABLE.sub(lambda m: values[m[1]], template)
