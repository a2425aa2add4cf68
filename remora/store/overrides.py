"""SQL for method overrides: found by name along the base classes.

Overrides are not stored as edges. A method overrides a base method with the same name; in languages with
overloading the name is enough. Go methods may be in any file of their type's package. Constructors and
private methods override nothing. Bases count if they are certain, over any number of steps; stale edges
do not count (see `graph`).
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import NamedTuple

from remora.core.code import GUESS_BELOW
from remora.store.connection import Tables
from remora.store.graph import FRESH, Edge

CONSTRUCTORS = frozenset({"__init__", "__new__", "__construct", "constructor", "initialize"})
FEW = 50  # classes below one that are visited
MOST = 2_000  # steps from a class to a base within one query
_BASE = f"e.type IN ('inherits', 'implements') AND e.files = 0 AND e.confidence >= {GUESS_BELOW} AND {FRESH}"
# The key of the definition around a method `m`: its own without the name, and without an overload number.
_PLAIN = "rtrim(m.key, '0123456789')"
_HOLDER = f"""substr(m.key, 1, length(CASE WHEN substr({_PLAIN}, -1) = '#'
                THEN substr({_PLAIN}, 1, length({_PLAIN}) - 1) ELSE m.key END) - length(m.label) - 1)"""
# The class of a method `m` with the key {0}: in its file, in Go in any file of the package.
_CLASS = """c.id = coalesce((SELECT h.id FROM graph_nodes h WHERE h.key = {0}),
              (SELECT h.id FROM graph_files f
               CROSS JOIN graph_files o ON o.folder = f.folder AND o.skipped = ''
               CROSS JOIN graph_nodes h ON h.key = o.path || substr({0}, length(f.path) + 1)
               WHERE m.language = 'go' AND f.path = m.file_path ORDER BY o.path LIMIT 1))"""
# The given methods ?1, as (id, name, key of the class). Python's own private names get the name of their
# class.
_OWN = f"""own(method, label, class) AS (
             SELECT m.id, m.label, c.id FROM json_each(?1) j
             CROSS JOIN graph_nodes m ON m.id = j.value ->> 0 AND m.type = 'method'
               AND m.label = j.value ->> 1
             CROSS JOIN graph_nodes c ON {_CLASS.format("(j.value ->> 2)")}
             WHERE instr(' ' || coalesce(m.metadata ->> 'signature', ''), ' private ') = 0
               AND NOT (m.language = 'python' AND m.label GLOB '__*' AND m.label NOT GLOB '*__'))"""
# The methods `m` of a class `c` with the name in a row `w`.
_CALLED_SO = """m.id IN (
                  SELECT s.id FROM graph_nodes s
                  WHERE s.label = w.label AND s.file_path = c.file_path AND s.type = 'method'
                    AND (s.key = c.key || '.' || w.label OR
                      substr(s.key, 1, length(c.key || w.label) + 2) = c.key || '.' || w.label || '#')
                  UNION ALL SELECT s.id FROM graph_files f
                  CROSS JOIN graph_files o ON o.folder = f.folder AND o.skipped = '' AND o.path <> f.path
                  CROSS JOIN graph_nodes s ON s.key = o.path || ':' || c.label || '.' || w.label
                  WHERE c.language = 'go' AND f.path = c.file_path)"""
_TO = """m.id, w.method, CASE WHEN b.type = 'interface' AND c.type <> 'interface' THEN 'implements'
           ELSE 'overrides' END, 'ast', 1.0, max(w.sure)"""
# The nearest methods that override the given ones, searched downwards.
_DOWN = f"""WITH RECURSIVE {_OWN}, below(method, label, target, class, sure, has) AS (
              SELECT method, label, class, class, 1.0, 0 FROM own
              UNION SELECT w.method, w.label, w.target, e.from_id, min(w.sure, e.confidence),
                EXISTS (SELECT 1 FROM graph_nodes c CROSS JOIN graph_nodes m ON {_CALLED_SO}
                        WHERE c.id = e.from_id)
              FROM below w CROSS JOIN graph_edges e ON e.to_id = w.class WHERE w.has = 0 AND {_BASE})
            SELECT {_TO} FROM below w CROSS JOIN graph_nodes c ON c.id = w.class
            CROSS JOIN graph_nodes m ON {_CALLED_SO} CROSS JOIN graph_nodes b ON b.id = w.target
            WHERE w.has = 1 AND w.class <> w.target GROUP BY 1, 2 ORDER BY 6 DESC, m.key"""
# The same from all methods of the name up.
_UP = f"""WITH RECURSIVE {_OWN}, so(id, class, method, target) AS MATERIALIZED (
            SELECT m.id, c.id, o.method, o.class FROM own o
            CROSS JOIN graph_nodes m ON m.label = o.label AND m.type = 'method' AND m.id <> o.method
            CROSS JOIN graph_nodes c ON {_CLASS.format(_HOLDER)}),
          above(id, method, target, class, sure) AS (
            SELECT w.id, w.method, w.target, e.to_id, e.confidence FROM so w
            CROSS JOIN graph_edges e ON e.from_id = w.class WHERE {_BASE}
            UNION SELECT a.id, a.method, a.target, e.to_id, min(a.sure, e.confidence) FROM above a
            CROSS JOIN graph_edges e ON e.from_id = a.class
            WHERE a.class <> a.target AND {_BASE}
              AND NOT EXISTS (SELECT 1 FROM so w WHERE w.class = a.class AND w.method = a.method)
            LIMIT {MOST})
          SELECT {_TO} FROM above w CROSS JOIN so o ON o.id = w.id AND o.method = w.method
          CROSS JOIN graph_nodes m ON m.id = w.id CROSS JOIN graph_nodes c ON c.id = o.class
          CROSS JOIN graph_nodes b ON b.id = w.target
          WHERE w.class = w.target GROUP BY 1, 2 ORDER BY 6 DESC, m.key"""


class Overridden(NamedTuple):
    """A base method that another method overrides.

    Attributes:
        method, owner: the ids of the overriding method and of its class.
        id, base: the ids of the overridden method and of its class; `name` is the method's name.
        confidence: the least of the edges between the classes.
    """

    method: int
    owner: int
    id: int
    base: int
    name: str
    confidence: float


class Overrides(Tables):
    """The method overrides of one project's code; read-only."""

    def of(self, keys: Mapping[int, str]) -> list[Edge]:
        """Return edges to some methods, given by id with their keys, from the methods that override them.

        Only the nearest override in each line of classes; its own overrides are found by asking again from
        it. Most methods have few subclasses, which are walked; below a busy base the search goes upwards,
        from all methods of the name.
        """
        if not (asked := _asked(keys)):
            return []
        below = f"""WITH RECURSIVE {_OWN}, below(class) AS (
                      SELECT class FROM own UNION SELECT e.from_id FROM below a
                      CROSS JOIN graph_edges e ON e.to_id = a.class WHERE {_BASE} LIMIT {FEW})
                    SELECT count(*) FROM below"""
        way = _DOWN if self._connection.value(below, (asked,)) < FEW else _UP
        return [Edge(*r) for r in self._connection.rows(way, (asked,))]

    def by(self, keys: Mapping[int, str]) -> list[Overridden]:
        """Return the methods in any base that some methods, given by id with their keys, override."""
        if not (asked := _asked(keys)):
            return []
        sql = f"""WITH RECURSIVE {_OWN}, above(class, base, sure) AS (
                    SELECT e.from_id, e.to_id, e.confidence FROM (SELECT DISTINCT class FROM own) o
                    CROSS JOIN graph_edges e ON e.from_id = o.class WHERE {_BASE}
                    UNION SELECT a.class, e.to_id, min(a.sure, e.confidence) FROM above a
                    CROSS JOIN graph_edges e ON e.from_id = a.base WHERE {_BASE} LIMIT {MOST})
                  SELECT w.method, w.class, m.id, c.id, c.label, max(a.sure)
                  FROM own w JOIN above a ON a.class = w.class
                  CROSS JOIN graph_nodes c ON c.id = a.base CROSS JOIN graph_nodes m ON {_CALLED_SO}
                  GROUP BY 1, 3 ORDER BY w.method, m.key"""
        return [Overridden(*r) for r in self._connection.rows(sql, (asked,))]

    def bases(self, ids: Collection[int]) -> dict[int, set[int]]:
        """Return all bases of each of some classes, by id."""
        sql = f"""WITH RECURSIVE above(class, base) AS (
                    SELECT e.from_id, e.to_id FROM json_each(?) j
                    CROSS JOIN graph_edges e ON e.from_id = j.value WHERE {_BASE}
                    UNION SELECT a.class, e.to_id FROM above a
                    CROSS JOIN graph_edges e ON e.from_id = a.base WHERE {_BASE})
                  SELECT class, base FROM above"""
        found: dict[int, set[int]] = {one: set() for one in ids}
        for one, base in self._connection.rows(sql, (ids,)):
            found[one].add(base)
        return found


def outer(key: str) -> tuple[str, str]:
    """Return the key of the definition around a definition ("" for none), and its name.

    >>> outer("a/b.py:Shop.Cart.add#2"), outer("a/b.py:add")
    (('a/b.py:Shop.Cart', 'add'), ('', 'add'))
    """
    path, _, symbol = key.rpartition(":")
    holder, _, name = symbol.rpartition(".")
    return f"{path}:{holder}" if holder else "", name.partition("#")[0]


def _asked(keys: Mapping[int, str]) -> list[tuple[int, str, str]]:
    """Return (id, name, key of the class) of the methods among some that may override or be overridden."""
    places = ((i, *outer(key)) for i, key in keys.items())
    return [(i, name, holder) for i, holder, name in places if holder and name not in ("", *CONSTRUCTORS)]
