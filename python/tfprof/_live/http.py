"""Requests of a training process to the server: JSON over HTTP/1.1, and TLS.

One connection stays open. `ask` raises `Unreachable` if nobody answers, or if
the answer is not from the server; it returns every other answer, even a
refusal. Over TLS, it sends nothing before it has checked the certificate.
"""

from __future__ import annotations

import hashlib
import http.client
import json
import socket
from typing import Any, NamedTuple

TIMEOUT_SECONDS = 10.0
# The largest answer that is read. Whoever has the port may answer, and parsing
# holds up the program that is traced.
MAX_ANSWER = 1 << 20


class Unreachable(Exception):
    """Nobody answers at the address."""


class _Response(http.client.HTTPResponse):
    """An answer without interim answers, which http.client reads for ever."""

    def _read_status(self) -> tuple[str, int, str]:
        version, status, reason = super()._read_status()  # type: ignore[misc]
        if status < 200:
            raise http.client.BadStatusLine(f"an interim answer: {status}")
        return version, status, reason


class Address(NamedTuple):
    """The address of a server, and the token that opens it."""

    host: str
    port: int
    token: str
    tls: bool = False
    # SHA-256 of the certificate that the server has, in hexadecimal digits; "":
    # one for `host` that this machine trusts.
    certificate: str = ""

    @property
    def url(self) -> str:
        host = f"[{self.host}]" if ":" in self.host else self.host
        scheme = "https" if self.tls else "http"
        return f"{scheme}://{host}:{self.port}/?token={self.token}"


def fingerprint(path: str) -> str:
    """The SHA-256 of the first certificate of a file in PEM or DER.

    Raises:
        OSError: The file cannot be read.
        ValueError: It has no certificate.
    """
    import ssl

    with open(path, "rb") as file:
        data = file.read()
    first, last = b"-----BEGIN CERTIFICATE-----", b"-----END CERTIFICATE-----"
    if first in data:
        _, _, rest = data.partition(first)
        text = first + rest.partition(last)[0] + last
        data = ssl.PEM_cert_to_DER_cert(text.decode("ascii"))
    elif not data.startswith(b"\x30"):  # a sequence of DER
        raise ValueError(f"{path}: expected a certificate in PEM or DER")
    return hashlib.sha256(data).hexdigest()


class Connection:
    """A connection to one server; used by one thread."""

    def __init__(
        self, address: Address, timeout: float = TIMEOUT_SECONDS
    ) -> None:
        self.address = address
        self._timeout = timeout
        self._http: http.client.HTTPConnection | None = None

    def close(self) -> None:
        if self._http is not None:
            self._http.close()
            self._http = None

    def json(
        self,
        method: str,
        path: str,
        message: Any = None,
        most: int = MAX_ANSWER,
    ) -> tuple[int, dict[str, Any]]:
        """Status and answer of a request with a JSON body, or none."""
        body = b"" if message is None else json.dumps(message).encode()
        status, data = self.ask(method, path, body, "application/json", most)
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
        most: int = MAX_ANSWER,
    ) -> tuple[int, bytes]:
        """Status and body of the answer, which has at most `most` bytes."""
        reused = self._http is not None
        try:
            return self._ask(method, path, body, kind, most)
        except (OSError, http.client.HTTPException, ValueError) as error:
            self.close()
            if not reused or isinstance(error, socket.timeout):
                raise Unreachable(_reason(error)) from error
        # The server may have closed an idle connection.
        try:
            return self._ask(method, path, body, kind, most)
        except (OSError, http.client.HTTPException, ValueError) as error:
            self.close()
            raise Unreachable(_reason(error)) from error

    def _ask(
        self, method: str, path: str, body: bytes, kind: str, most: int
    ) -> tuple[int, bytes]:
        if self._http is None:
            self._http = self._open()
            # The head and the body are two writes.
            self._http.sock.setsockopt(
                socket.IPPROTO_TCP, socket.TCP_NODELAY, 1
            )
        headers = {"Authorization": f"Bearer {self.address.token}"}
        if body:
            headers["Content-Type"] = kind
        self._http.request(method, path, body or None, headers)
        response = self._http.getresponse()
        data = response.read(most + 1)
        if len(data) > most:
            self.close()
            raise Unreachable(f"an answer of more than {most} bytes")
        if response.will_close:
            self.close()
        return response.status, data

    def _open(self) -> http.client.HTTPConnection:
        address = self.address
        if not address.tls:
            plain = http.client.HTTPConnection(
                address.host, address.port, timeout=self._timeout
            )
            plain.response_class = _Response
            plain.connect()
            return plain
        import ssl

        context = ssl.create_default_context()
        context.minimum_version = ssl.TLSVersion.TLSv1_2
        if address.certificate:
            # This one, whoever has signed it, and whatever its name is.
            context.check_hostname = False
            context.verify_mode = ssl.CERT_NONE
        secure = http.client.HTTPSConnection(
            address.host, address.port, timeout=self._timeout, context=context
        )
        secure.response_class = _Response
        secure.connect()
        if address.certificate:
            shown = secure.sock.getpeercert(binary_form=True) or b""
            if hashlib.sha256(shown).hexdigest() != address.certificate:
                secure.close()
                raise Unreachable(
                    f"{address.host}:{address.port} has another certificate "
                    "than the server; somebody may be in between"
                )
        return secure


def _reason(error: BaseException) -> str:
    if isinstance(error, socket.timeout):
        return "no answer in time"
    return f"{type(error).__name__}: {error}"
