"""The cell of the matrix that HUDI names: a release of Hudi, and which Scala or Spark it meets.

``1.1.1_2.13`` is with a Scala other than 2.12, ``1.2.0@3.5.0`` with a Spark other than the newest;
``1.0.2+1.2.0`` is of two releases that take turns at a table.
"""

from __future__ import annotations

import os
from typing import Final

from hudi_zorder.spark.session import HUDI_RELEASES

NEWEST: Final = HUDI_RELEASES["2.12"][0]
_release, _, SPARK = os.environ.get("HUDI", NEWEST).partition("@")
HUDI, _, _suffix = _release.partition("_")
SCALA: Final = _suffix or "2.12"
IS_FIT: Final = HUDI in HUDI_RELEASES.get(SCALA, ())
_OTHERS: Final = ("unfit", f"0.15.0+{NEWEST}", f"1.0.2+{NEWEST}")
if not IS_FIT and HUDI not in _OTHERS:
    raise ValueError(f"HUDI was '{_release}', of which there is no cell; the Makefile names all")
