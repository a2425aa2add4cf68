"""A conversation is over its budget when the estimate is strictly above the limit.

Cases of document 001 (AutoCompactionSystemTest, and the derived ones). Document 004's thresholds are
tested where they fit; we differ from it on purpose:

- 004 fires at 80 % and above; 001 is the default here and fires strictly above its limit.
- 004 never fires below four messages. Here `cut` decides: with no more messages than are kept, nothing
  is removed, however large they are, unless the compaction starts by itself (`cut_to_fit`).
- A maximum of 0 or less never fires in 004; here it means "not known", and the setting counts.
"""

from __future__ import annotations

import pytest

from remora.conversation.cut import Standing, characters, limit_of, standing
from tests.conversation.compaction import SETTINGS, calls, result, said


def test_the_limit_is_passed_by_one_character() -> None:
    """001: at a limit of 50000, 147,003 characters do not compact and 147,004 do."""
    assert standing([said(1, "x" * 147_003)], SETTINGS) == Standing(147_003, 50_000, 50_000, False)
    assert standing([said(1, "x" * 147_004)], SETTINGS) == Standing(147_004, 50_001, 50_000, True)


@pytest.mark.parametrize(
    ("model", "limit"), [(32_000, 25_600), (62_499, 49_999), (None, 50_000), (0, 50_000), (-1, 50_000)]
)
def test_the_smaller_of_model_and_setting_is_the_limit(model: int | None, limit: int) -> None:
    """001: min(int(0.8 x what the model takes), maxContextTokens); what is not known is the setting."""
    assert limit_of(SETTINGS, model) == limit
    assert limit_of(SETTINGS._replace(max_context_tokens=200_000)) == 102_400  # the sample's, never reached


def test_every_constant_is_a_setting() -> None:
    """Characters per token, overhead, share and maximum come from the settings."""
    settings = SETTINGS._replace(max_context_tokens=1_000, model_input_limit=1_000, model_share=0.5)
    settings = settings._replace(characters_per_token=4.0, overhead_tokens=100)
    assert standing([said(1, "x" * 1_603)], settings) == Standing(1_603, 500, 500, False)
    assert standing([said(1, "x" * 1_604)], settings).over


def test_tool_traffic_counts() -> None:
    """Results count as the messages they are; calls count with their name and arguments."""
    assert characters([result(1, "bash", "x" * 10)]) == 10
    assert characters([calls(1, "write", content="ok", path="a")]) == 2 + len("write") + len('{"path": "a"}')
