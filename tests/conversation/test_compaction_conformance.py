"""The cases that documents 001, 003 and 004 list for compaction, on a real session log.

001, CompactionServiceTest, AutoCompactionSystemTest and SessionServiceTest: thresholds are in test_budget.py,
cuts in test_cut.py, flattening in test_flatten.py, summaries in test_summary.py, replay in test_log.py.
Where we differ from 001:

- A failed summary does not fall back to dropping the old messages: an extract takes their place, so
  "LLM null → 5 messages" is 6 here, the first of them the extract.
- "Unknown session → -1" and "not cached → -1, empty, no-op" are the application's: a log that nobody
  wrote to is empty, and whether it is in memory makes no difference.
- A person's `/compact` without a number keeps what the setting says (20), not 10: both triggers mean
  the same.
- A summariser that throws an error of its own passes it on, as there; failures of models and networks
  end in the extract.
- Session files in JSON or protobuf are read by the importer, not here.

003, "Compaction and sessions":

- Archive before marker, archive names and the text for a missing archive are the application's and the
  entry store's. That the marker names the archive, and replay starts at the last marker, is here.
- The trigger is 001's estimate, not 100,000 tokens of bytes / 4; a failed call ends in an extract, not in
  no compaction; the summary is a system message in front of what is kept, not the only message left.
- Results are cut to 2,000 characters when flattened (001), not to 1,024 bytes; the summary is never
  given any.

004, "What replaced it":

- Older floor(n / 2) and recent n - floor(n / 2) are `cut` with so many kept; the layout (system, summary,
  recent) has no separate system messages, since the log holds none of the host's prompt.
- Two rounds give one summary, which has taken the first one in, not two blocks: two blocks grow without
  end, and keeping only the last lost the first.
- Tool groups are flattened, not summarised one by one; what a person said is summarised, and its original
  stays in the log.
"""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from remora.conversation.log import SessionLog
from remora.core.errors import ProviderBusy
from remora.llm.scripted import ScriptedModel
from tests.conversation.compaction import SETTINGS, compact, context_of
from tests.conversation.logs import open_log, texts, user


def talk(folder: Path, count: int) -> SessionLog:
    """Return a log with the messages msg0, msg1 and so on."""
    log = open_log(folder)
    log.extend(user(f"msg{i}") for i in range(count))
    return log


@pytest.mark.parametrize("failure", ["", ProviderBusy("late")])
def test_fifty_messages_keep_five_without_an_answer(tmp_path: Path, failure: str | Exception) -> None:
    """No summary from the model: 5 messages there, 6 here, for the extract stands in front of them."""
    log = talk(tmp_path, 50)
    compact(log, 5, ScriptedModel([failure]))
    extract, *kept = texts(context_of(log))
    assert extract.startswith("[Conversation summary]\n45 messages, extracted")
    assert kept == [f"msg{i}" for i in range(45, 50)]


def test_a_compaction_between_call_and_result(tmp_path: Path) -> None:
    """The call at work stays a call, so the result that comes later finds it."""
    log = talk(tmp_path, 10)
    log.append({"role": "assistant", "content": "", "tool_calls": [{"id": "1", "name": "ls"}]})
    compact(log, 3, ScriptedModel(["Eight messages."]))
    log.append({"role": "tool", "content": "a.py", "tool_call_id": "1"})
    context = context_of(log)
    assert context[-2].tool_calls[0].id == context[-1].tool_call_id == "1"


def test_the_page_has_every_setting_with_its_default() -> None:
    """The table in docs/compaction.md names each setting; one that is added or changed shows here."""
    page = (Path(__file__).parents[2] / "docs" / "compaction.md").read_text("utf-8")
    rows = dict(re.findall(r"^\| `compaction\.(\w+)` \| `([^`]+)` \|", page, re.MULTILINE))
    assert rows == {name: str(value) for name, value in SETTINGS._asdict().items()}
