"""A service with one appliance and one setting, for any ASGI server: `uvicorn asgi:app --port 8000`."""

import json

SETTING = "/api/homeappliances/hood-1/settings/Vendor.Common.Setting.ChildLock"


async def app(scope, receive, send):
    """Answers a GET of the setting with its value, anything else with 404."""
    if scope["type"] != "http":
        return
    found = scope["method"] == "GET" and scope["path"] == SETTING
    body = {"data": {"key": SETTING.rpartition("/")[2], "value": False}} if found else {"error": "not found"}
    headers = [(b"content-type", b"application/json")]
    await send({"type": "http.response.start", "status": 200 if found else 404, "headers": headers})
    await send({"type": "http.response.body", "body": json.dumps(body).encode()})
