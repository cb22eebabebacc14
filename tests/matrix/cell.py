"""The cell of the matrix that HUDI names: a release, and after ``_`` a Scala other than 2.12."""

from __future__ import annotations

import os
from typing import Final

from hudi_zorder.spark.session import HUDI_RELEASES

NEWEST: Final = HUDI_RELEASES["2.12"][0]
HUDI, _, _suffix = os.environ.get("HUDI", NEWEST).partition("_")
SCALA: Final = _suffix or "2.12"
IS_FIT: Final = HUDI in HUDI_RELEASES.get(SCALA, ())
