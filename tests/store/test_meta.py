"""Small facts about a database are kept as JSON."""

from __future__ import annotations

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from remora.store.database import Database

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=5,
)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.text(min_size=1, max_size=10), VALUES, VALUES)
def test_values_come_back(db: Database, key: str, first: object, second: object):
    """A value is what was last set, of any JSON kind, under any key."""
    with db.connection.transaction(durable=False):
        db.meta.set(key, first)
        db.meta.set(key, second)
    assert db.meta.get(key, "default") == second


def test_defaults_and_keys_by_their_start(db: Database):
    """A key that was never set has the caller's default; keys that begin alike are read at once."""
    assert db.meta.get("a", 7) == 7
    with db.connection.transaction():
        for key in ("branch.a", "branch.b", "branch", "brancz", "b%"):
            db.meta.set(key, key.upper())
        db.meta.set("a", None)
    assert db.meta.get("a", 7) is None
    assert db.meta.starting("branch.") == {"branch.a": "BRANCH.A", "branch.b": "BRANCH.B"}
    assert db.meta.starting("%") == {}
