"""`tfprof-fleet serve DATASET`: the pages of a dataset on a local server.

    with PageServer("job.dataset", port=0) as server:
        print(server.address)
        server.serve_forever()

Each question has a page, which is the one that `-output html` writes, with
links to the others. It is made when it is asked for and kept; the dataset is
read once. The server listens on 127.0.0.1 and only answers GET. As `tfprof
serve`, it answers only with the token of its address, which the first page
exchanges for a cookie, and only if `Host` and `Origin` are its own, so that
neither other users of this machine nor other pages of the browser read it.
"""

from __future__ import annotations

import hashlib
import hmac
import secrets
import sys
import threading
from http import HTTPStatus
from http.cookies import CookieError, SimpleCookie
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, urlsplit

from tfprof._fleet import page, questions
from tfprof._fleet.inputs import FleetError
from tfprof._fleet.view import Fleet, open_fleet

ADDRESS = "127.0.0.1"
_SECONDS = 30  # for the lines of a request
_HEADERS = {
    "Content-Security-Policy": page.POLICY + "; frame-ancestors 'none'",
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "no-referrer",
    "Cache-Control": "no-store",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
}
# Addresses and their titles, in the order of the links.
_PAGES = {
    "/": "overview",
    **{f"/{name}": name for name in questions.QUESTIONS if name != "overview"},
    **{f"/by/{what}": f"by {what}" for what in questions.BY},
}


class PageServer(ThreadingHTTPServer):
    """FleetError: the dataset or the port cannot be used."""

    daemon_threads = True  # Ctrl-C does not wait for a long question

    def __init__(self, dataset: str, port: int = 0) -> None:
        self._dataset = dataset
        self._fleet = open_fleet(dataset)
        self._pages: dict[str, str] = {}
        self._lock = threading.Lock()
        self.token = secrets.token_urlsafe(24)
        self.cookie = hashlib.sha256(self.token.encode()).hexdigest()
        try:
            super().__init__((ADDRESS, port), _Handler)
        except (OSError, OverflowError) as error:
            raise FleetError(
                f"--port {port}: cannot listen there: {error}"
            ) from None

    @property
    def port(self) -> int:
        return int(self.server_address[1])

    @property
    def address(self) -> str:
        """With the token: only for the user."""
        return f"http://{ADDRESS}:{self.port}/?token={self.token}"

    @property
    def cookie_name(self) -> str:
        # Browsers send cookies to all ports of a machine.
        return f"tfprof_fleet{self.port}"

    def page(self, path: str) -> str:
        """One of _PAGES. One question at a time: they share tables."""
        with self._lock:
            if path not in self._pages:
                self._pages[path] = self._write(path)
            return self._pages[path]

    def _write(self, path: str) -> str:
        title = _PAGES[path]
        fleet: Fleet | None = None
        try:
            if path == "/":
                fleet = self._fleet
                answers = [
                    questions.QUESTIONS[name](fleet)
                    for name in questions.ON_PAGE
                ]
            elif title in questions.QUESTIONS:
                answers = [questions.QUESTIONS[title](self._fleet)]
            else:
                what = title.removeprefix("by ")
                answers = [questions.by(self._fleet, what)]
        except FleetError as error:
            # Such as a question that needs a rank map.
            return page.write_message(str(error), _PAGES, path)
        heading = f"{self._dataset}: {title}"
        return page.write_page(heading, answers, fleet, _PAGES, path)

    def handle_error(self, request: Any, client_address: Any) -> None:
        # A browser that leaves is no error.
        if not isinstance(sys.exc_info()[1], OSError):
            super().handle_error(request, client_address)


class _Handler(BaseHTTPRequestHandler):
    server: PageServer
    server_version = "tfprof-fleet"
    sys_version = ""
    timeout = _SECONDS

    def do_GET(self) -> None:
        if not self._is_ours():
            self.send_error(HTTPStatus.FORBIDDEN, "this is another server")
            return
        asked = urlsplit(self.path)
        token = parse_qs(asked.query).get("token")
        path = asked.path if asked.path in _PAGES else "/"
        if token is not None:
            if _same(token[0], self.server.token):
                self._log_in(path)
            else:
                self._refuse()
        elif not self._has_cookie():
            self._refuse()
        elif asked.path not in _PAGES:
            self.send_error(HTTPStatus.NOT_FOUND, "there is no such page")
        else:
            self._send(HTTPStatus.OK, self.server.page(path), "text/html")

    def _is_ours(self) -> bool:
        """No name that somebody points at this machine, no other page."""
        hosts = [
            f"{name}:{self.server.port}" for name in (ADDRESS, "localhost")
        ]
        host = self.headers.get_all("Host", [])
        origin = self.headers.get_all("Origin", [])
        return (
            len(host) == 1
            and host[0] in hosts
            and all(one == f"http://{host[0]}" for one in origin)
        )

    def _has_cookie(self) -> bool:
        try:
            cookies = SimpleCookie(self.headers.get("Cookie", ""))
        except CookieError:
            return False
        found = cookies.get(self.server.cookie_name)
        return found is not None and _same(found.value, self.server.cookie)

    def _log_in(self, path: str) -> None:
        self._send(
            HTTPStatus.SEE_OTHER,
            "",
            "text/plain",
            {
                "Location": path,
                "Set-Cookie": f"{self.server.cookie_name}="
                f"{self.server.cookie}; Path=/; HttpOnly; SameSite=Strict",
            },
        )

    def _refuse(self) -> None:
        self.send_error(
            HTTPStatus.UNAUTHORIZED,
            "open the address that tfprof-fleet serve has printed",
        )

    def send_error(
        self, code: int, message: str | None = None, explain: str | None = None
    ) -> None:
        """Text, with the same headers: nothing of the request is in it."""
        status = HTTPStatus(code)
        if status == HTTPStatus.NOT_IMPLEMENTED:  # not do_GET
            status, message = HTTPStatus.METHOD_NOT_ALLOWED, "only GET"
        self.close_connection = True
        self._send(status, f"{message or status.phrase}\n", "text/plain")

    def _send(
        self,
        status: HTTPStatus,
        text: str,
        kind: str,
        more: dict[str, str] | None = None,
    ) -> None:
        body = text.encode("utf-8", "replace")
        self.send_response(status)
        headers = {
            "Content-Type": f"{kind}; charset=utf-8",
            "Content-Length": str(len(body)),
            **_HEADERS,
            **(more or {}),
        }
        for name, value in headers.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *words: Any) -> None:
        """Nothing: addresses of requests may have the token."""


def _same(given: str, secret: str) -> bool:
    return hmac.compare_digest(given.encode(), secret.encode())
