"""What a user would write who clusters by Hudi's own strategy: a session, a clustering, its end.

    python hudi_command.py TABLE COLUMNS BYTES

Prints the seconds of the clustering. It imports no data sets, and lists no files.
"""

from __future__ import annotations

import sys
import time
from pathlib import Path

from session import start_session
from systems import PEERS


def main() -> None:
    """Clusters the table by columns, joined by commas, into files of some bytes."""
    table, columns, target = sys.argv[1:]
    hudi = PEERS[0]
    spark = start_session(hudi, {}, heap="1g")  # Spark's own default, as the command has it
    started = time.monotonic()
    hudi.cluster(spark, Path(table), columns.split(","), int(target))
    seconds = time.monotonic() - started
    spark.stop()
    print(seconds)


if __name__ == "__main__":
    main()
