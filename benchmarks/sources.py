"""A made-up Python project of any size, the same for every run: packages, imports, classes, calls, tests.

Its measures are those of large real projects: about 10 kB a file, a dozen classes and functions in it, half
a dozen imports of other modules, of which a few are imported by nearly all. One file in five is a test. It
stands in where no real repository is named; what is promised of real ones is judged on those.
"""

from __future__ import annotations

import itertools
import random
import subprocess
from collections.abc import Iterator
from pathlib import Path

from benchmarks.texts import Texts

PACKAGE_FILES = 25
IMPORTS = 6
CLASSES, METHODS, FUNCTIONS = 3, 5, 9
_OUTSIDE = ("os", "json", "logging", "collections", "itertools", "functools")


class Sources:
    """Python files from one seed.

    Args:
        files: how many, tests included, without the `__init__.py` of each package.
    """

    def __init__(self, files: int, seed: int = 11) -> None:
        self._draw = random.Random(seed)
        self._texts = Texts(seed)
        self._modules = [self._module(at) for at in range(files - files // 5)]
        self._tests = files // 5
        # The n-th module is imported in proportion to 1 / (n + 5): some by nearly everybody.
        self._weights = list(itertools.accumulate(1.0 / (at + 5) for at in range(len(self._modules))))

    def _module(self, at: int) -> str:
        return f"made.part{at // PACKAGE_FILES}.{self._word()}_{at}"

    def _word(self) -> str:
        words = [w.strip(".").lower() for w in self._texts.sentence(4, 4).split()]
        return next((w for w in words if w.isalpha() and len(w) > 3), "module")

    def files(self) -> Iterator[tuple[str, str]]:
        """Yield each file's path and text."""
        folders = {"made", *(m.rpartition(".")[0].replace(".", "/") for m in self._modules)}
        for folder in sorted(folders):
            yield f"{folder}/__init__.py", f'"""{self._texts.sentence(4, 9)}"""\n'
        for at, module in enumerate(self._modules):
            yield f"{module.replace('.', '/')}.py", self._source(at)
        for number in range(self._tests):
            at = number * len(self._modules) // max(1, self._tests)
            yield f"tests/test_{self._modules[at].rpartition('.')[2]}.py", self._test(at)

    def _imported(self, at: int) -> list[int]:
        chosen = self._draw.choices(range(len(self._modules)), cum_weights=self._weights, k=IMPORTS)
        return sorted(set(chosen) - {at})

    def _source(self, at: int) -> str:
        others = self._imported(at)
        lines = [f'"""{self._texts.sentence(10, 20)}"""', "", "from __future__ import annotations", ""]
        lines += [f"import {name}" for name in sorted(self._draw.sample(_OUTSIDE, 3))] + [""]
        lines += [f"from {self._modules[o]} import Kind{o}_0, make_{o}_0, make_{o}_1" for o in others]
        for number in range(FUNCTIONS):
            lines += ["", "", f"def make_{at}_{number}(value: int, size: int = {number}) -> int:"]
            lines += self._body(at, others, "    ", number)
        for number in range(CLASSES):
            base = f"(Kind{others[0]}_0)" if number == 0 and others and self._draw.random() < 0.3 else ""
            lines += ["", "", f"class Kind{at}_{number}{base}:", f'    """{self._texts.sentence(8, 16)}"""']
            lines += ["", "    def __init__(self, value: int) -> None:", "        self.value = value"]
            for method in range(METHODS):
                lines += ["", f"    def step_{at}_{method}(self, value: int, size: int = 0) -> int:"]
                lines += self._body(at, others, "        ", method)
                if method:
                    lines.insert(len(lines) - 1, f"        value += self.step_{at}_{method - 1}(value)")
        return "\n".join(lines) + "\n"

    def _body(self, at: int, others: list[int], indent: str, number: int) -> list[str]:
        lines = [f'"""{self._texts.sentence(8, 16)}"""']
        name = f"{self._word()}_list"  # no keyword ends so
        lines += [f"{name} = [value * {self._draw.randint(2, 9)} for _ in range(size)]"]
        lines += [f"if value > {self._draw.randint(10, 99)}:", f"    {name}.append(value)"]
        if number and indent == "    ":
            lines.append(f"value += make_{at}_{number - 1}(value, len({name}))")
        if others:
            other = self._draw.choice(others)
            lines.append(f"found = Kind{other}_0(value)")
            lines.append(f"value += found.step_{other}_{self._draw.randrange(METHODS)}(size)")
            lines.append(f"value -= make_{self._draw.choice(others)}_{self._draw.randrange(2)}(value)")
        lines += [f"return value + len({name})"]
        return [indent + line for line in lines]

    def _test(self, at: int) -> str:
        module = self._modules[at]
        lines = [f'"""{self._texts.sentence(5, 9)}"""', ""]
        lines.append(f"from {module} import Kind{at}_0, make_{at}_0, make_{at}_1")
        for number in range(METHODS * 4):
            lines += ["", "", f"def test_step_{number}():", f'    """{self._texts.sentence(8, 16)}"""']
            lines += [
                f"    kind = Kind{at}_0({number})",
                f"    assert kind.step_{at}_{number % METHODS}(1) == 1",
            ]
            lines += [f"    assert make_{at}_{number % 2}({number}) == {number}"]
        return "\n".join(lines) + "\n"


def make_repository(folder: Path, files: int, changed: int) -> None:
    """Make a git repository of two commits in a new folder.

    Args:
        files: how many Python files it has.
        changed: how many of them the second commit changes.
    """
    written = []
    for path, text in Sources(files).files():
        place = folder / path
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(text)
        written.append(place)
    _git(folder, "init", "-q", "-b", "main")
    _commit(folder, "Add the modules")
    for place in random.Random(changed).sample(written, min(changed, len(written))):
        place.write_text(
            f"{place.read_text()}\n\ndef added_{place.stem}(value: int) -> int:\n    return value\n"
        )
    _commit(folder, "Add a function to some of them")


def _commit(folder: Path, message: str) -> None:
    _git(folder, "add", "-A")
    who = ("-c", "user.name=Someone", "-c", "user.email=someone@example.invalid")
    _git(folder, *who, "commit", "-q", "-m", message)


def _git(folder: Path, *arguments: str) -> None:
    subprocess.run(["git", "-C", str(folder), *arguments], check=True)
