"""Requests of a training process to the server: JSON over HTTP/1.1.

One connection stays open. `ask` raises `Unreachable` if nobody answers, and
returns any answer, also a refusal.
"""

from __future__ import annotations

import http.client
import json
import socket
from typing import Any, Dict, NamedTuple, Optional, Tuple

TIMEOUT_SECONDS = 10.0
# What a server may answer: a state with 1,000 rows has less than 2 MB.
MAX_ANSWER = 64 << 20


class Unreachable(Exception):
    """Nobody answers at the address."""


class Address(NamedTuple):
    """Where a server listens, and what opens it."""

    host: str
    port: int
    token: str

    @property
    def url(self) -> str:
        host = f"[{self.host}]" if ":" in self.host else self.host
        return f"http://{host}:{self.port}/?token={self.token}"


class Connection:
    """A connection to one server; used by one thread."""

    def __init__(
        self, address: Address, timeout: float = TIMEOUT_SECONDS
    ) -> None:
        self.address = address
        self._timeout = timeout
        self._http: Optional[http.client.HTTPConnection] = None

    def close(self) -> None:
        if self._http is not None:
            self._http.close()
            self._http = None

    def json(
        self, method: str, path: str, message: Any = None
    ) -> Tuple[int, Dict[str, Any]]:
        """Status and answer of a request with a JSON body, or none."""
        body = b"" if message is None else json.dumps(message).encode()
        status, data = self.ask(method, path, body, "application/json")
        try:
            answer = json.loads(data) if data else {}
        except ValueError:
            answer = {}
        return status, answer if isinstance(answer, dict) else {}

    def ask(
        self,
        method: str,
        path: str,
        body: bytes = b"",
        kind: str = "application/octet-stream",
    ) -> Tuple[int, bytes]:
        """Status and body of the answer."""
        reused = self._http is not None
        try:
            return self._ask(method, path, body, kind)
        except (OSError, http.client.HTTPException, ValueError) as error:
            self.close()
            if not reused or isinstance(error, socket.timeout):
                raise Unreachable(_reason(error)) from error
        # The server may have closed an idle connection.
        try:
            return self._ask(method, path, body, kind)
        except (OSError, http.client.HTTPException, ValueError) as error:
            self.close()
            raise Unreachable(_reason(error)) from error

    def _ask(
        self, method: str, path: str, body: bytes, kind: str
    ) -> Tuple[int, bytes]:
        if self._http is None:
            self._http = http.client.HTTPConnection(
                self.address.host, self.address.port, timeout=self._timeout
            )
            self._http.connect()
            # The head and the body are two writes.
            self._http.sock.setsockopt(
                socket.IPPROTO_TCP, socket.TCP_NODELAY, 1
            )
        headers = {"Authorization": f"Bearer {self.address.token}"}
        if body:
            headers["Content-Type"] = kind
        self._http.request(method, path, body or None, headers)
        response = self._http.getresponse()
        data = response.read(MAX_ANSWER)
        if response.will_close:
            self.close()
        return response.status, data


def _reason(error: BaseException) -> str:
    if isinstance(error, socket.timeout):
        return "no answer in time"
    return f"{type(error).__name__}: {error}"
