"""Properties of known embedding models: prefixes, native length, truncatable vectors.

Most servers add no prefix, and most models lose a few points without their training prefixes. A truncatable
model (Matryoshka training) has the property that the first n numbers, normalised again, are a good vector of
n dimensions. Other models' vectors lose their meaning if truncated, so they never are. Sources: the models'
own cards.
"""

from __future__ import annotations

from typing import NamedTuple

QUERY_TASK = "Given a question or a task of a software project, retrieve the notes that help with it"
_PASSAGES = "Represent this sentence for searching relevant passages: "


class Known(NamedTuple):
    """Properties of one family of models; `dims` is None if sizes differ or it is unknown."""

    query_prefix: str = ""
    document_prefix: str = ""
    dims: int | None = None
    cuttable: bool = False


_INSTRUCT = f"Instruct: {QUERY_TASK}\nQuery:"

# Fragment of the lower-case name to facts; the first that fits counts, so narrow ones come first.
_FAMILIES: tuple[tuple[str, Known], ...] = (
    ("qwen3-embedding-0.6b", Known(_INSTRUCT, "", 1024, True)),
    ("qwen3-embedding-4b", Known(_INSTRUCT, "", 2560, True)),
    ("qwen3-embedding-8b", Known(_INSTRUCT, "", 4096, True)),
    ("qwen3-embedding", Known(_INSTRUCT, "", None, True)),
    ("text-embedding-3-small", Known("", "", 1536, True)),
    ("text-embedding-3-large", Known("", "", 3072, True)),
    ("text-embedding-ada-002", Known("", "", 1536, False)),
    ("nomic-embed-text", Known("search_query: ", "search_document: ", 768, True)),
    ("embeddinggemma", Known("task: search result | query: ", "title: none | text: ", 768, True)),
    ("mxbai-embed-large", Known(_PASSAGES, "", 1024, True)),
    ("arctic-embed2", Known("query: ", "", 1024, True)),
    ("arctic-embed-l-v2", Known("query: ", "", 1024, True)),
    ("arctic-embed-m-v2", Known("query: ", "", 768, True)),
    ("arctic-embed", Known(_PASSAGES, "", None, False)),
    ("bge-small-en", Known(_PASSAGES, "", 384, False)),
    ("bge-base-en", Known(_PASSAGES, "", 768, False)),
    ("bge-large-en", Known(_PASSAGES, "", 1024, False)),
    ("e5-mistral", Known(_INSTRUCT + " ", "", 4096, False)),
    ("multilingual-e5-large-instruct", Known(_INSTRUCT + " ", "", 1024, False)),
    ("multilingual-e5", Known("query: ", "passage: ", None, False)),
    ("e5-small", Known("query: ", "passage: ", 384, False)),
    ("e5-base", Known("query: ", "passage: ", 768, False)),
    ("e5-large", Known("query: ", "passage: ", 1024, False)),
)


def known(model: str) -> Known:
    """Return the properties of a model by its name; an unknown model has the defaults.

    >>> known("Qwen/Qwen3-Embedding-4B").dims, known("bge-m3") == Known()
    (2560, True)
    """
    name = model.lower().replace(":", "-")  # Ollama has a colon before the size
    return next((facts for fragment, facts in _FAMILIES if fragment in name), Known())
