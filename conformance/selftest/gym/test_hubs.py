"""conforming_hub: a test of a client is an item for each conforming server."""

import sys
from pathlib import Path

from conformance.gym.servers import conforming_servers
from conformance.selftest.support.commanding import finished

TEST = """
import json, urllib.request

def test_clock(conforming_hub):
    path = "/api/homeappliances/oven-1/settings/Vendor.Common.Setting.AlarmClock"
    with urllib.request.urlopen(conforming_hub.base_url + path) as answer:
        value = json.load(answer)["data"]["value"]
    assert conforming_hub.base_url in conforming_hub.profile.read_text()
    assert type(value) is int, f"{conforming_hub.what} {conforming_hub.allowed}"
"""


def test_a_test_is_an_item_for_each_server(tmp_path: Path) -> None:
    """All of them are collected; of two that are selected one is not survived, for a reason that is shown."""
    (tmp_path / "test_client.py").write_text(TEST, encoding="utf-8")
    words = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider"]
    collected = finished([*words, "--collect-only"], tmp_path)
    assert collected.output.count("test_client.py::test_clock[") == len(conforming_servers())
    ran = finished([*words, "-k", "values-chunked or numbers-with-exponent"], tmp_path)
    assert (ran.code, "1 failed, 1 passed" in ran.output) == (1, True), ran.output
    assert "silent: no line says how a number is written" in ran.output
