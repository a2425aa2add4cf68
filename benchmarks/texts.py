"""Made-up memories, turns and questions with the word statistics of real ones, the same for every run."""

from __future__ import annotations

import hashlib
import itertools
import random
from typing import NamedTuple

from remora.core.values import MemoryDraft

VOCABULARY = 4_000  # different words; a project's notes use a few thousand
FILES = 600  # different paths
# Zipf's law without its head, which is function words. With it the words of a question stand in as many
# texts as those of real ones: the shares of the texts that hold each word add up to 0.14 (median), where
# questions over CoSQA's functions have 0.12 and subjects of click's commits 0.12.
SHIFT = 30
_ONSETS = "b br c cl d dr f fl g gr h j k l m n p pl pr qu r s sc sh sl sp st t th tr v w z".split()
_VOWELS = "a ai e ea i o oo ou u".split()
_CODAS = ["", "b", "ck", "d", "g", "l", "ll", "m", "n", "nd", "ng", "nt", "p", "r", "rt", "s", "st", "t", "x"]
_TYPES = ("gotcha", "decision", "pattern", "error_pattern", "module_insight", "requirement", "preference")
_ENDINGS = ("py", "py", "ts", "go", "md")
_FIXED = "the of to when is for with after before must not use in and".split()


class Sample(NamedTuple):
    """A memory as it would be proposed, and a question that its text answers."""

    draft: MemoryDraft
    query: str


class Texts:
    """An endless supply of texts from one seed.

    Words follow Zipf's law: the n-th word appears in proportion to 1 / (n + SHIFT). One word in eight is
    an identifier made of two or three words, and a third of the texts name a file.
    """

    def __init__(self, seed: int = 7) -> None:
        self._draw = random.Random(seed)
        words: dict[str, None] = {}
        while len(words) < VOCABULARY:
            syllables = self._draw.choices((1, 2, 3), (2, 5, 3))[0]
            words["".join(self._syllable() for _ in range(syllables))] = None
        self._words = list(words)
        self._weights = list(itertools.accumulate(1.0 / (rank + SHIFT) for rank in range(VOCABULARY)))
        self._paths = [self._path() for _ in range(FILES)]
        self._count = 0

    def _syllable(self) -> str:
        return self._draw.choice(_ONSETS) + self._draw.choice(_VOWELS) + self._draw.choice(_CODAS)

    def _path(self) -> str:
        folder, name = self._draw.choices(self._words[:300], k=2)
        stem = "_".join(self._draw.choices(self._words, k=self._draw.choice((1, 2))))
        return f"src/{folder}/{name}/{stem}.{self._draw.choice(_ENDINGS)}"

    def _identifier(self) -> str:
        parts = self._plain(self._draw.choice((2, 3)))
        if self._draw.random() < 0.5:
            return "_".join(parts)
        return parts[0] + "".join(part.title() for part in parts[1:])

    def _plain(self, count: int) -> list[str]:
        return self._draw.choices(self._words, cum_weights=self._weights, k=count)

    def sentence(self, low: int = 10, high: int = 32) -> str:
        """Return a text of `low` to `high` words."""
        found: list[str] = []
        for word in self._plain(self._draw.randint(low, high)):
            dice = self._draw.random()
            if dice < 0.125:
                found.append(self._identifier())
            elif dice < 0.4:
                found += [self._draw.choice(_FIXED), word]
            else:
                found.append(word)
        text = " ".join(found)
        return f"{text[0].upper()}{text[1:]}."

    def sample(self) -> Sample:
        """Return the next memory with a question for it; no two memories have the same text."""
        self._count += 1
        text = self.sentence()
        files = tuple(self._draw.sample(self._paths, self._draw.choice((0, 1, 1, 2))))
        if files and self._draw.random() < 0.5:
            text = f"{text} In {files[0]}."
        words = [w.strip(".") for w in text.split() if w not in _FIXED]
        query = " ".join(self._draw.sample(words, min(len(words), self._draw.randint(3, 6))))
        draft = MemoryDraft(
            content=text,
            type=self._draw.choice(_TYPES),
            related_files=files,
            tags=tuple(self._plain(self._draw.choice((0, 1, 2)))),
            external_id=f"sample-{self._count}",
        )
        return Sample(draft, query)


def numbered(number: int) -> str:
    """Return a text that holds a number and shares few words with that of any other number."""
    words = hashlib.blake2b(str(number).encode(), digest_size=32).hexdigest()
    parts = " ".join(words[at : at + 6].translate(_LETTERS) for at in range(0, 60, 6))
    return f"Probe {number} says {parts}"


_LETTERS = str.maketrans("0123456789abcdef", "ghijklmnoprstuvw")
