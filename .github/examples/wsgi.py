"""The same service for any WSGI server; as a program it serves itself: `python wsgi.py 8000`."""

import json
import sys
from wsgiref.simple_server import make_server

SETTING = "/api/homeappliances/hood-1/settings/Vendor.Common.Setting.ChildLock"


def app(environ, start_response):
    """Answers a GET of the setting with its value, anything else with 404."""
    found = environ["REQUEST_METHOD"] == "GET" and environ["PATH_INFO"] == SETTING
    body = {"data": {"key": SETTING.rpartition("/")[2], "value": False}} if found else {"error": "not found"}
    start_response("200 OK" if found else "404 Not Found", [("Content-Type", "application/json")])
    return [json.dumps(body).encode()]


if __name__ == "__main__":
    make_server("127.0.0.1", int(sys.argv[1]), app).serve_forever()
