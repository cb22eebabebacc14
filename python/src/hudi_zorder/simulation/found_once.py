"""What is found of tests, such as which files they pass, found once."""

from __future__ import annotations

from collections.abc import Callable
from typing import Generic, TypeVar

from hudi_zorder.predicate.value_tests import ValueTest

_Found = TypeVar("_Found")


class FoundOnce(Generic[_Found]):
    """What is found of tests, once of those that are equal.

    Args:
        find: from a test to what is to be found of it.
    """

    def __init__(self, find: Callable[[ValueTest], _Found]) -> None:
        self._find = find
        self._by_test: dict[ValueTest, _Found] = {}
        # To hash a test takes as long as its list of values is, which is too long for every file.
        self._by_identity: dict[int, tuple[ValueTest, _Found]] = {}

    def of(self, test: ValueTest) -> _Found:
        """Returns what is found of a test."""
        known = self._by_identity.get(id(test))
        if known is None:
            if test not in self._by_test:
                self._by_test[test] = self._find(test)
            # The test is kept, so that no other one gets its identity.
            known = self._by_identity[id(test)] = (test, self._by_test[test])
        return known[1]
