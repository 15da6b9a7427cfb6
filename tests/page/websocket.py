"""A client of a WebSocket (RFC 6455) on this machine, for texts.

socket = WebSocket("127.0.0.1", 9222, "/session")
socket.send("{}")
socket.receive()
"""

import base64
import os
import socket
import struct

TEXT, CLOSE, PING, PONG = 1, 8, 9, 10
END = 0x80  # of a message
MASKED = 0x80


class WebSocket:
    def __init__(self, host, port, path, seconds=60):
        self.socket = socket.create_connection((host, port), timeout=seconds)
        self.buffer = b""
        key = base64.b64encode(os.urandom(16)).decode()
        self.socket.sendall(
            (
                "GET %s HTTP/1.1\r\nHost: %s:%d\r\nUpgrade: websocket\r\n"
                "Connection: Upgrade\r\nSec-WebSocket-Key: %s\r\n"
                "Sec-WebSocket-Version: 13\r\n\r\n" % (path, host, port, key)
            ).encode()
        )
        while b"\r\n\r\n" not in self.buffer:
            self.fill()
        head, self.buffer = self.buffer.split(b"\r\n\r\n", 1)
        if b" 101 " not in head.split(b"\r\n")[0]:
            raise ConnectionError(head.decode("latin-1"))

    def fill(self):
        piece = self.socket.recv(1 << 20)
        if not piece:
            raise ConnectionError("the connection is closed")
        self.buffer += piece

    def take(self, size):
        while len(self.buffer) < size:
            self.fill()
        data, self.buffer = self.buffer[:size], self.buffer[size:]
        return data

    def write(self, kind, data):
        size = len(data)
        if size < 126:
            head = struct.pack(">BB", END | kind, MASKED | size)
        elif size < 1 << 16:
            head = struct.pack(">BBH", END | kind, MASKED | 126, size)
        else:
            head = struct.pack(">BBQ", END | kind, MASKED | 127, size)
        mask = os.urandom(4)
        whole = mask * (size // 4 + 1)
        masked = int.from_bytes(data, "big") ^ int.from_bytes(
            whole[:size], "big"
        )
        self.socket.sendall(head + mask + masked.to_bytes(size, "big"))

    def send(self, text):
        self.write(TEXT, text.encode())

    def receive(self):
        """The text of the next message."""
        message = b""
        while True:
            first, size = struct.unpack(">BB", self.take(2))
            if size == 126:
                (size,) = struct.unpack(">H", self.take(2))
            elif size == 127:
                (size,) = struct.unpack(">Q", self.take(8))
            data, kind = self.take(size), first & 15
            if kind == PING:
                self.write(PONG, data)
            elif kind == CLOSE:
                raise ConnectionError("the connection is closed")
            elif kind != PONG:
                message += data
                if first & END:
                    return message.decode()

    def close(self):
        self.socket.close()
