"""The marker of these tests, which ``make matrix`` runs once for each version of Hudi."""

from __future__ import annotations

import pytest


def pytest_configure(config: pytest.Config) -> None:
    """Registers the marker, so that this folder can be run without the project's settings."""
    config.addinivalue_line("markers", "matrix: of one version of Hudi, which HUDI names")
