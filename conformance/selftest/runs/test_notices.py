"""What a reader should know of an appliance beside the verdict."""

from msgspec.structs import replace

from catalog.keys import CHILD_LOCK, COLOR_TEMPERATURE, LIGHTING, POWER_STATE
from conformance.cases import CATALOG
from conformance.checks.exchange import Exchange
from conformance.checks.groups import Group
from conformance.runs.notices import notices_of
from conformance.selftest.support.samples.handmade import (
    ANCHOR,
    exchange,
    profile_of,
    refusal,
    seen_of,
    value,
)

OFFLINE = {"http": {"unreachable": [{"status": 409}]}}
LISTS = {"settings": {"path": "/api/homeappliances/{ha_id}/settings", "items": "/data/settings"}}


def test_times_at_which_an_appliance_was_offline() -> None:
    """From when, and to when where it came back."""

    def at(second: int, status: int) -> Exchange:
        body = b'{"data": {"value": 5}}' if status == 200 else b"offline"
        return exchange(ANCHOR, status, body, at=f"2026-01-01T10:49:{second}.000+00:00")

    away = [at(30, 200), replace(at(31, 409), key=CHILD_LOCK), replace(at(32, 409), key=POWER_STATE)]
    again = replace(at(33, 200), key=LIGHTING)
    profile = profile_of("Hood", **OFFLINE)
    assert notices_of([seen_of(profile, *away)]) == ("one was offline from 10:49:31",)
    assert notices_of([seen_of(profile, *away, again)]) == ("one was offline from 10:49:31 to 10:49:32",)


def test_makers_name_is_doubted_where_only_other_keys_gave_a_value() -> None:
    """A hood without one of the keys that hoods share is more likely asked under a wrong name."""
    own = value(LIGHTING, True)
    vendor = [refusal(key) for key, entry in CATALOG.entries.items() if entry.is_vendor]
    seen = seen_of(profile_of("Hood"), own, *vendor)
    (notice,) = notices_of([seen])
    assert notice.startswith(
        "one gave no value of a key that begins with Vendor.: is there another maker's name"
    )
    assert notices_of([seen_of(profile_of("Hood"), own, *vendor[:2], refusal(COLOR_TEMPERATURE))]) == ()


def test_entries_that_no_document_has_are_named() -> None:
    """Those that a declared list holds."""
    body = b'{"data": {"settings": [{"key": "Vendor.Common.Setting.ChildLock"}, {"key": "Foo.Bar"}]}}'
    group = Group.parse("list/settings")
    listed = exchange("*", 200, body, group=group, segment="settings", purpose="list")
    seen = seen_of(profile_of(list=LISTS), value(ANCHOR, 5), listed)
    assert notices_of([seen]) == ("one lists 1 entry that the document does not have: Foo.Bar",)
