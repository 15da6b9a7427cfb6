#!/usr/bin/env python3
"""`tfprof serve` with TLS, on loopback.

Usage: tls_test.py --bin=bazel-bin/profiler/tfprof [TEST…]

Each run makes a certificate for 127.0.0.1 and its key, with openssl.

Writes JUnit XML to $XML_OUTPUT_FILE.
"""

import json
import os
import re
import signal
import socket
import ssl
import subprocess
import sys
import tempfile
import unittest
import urllib.request
import warnings

sys.dont_write_bytecode = True
HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
sys.path.insert(0, os.path.dirname(HERE))

import junit_runner

SECRETS = tempfile.TemporaryDirectory()
CERTIFICATE = os.path.join(SECRETS.name, "certificate.pem")
KEY = os.path.join(SECRETS.name, "key.pem")
PROFILE = os.path.join(
    ROOT, "tests", "golden", "profiles", "conv_resnet", "profile.pb"
)
# A RunMetadata that was recorded.
RECORD = os.path.join(
    ROOT, "tests", "golden", "profiles", "multi_cpu", "run_meta_1"
)
TIMEOUT = 60

binary = ""  # of junit_runner.main()


def setUpModule():
    subprocess.run(
        [
            "openssl",
            "req",
            "-x509",
            "-newkey",
            "ec",
            "-pkeyopt",
            "ec_paramgen_curve:P-256",
            "-nodes",
            "-keyout",
            KEY,
            "-out",
            CERTIFICATE,
            "-days",
            "2",
            "-subj",
            "/CN=tfprof test",
            "-addext",
            "subjectAltName=IP:127.0.0.1",
        ],
        check=True,
        capture_output=True,
    )


def tearDownModule():
    SECRETS.cleanup()


def start(*words):
    return subprocess.Popen(
        [os.path.abspath(binary), "serve", PROFILE, *words],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


# A training: it prints the address of its page, and waits for a line.
TRAINING = (
    """
import json, sys
import fake_sessions
from tfprof import tracing
from tfprof.tracing import TracingServer
options = json.loads(sys.argv[1])
with open(sys.argv[2], "rb") as file:
    fake_sessions.RECORD = file.read()
v1 = fake_sessions.v1()
tracing._v1 = lambda: v1
server = TracingServer(server_port=0, **options)
train = fake_sessions.Operation("train")
with v1.train.MonitoredSession(hooks=[server.hook]) as session:
    session.run(train)
    while not server.flush(1):
        if server._collector.why:
            sys.exit("there is no server: " + server._collector.why)
    server.arm("next")
    session.run(train)
    server.flush(%d)
    print(server.url, flush=True)
    sys.stdin.readline()
"""
    % TIMEOUT
)


class TracingTest(unittest.TestCase):
    """Programs that register over TLS, with the package as it is."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name
        self.session = os.path.join(folder.name, "session")

    def train(self, **options):
        """A program that is tracing; its page's address, or its error."""
        paths = [
            os.path.join(ROOT, "python"),
            os.path.join(ROOT, "python", "tests"),
        ]
        program = subprocess.Popen(
            [sys.executable, "-c", TRAINING, json.dumps(options), RECORD],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            env={
                **os.environ,
                "PYTHONPATH": os.pathsep.join(paths),
                "PYTHONDONTWRITEBYTECODE": "1",
                "TFPROF_BINARY": os.path.abspath(binary),
            },
        )
        self.addCleanup(program.stdout.close)
        self.addCleanup(program.stderr.close)
        self.addCleanup(program.wait, TIMEOUT)
        self.addCleanup(program.stdin.close)
        url = program.stdout.readline().strip()
        return url or program.stderr.read()

    def live(self, url):
        base, _, token = url.partition("/?token=")
        asked = urllib.request.Request(
            base + "/api/live", headers={"Authorization": "Bearer " + token}
        )
        trusted = ssl.create_default_context(cafile=CERTIFICATE)
        with urllib.request.urlopen(asked, context=trusted) as reply:
            return json.load(reply)

    def facts(self):
        with open(
            os.path.join(self.session, "server.json"), encoding="utf-8"
        ) as file:
            return json.load(file)

    def another_certificate(self):
        """A certificate that is not the server's: the same, bytes changed."""
        with open(CERTIFICATE, encoding="ascii") as file:
            data = bytearray(ssl.PEM_cert_to_DER_cert(file.read()))
        data[-1] ^= 1
        path = os.path.join(self.folder, "other.pem")
        with open(path, "w", encoding="ascii") as file:
            file.write(ssl.DER_cert_to_PEM_cert(bytes(data)))
        return path

    def test_a_program_has_its_own_server_and_another_one_joins_by_its_file(
        self,
    ):
        url = self.train(
            session=self.session,
            tls_certificate=CERTIFICATE,
            tls_key=KEY,
            rank=0,
        )
        self.assertTrue(url.startswith("https://127.0.0.1:"), url)
        joined = self.train(serve=self.session + "/server.json", rank=1)
        self.assertEqual(joined, url)
        live = self.live(url)
        self.assertEqual(sorted(c["rank"] for c in live["clients"]), [0, 1])
        self.assertEqual(sorted(t["rank"] for t in live["traces"]), [0, 1])
        self.assertEqual(
            {t["bytes"] for t in live["traces"]}, {os.path.getsize(RECORD)}
        )

    def test_a_program_elsewhere_needs_address_token_and_certificate(self):
        self.train(
            session=self.session, tls_certificate=CERTIFICATE, tls_key=KEY
        )
        facts = self.facts()
        where = f"https://127.0.0.1:{facts['port']}"
        joined = self.train(
            serve=where, token=facts["token"], tls_certificate=CERTIFICATE
        )
        self.assertEqual(joined, facts["url"])
        self.assertEqual(len(self.live(joined)["traces"]), 2)
        # No trusted authority has signed it.
        wrong = self.train(serve=where, token=facts["token"])
        self.assertIn("CERTIFICATE_VERIFY_FAILED", wrong)
        # Another certificate, no certificate, and no TLS.
        for certificate, message in (
            (self.another_certificate(), "has another certificate"),
            (RECORD, "expected a certificate in PEM or DER"),
        ):
            wrong = self.train(
                serve=where, token=facts["token"], tls_certificate=certificate
            )
            self.assertIn(message, wrong)
        wrong = self.train(
            serve=where.replace("https", "http"), token=facts["token"]
        )
        self.assertIn("there is no server", wrong)
        self.assertEqual(len(self.live(joined)["clients"]), 2)

    def test_who_has_taken_the_place_of_the_server_hears_nothing(self):
        self.train(
            session=self.session, tls_certificate=CERTIFICATE, tls_key=KEY
        )
        facts = self.facts()
        facts["certificate_sha256"] = "00" * 32
        path = os.path.join(self.folder, "server.json")
        with open(path, "w", encoding="utf-8") as file:
            json.dump(facts, file)
        self.assertIn("has another certificate", self.train(serve=path))
        self.assertEqual(len(self.live(facts["url"])["clients"]), 1)


class TlsTest(unittest.TestCase):
    def serve(self):
        server = start("-tls_certificate", CERTIFICATE, "-tls_key", KEY)
        self.addCleanup(server.stdout.close)
        self.addCleanup(server.stderr.close)
        self.addCleanup(server.wait, TIMEOUT)
        self.addCleanup(server.send_signal, signal.SIGINT)
        line = server.stdout.readline()
        while line and "token=" not in line:
            line = server.stdout.readline()
        found = re.match(r"https://127\.0\.0\.1:(\d+)/\?token=(\w+)$", line)
        self.assertIsNotNone(found, line)
        self.port, self.token = int(found.group(1)), found.group(2)

    def connect(self, context=None):
        context = context or ssl.create_default_context(cafile=CERTIFICATE)
        raw = socket.create_connection(("127.0.0.1", self.port), TIMEOUT)
        return context.wrap_socket(raw, server_hostname="127.0.0.1")

    def ask(self, path, method="GET", headers=(), connection=None):
        head = [
            f"{method} {path} HTTP/1.1",
            f"Host: 127.0.0.1:{self.port}",
            "Connection: close",
            *headers,
            "",
            "",
        ]
        with connection or self.connect() as to:
            to.sendall("\r\n".join(head).encode())
            data = b""
            while True:
                more = to.recv(1 << 16)
                if not more:
                    break
                data += more
        head, _, body = data.partition(b"\r\n\r\n")
        return int(head.split(b" ")[1]), head.decode(), body

    def bearer(self):
        return [f"Authorization: Bearer {self.token}"]

    def test_pages_and_questions(self):
        self.serve()
        status, head, _ = self.ask(f"/?token={self.token}")
        self.assertEqual(status, 303)
        self.assertIn("; Secure", head)
        status, _, _ = self.ask("/api/op")
        self.assertEqual(status, 401)
        status, _, body = self.ask(
            "/api/op?order_by=micros", "GET", self.bearer()
        )
        self.assertEqual(status, 200)
        self.assertEqual(json.loads(body)["schema"], "tfprof.op")
        # The answer is larger than a record of TLS, and than a socket takes at
        # once.
        status, _, body = self.ask("/timeline", "GET", self.bearer())
        self.assertEqual(status, 200)
        self.assertGreater(len(body), 100000)
        self.assertTrue(body.rstrip().endswith(b"</html>"))

    def test_one_connection_asks_several_times(self):
        self.serve()
        with self.connect() as to:
            for _ in range(3):
                to.sendall(
                    f"GET /api/state HTTP/1.1\r\nHost: 127.0.0.1:{self.port}"
                    f"\r\nAuthorization: Bearer {self.token}\r\n\r\n".encode()
                )
                data = b""
                while b"}" not in data:
                    data += to.recv(1 << 16)
                self.assertTrue(data.startswith(b"HTTP/1.1 200"), data)

    def test_an_origin_without_tls_is_another_site(self):
        self.serve()
        status, _, _ = self.ask(
            "/api/reload",
            "POST",
            [*self.bearer(), f"Origin: http://127.0.0.1:{self.port}"],
        )
        self.assertEqual(status, 403)
        status, _, _ = self.ask(
            "/api/reload",
            "POST",
            [*self.bearer(), f"Origin: https://127.0.0.1:{self.port}"],
        )
        self.assertEqual(status, 200)

    def test_what_is_no_tls_gets_nothing(self):
        self.serve()
        with socket.create_connection(("127.0.0.1", self.port), 30) as plain:
            plain.sendall(b"GET / HTTP/1.1\r\nHost: x\r\n\r\n")
            data = b""
            try:
                data = plain.recv(1 << 16)
            except ConnectionResetError:
                pass
            self.assertNotIn(b"HTTP", data)
        # Half of a handshake, and then nothing: the others go on.
        idle = [
            socket.create_connection(("127.0.0.1", self.port), 30)
            for _ in range(20)
        ]
        for waiting in idle:
            self.addCleanup(waiting.close)
            waiting.sendall(b"\x16\x03\x01\x02")
        self.assertEqual(self.ask("/api/state", "GET", self.bearer())[0], 200)

    def test_old_versions_are_refused(self):
        self.serve()
        old = ssl.create_default_context(cafile=CERTIFICATE)
        old.set_ciphers("DEFAULT@SECLEVEL=0")
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", DeprecationWarning)
            old.minimum_version = ssl.TLSVersion.TLSv1
            old.maximum_version = ssl.TLSVersion.TLSv1_1
        with self.assertRaises(ssl.SSLError) as refused:
            self.connect(old)
        # The server says it; the client would have talked.
        self.assertIn("ALERT_PROTOCOL_VERSION", refused.exception.reason)

    def test_wrong_files_are_errors_before_anything_listens(self):
        with tempfile.TemporaryDirectory() as folder:
            text = os.path.join(folder, "text.pem")
            with open(text, "w", encoding="utf-8") as file:
                file.write("no certificate")
            for words, message in (
                (["-tls_certificate", CERTIFICATE], "belong together"),
                (["-tls_key", KEY], "belong together"),
                (
                    ["-tls_certificate", text, "-tls_key", KEY],
                    "text.pem: expected certificates",
                ),
                (
                    ["-tls_certificate", CERTIFICATE, "-tls_key", text],
                    "text.pem: expected a private key",
                ),
                (
                    ["-tls_certificate", folder + "/gone", "-tls_key", KEY],
                    "gone: expected certificates",
                ),
            ):
                server = start(*words)
                out, err = server.communicate(timeout=TIMEOUT)
                self.assertEqual(server.returncode, 1, err)
                self.assertEqual(out, "")
                self.assertIn(message, err)


if __name__ == "__main__":
    sys.exit(junit_runner.main("tls"))
