"""Every error says what happened, what to do and whether to try again, and survives a process border."""

from __future__ import annotations

import copy
import pickle

import pytest

from remora.core import errors
from remora.core.errors import EXIT_CODES, HTTP_STATUS, ProviderBusy, ProviderError, RemoraError


def classes(base: type[RemoraError] = RemoraError) -> list[type[RemoraError]]:
    """Return a class of the module and all below it."""
    below = [c for child in base.__subclasses__() for c in classes(child)]
    return [base, *below] if base.__module__ == errors.__name__ else below


ALL = sorted(classes(), key=lambda c: c.__name__)


def test_exit_codes_tell_classes_apart():
    """Each class has its own exit code; none is 0, and none is what shells use for themselves."""
    assert set(EXIT_CODES) == set(ALL)
    codes = list(EXIT_CODES.values())
    assert len(set(codes)) == len(codes)
    assert all(0 < code < 126 for code in codes)


def test_statuses_are_errors():
    """Each status is an error, and what may pass by itself is one that clients try again."""
    assert all(400 <= status < 600 for status in HTTP_STATUS.values())
    assert {HTTP_STATUS[c] for c in ALL if c.retryable} <= {503, 507}


@pytest.mark.parametrize("kind", ALL, ids=lambda c: c.__name__)
@pytest.mark.parametrize("copied", [lambda e: pickle.loads(pickle.dumps(e)), copy.copy])
def test_errors_can_be_sent(kind: type[RemoraError], copied):
    """An error comes through pickling and copying with all it says."""
    error = kind("it broke", hint="mend it")
    error.add_note("seen on Monday")
    again = copied(error)
    assert type(again) is kind
    assert (str(again), again.hint, again.retryable) == ("it broke", "mend it", kind.retryable)
    assert again.__notes__ == ["seen on Monday"]
    assert again.args == error.args


def test_provider_errors_keep_their_numbers():
    """Status and wait of a model server survive pickling too."""
    error = ProviderBusy("slow down", hint="wait", status=429, retry_after=2.5)
    again = pickle.loads(pickle.dumps(error))
    assert (again.status, again.retry_after, again.retryable) == (429, 2.5, True)
    assert ProviderError("no answer").status == 0
    assert ProviderBusy("no answer").retry_after is None


def test_what_can_be_tried_again():
    """Only a busy or full store and a busy server may be better later."""
    assert [c.__name__ for c in ALL if c.retryable] == ["ProviderBusy", "StoreBusy", "StoreFull"]
