"""Starts `tfprof serve` and talks to it, on loopback.

with Server(binary, "profile.pb") as server:
    server.get("/api/op?order_by=micros").json()
    server.raw(b"GET / HTTP/1.1\\r\\n\\r\\n")
"""

import json
import re
import signal
import socket
import subprocess


class Reply:
    def __init__(self, data):
        head, _, self.body = data.partition(b"\r\n\r\n")
        lines = head.decode("latin-1").split("\r\n")
        words = lines[0].split(" ", 2)
        self.status = int(words[1]) if len(words) > 1 else 0
        self.headers = {}
        for line in lines[1:]:
            name, _, value = line.partition(":")
            self.headers[name.lower()] = value.strip()

    def json(self):
        return json.loads(self.body)


class Server:
    def __init__(self, binary, *args):
        self.process = subprocess.Popen(
            [binary, "serve", *args],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
        self.text = ""
        while "token=" not in self.text:
            line = self.process.stdout.readline().decode()
            if not line:
                raise RuntimeError(self.process.stderr.read().decode())
            self.text += line
        self.address = re.search(r"http://\S+", self.text).group()
        self.host, self.token = re.match(
            r"http://([^/]+)/\?token=([0-9a-f]{32})$", self.address
        ).groups()
        self.port = int(self.host.rsplit(":", 1)[1])

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.stop()

    def stop(self, number=signal.SIGINT):
        """Ends it and returns its exit status."""
        if self.process.poll() is None:
            self.process.send_signal(number)
        status = self.process.wait(30)
        self.process.stdout.close()
        self.process.stderr.close()
        return status

    def connect(self):
        return socket.create_connection(("127.0.0.1", self.port), timeout=30)

    def raw(self, data):
        """The bytes that the server sends until it closes."""
        with self.connect() as client:
            try:
                client.sendall(data)
            except OSError:
                pass  # the server refused early; a reply may have come
            received = b""
            try:
                while piece := client.recv(1 << 16):
                    received += piece
            except ConnectionError:
                pass
        return received

    def request(self, method, target, headers=None, body=b"", bearer=True):
        lines = {"Host": self.host, "Connection": "close"}
        if bearer:
            lines["Authorization"] = "Bearer " + self.token
        if body:
            lines["Content-Length"] = str(len(body))
        lines.update(headers or {})
        text = "%s %s HTTP/1.1\r\n" % (method, target)
        text += "".join(
            "%s: %s\r\n" % pair for pair in lines.items() if pair[1] is not None
        )
        return Reply(self.raw(text.encode() + b"\r\n" + body))

    def get(self, target, **more):
        return self.request("GET", target, **more)

    def post(self, target, **more):
        return self.request("POST", target, **more)

    def alive(self):
        return self.get("/api/state").status == 200
