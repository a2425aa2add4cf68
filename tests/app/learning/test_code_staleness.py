"""What sessions say of code is learned while it stands, doubted when it goes, and trusted when it is back."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from remora import Memory
from remora.app.learning.code_staleness import LACKS, CodeNow
from remora.app.learning.learn import LearnReport
from remora.core.values import MemoryRecord
from remora.llm.scripted import Call, ScriptedModel
from tests.app.learning.test_learn import Talk
from tests.helpers import Repo, environment

TOTALS = "def total_of_rows(rows):\n    return sum(row.cents for row in rows)\n"
TILL = "class Till:\n    def close_register(self):\n        return total_of_rows(self.rows)\n"
FACT = "The receipt sums its rows with `total_of_rows()` of the totals."
RULE = "Always call `total_of_rows()` for the sum of the rows."
THANKS = "perfect, thanks"


def answer(_: Call) -> str:
    """Return a model's answer that makes a memory of what the person said first."""
    return json.dumps({"memories": [{"content": FACT, "type": "gotcha", "evidence": ["U1"]}]})


def opened(root: Path, home: Path) -> Memory:
    """Open a project with a model that writes what sessions taught."""
    environ = environment(home, REMORA_LEARN_SYNTHESIS="true")
    return Memory.open(root, environ=environ, llm=ScriptedModel([answer] * 9))


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[Memory]:
    """A small project, indexed."""
    root = tmp_path / "project"
    for path, text in {
        "shop/totals.py": TOTALS,
        "shop/till.py": TILL,
        "shop/mail.py": "SENDER = 'x'\n",
    }.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(text)
    with opened(root, tmp_path) as memory:
        memory.index()
        yield memory


def session(memory: Memory, tmp_path: Path, branch: str = "main", said: str = FACT) -> Path:
    """Write a session in which a person speaks of the code; return its folder."""
    talk = Talk("s1", 5, str(memory.root), branch).user(said)
    return talk.reply("The receipt sums its rows.").user(THANKS).save(tmp_path / "talks").parent


def facts(report: LearnReport) -> list[MemoryRecord]:
    """Return the memories that the model wrote."""
    return [o.memory for o in report.learnt if o.memory.type == "gotcha"]


def why_not(report: LearnReport) -> list[str]:
    """Return why candidates did not stand."""
    return [d.why for d in report.left_out if d.filter == "standing"]


def test_what_lost_its_name_is_not(memory: Memory, tmp_path: Path) -> None:
    """The index is brought up to date first, so a name that went a moment ago is missed."""
    for path in ("shop/totals.py", "shop/till.py"):
        file = memory.root / path
        file.write_text(file.read_text().replace("total_of_rows", "receipt_sum"))
    report = memory.learn(session(memory, tmp_path))
    assert facts(report) == []
    assert why_not(report) == ["the code no longer has total_of_rows"]


def test_a_persons_rule_may_name_what_is_yet_to_be_written(memory: Memory, tmp_path: Path) -> None:
    """Rules of a person are not held against the code, now or later."""
    rule = RULE.replace("total_of_rows", "sum_in_cents")
    said = f"Sum the rows of the receipt. {rule}"
    report = memory.learn(session(memory, tmp_path, said=said))
    (learnt,) = [o.memory for o in report.learnt if o.memory.type == "preference"]
    assert learnt.content.startswith(rule)
    memory.init()
    assert memory.show(learnt.id).stale_at is None
    db = memory._project.db
    mark = {"stale_at": "2026-01-06T00:00:00.000Z", "review_reason": f"{LACKS} sum_in_cents"}
    with db.transaction():
        db.memories.update(learnt.id, mark)
    memory.init()
    assert (memory.show(learnt.id).stale_at, memory.show(learnt.id).review_reason) == (None, None)


def test_a_place_that_is_not_there_is_not(memory: Memory) -> None:
    """Where something is said to be, there is a file; what is said not to be there needs none."""
    now = CodeNow(memory._project)
    memory.index()
    for path in ("shop/totals.py", "./shop/totals.py", "../other/gone.py", "/etc/hosts.d/a.conf"):
        assert now.lacks(f"The rounding is defined in {path}, not in shop/gone.py.") == []
    (memory.root / "conf").mkdir()
    (memory.root / "conf" / "base.yaml").write_text("a: 1\n")
    assert now.lacks("The limit is loaded from conf/base.yaml.") == []
    assert now.lacks("The limit is set in `shop/net/retry.py`.") == ["shop/net/retry.py"]


def test_what_is_on_a_branch_of_its_own_is_not_asked_for_here(tmp_path: Path) -> None:
    """A session on main before it is learned loses nothing; merged, it is asked for again."""
    repo = Repo(tmp_path / "project").init()
    repo.commit("begin", {"shop/mail.py": "SENDER = 'x'\n"})
    repo.git("checkout", "-qb", "topic")
    repo.commit("totals", {"shop/totals.py": TOTALS, "shop/till.py": TILL})
    repo.git("checkout", "-q", "main")
    with opened(repo.root, tmp_path) as memory:
        memory.index()
        (learnt,) = facts(memory.learn(session(memory, tmp_path, "topic")))
        assert memory.show(learnt.id).stale_at is None
        repo.git("merge", "-q", "topic")
        repo.put("shop/totals.py", TOTALS.replace("total_of_rows", "receipt_sum"))
        repo.put("shop/till.py", TILL.replace("total_of_rows", "receipt_sum"))
        memory.init()
        assert memory.show(learnt.id).branch is None
        assert memory.show(learnt.id).stale_at is not None


def test_without_an_index_nobody_asks(tmp_path: Path) -> None:
    """A project that was never indexed says nothing about what stands."""
    (tmp_path / "bare").mkdir()
    with opened(tmp_path / "bare", tmp_path) as memory:
        assert len(facts(memory.learn(session(memory, tmp_path)))) == 1


def test_what_goes_later_is_marked_until_it_is_back(memory: Memory, tmp_path: Path) -> None:
    """`learn` and `init` mark and lift; what a person confirmed is left alone."""
    (fact,) = facts(memory.learn(session(memory, tmp_path)))
    learnt = memory.show(fact.id)
    file = memory.root / "shop/totals.py"
    file.write_text(TOTALS.replace("total_of_rows", "receipt_sum"))
    till = memory.root / "shop/till.py"
    till.write_text(TILL.replace("total_of_rows", "receipt_sum"))
    memory.index()
    report = memory.learn(tmp_path / "talks")
    assert report.notes == ("memories ranked lower because they name deleted code: 1",)
    marked = memory.show(learnt.id)
    assert marked.stale_at is not None
    assert marked.review_reason is not None
    assert marked.review_reason.endswith("the code no longer has total_of_rows")
    assert memory.learn(tmp_path / "talks").notes == ()
    file.write_text(TOTALS)
    memory.init()
    back = memory.show(learnt.id)
    assert (back.stale_at, back.needs_review) == (None, learnt.needs_review)
    assert "no longer has" not in (back.review_reason or "")
    memory.verify(learnt.id)
    file.write_text("")
    memory.init()
    assert memory.show(learnt.id).stale_at is None


def test_what_branches_show_for_the_project_must_hold_here(tmp_path: Path) -> None:
    """Files that change together on a branch which nobody merged are of no use to who works without them."""
    repo = Repo(tmp_path / "project").init()
    repo.commit("start", {f"shop/{name}.py": f"{name} = 1\n" for name in ("till", "totals", "mail")})
    repo.git("branch", "-M", "main")
    repo.git("checkout", "-q", "-b", "topic")
    repo.commit("lists", {f"lists/{name}.py": f"{name} = 1\n" for name in ("data", "view")})
    repo.git("checkout", "-q", "main")
    for day in range(1, 11):
        branch = "topic" if day % 2 else "main"
        one, two = ("lists/data.py", "lists/view.py") if day % 2 else ("shop/till.py", "shop/totals.py")
        talk = Talk(f"s{day}", day, str(repo.root), branch).user("Please show the rows in another order")
        talk.edit(one).edit(two).tool("Bash", "12 passed", command="make test")
        talk.reply("They are in another order now.").user(THANKS)
        talk.save(tmp_path / "talks")
    with Memory.open(repo.root, environ=environment(tmp_path)) as memory:
        memory.index()
        memory.learn(tmp_path / "talks")
        told = [m.content for m in memory.list(branch="*") if m.type == "causal_dependency"]
    assert len(told) == 1
    assert "shop/till.py" in told[0]
