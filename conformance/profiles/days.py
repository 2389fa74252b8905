"""When the day of a target begins, on which it takes so many requests: `00:00 UTC`."""

import re
from datetime import UTC, datetime, timedelta, timezone, tzinfo
from typing import Annotated, Self
from zoneinfo import ZoneInfo

from msgspec import Struct
from pydantic import AfterValidator

_FORM = re.compile(r"([01]\d|2[0-3]):([0-5]\d) (\S+)")
_OFFSET = re.compile(r"([+-])(0\d|1[0-4]):([0-5]\d)")


class Days(Struct, frozen=True):
    """Days that begin at a time of the clock, `after_midnight`, in a time zone."""

    after_midnight: timedelta
    zone: tzinfo
    zone_name: str

    @classmethod
    def of(cls, text: str) -> Self:
        """The days of a text: `00:00 UTC`, `06:30 Europe/Berlin`, `00:00 +02:00`.

        Raises:
            ValueError: when it is no such text, or this machine does not know the zone.
        """
        found = _FORM.fullmatch(text)
        if not found:
            raise ValueError(f"is a time and its zone, such as '00:00 UTC', not {text!r}")
        hour, minute, name = found.groups()
        return cls(timedelta(hours=int(hour), minutes=int(minute)), _zone(name), name)

    def day_of(self, moment: float) -> str:
        """The day, by the date on which it begins; `moment` is in seconds since the epoch."""
        return self._begun(moment).date().isoformat()

    def next_after(self, moment: float) -> datetime:
        """When the day after that of a moment begins."""
        midnight = datetime.combine(self._begun(moment).date() + timedelta(days=1), datetime.min.time())
        return (midnight + self.after_midnight).replace(tzinfo=self.zone)

    def _begun(self, moment: float) -> datetime:
        return datetime.fromtimestamp(moment, self.zone) - self.after_midnight


def _zone(name: str) -> tzinfo:
    if name == "UTC":
        return UTC
    if offset := _OFFSET.fullmatch(name):
        sign, hours, minutes = offset.groups()
        length = timedelta(hours=int(hours), minutes=int(minutes))
        return timezone(-length if sign == "-" else length)
    try:
        return ZoneInfo(name)
    except (LookupError, OSError, ValueError):
        raise ValueError(
            f"{name!r} is no time zone that this machine knows; UTC, or an offset such as +02:00, always is"
        ) from None


def _known(text: str) -> str:
    Days.of(text)
    return text


DayStart = Annotated[str, AfterValidator(_known)]
