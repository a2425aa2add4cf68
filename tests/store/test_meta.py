"""Small facts about a database are kept as JSON."""

from __future__ import annotations

from remora.store.database import Database


def test_values_and_defaults(db: Database):
    """A value is what was last set, of any JSON kind; one never set is the default; no sign is special."""
    assert db.meta.get("a", 7) == 7
    value = {"é": [1, 2.5, None, True], "'": "日"}
    with db.connection.transaction():
        for key in ("branch.a", "branch.b", "branch", "brancz", "b%"):
            db.meta.set(key, key.upper())
        db.meta.set("a", value)
        db.meta.set("none", None)
    assert (db.meta.get("a", 7), db.meta.get("none", 7)) == (value, None)
    assert db.meta.starting("branch.") == {"branch.a": "BRANCH.A", "branch.b": "BRANCH.B"}
    assert db.meta.starting("%") == {}
