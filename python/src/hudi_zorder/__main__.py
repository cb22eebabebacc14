"""``python -m hudi_zorder``: the command, of that very interpreter's packages."""

from __future__ import annotations

from hudi_zorder.cli import main

if __name__ == "__main__":
    main()
