"""From when on the queries of event logs count."""

from __future__ import annotations

import re
from datetime import date, datetime, timedelta, timezone
from typing import Any, Final

from hudi_zorder import times
from hudi_zorder.errors import OptionError

# A time that Spark makes a null of.
_NO_SECONDS: Final = re.compile(r"([ T]\d{2}:\d{2})(Z|[+-]\d{2}:\d{2})$")
_EPOCH: Final = datetime(1970, 1, 1, tzinfo=timezone.utc)


def beginning(since: Any) -> datetime:
    """Returns the time that ``queries_from_event_log`` is given, in UTC.

    Raises:
        OptionError: when it is none.
    """
    try:
        if isinstance(since, datetime):
            aware = since if since.tzinfo else since.replace(tzinfo=timezone.utc)
            return aware.astimezone(timezone.utc)
        text = since.isoformat() if isinstance(since, date) else since
        spelt = _NO_SECONDS.sub(r"\1:00\2", text.strip()) if isinstance(text, str) else ""
        found = times.instants(spelt, timezone.utc)
        if found is not None:
            return _EPOCH + timedelta(microseconds=found[0])
    except (OverflowError, ValueError):
        pass  # within a zone's offset of the years 1 and 9999; no time at all, as pandas has it
    raise OptionError(
        f"Cannot read event logs: 'since' was '{since}'; write a day such as 2026-11-01, or a time "
        "such as 2026-11-01T06:00+01:00, which is in UTC where it has no zone"
    )


def nothing_since(since: datetime, last: datetime) -> OptionError:
    """Returns the error of logs whose last query began before the time from which they count."""
    return OptionError(
        f"Cannot read event logs: 'since' was '{since:%Y-%m-%d %H:%M:%S} UTC', and the last query "
        f"on a Hudi table began at {last:%Y-%m-%d %H:%M:%S} UTC; name an earlier time"
    )
