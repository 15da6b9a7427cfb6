"""What a hostile server can do to the program that it traces: little."""

import http.server
import logging
import socketserver
import threading
import unittest

from tfprof._live import http as live_http
from tfprof._live.http import Address, Connection, Unreachable
from tfprof._live.orders import MAX_ORDERS, MAX_STEPS, OrderBook
from tfprof._recorders.dumper import LOG, MAX_REASON, MAX_REASONS, Once


class Answers(socketserver.ThreadingMixIn, http.server.HTTPServer):
    """A server whose answer is `body`, after `head`."""

    daemon_threads = True
    body = b"{}"
    head = b""

    def handle_error(self, *unused):
        pass  # the client has closed the connection


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *unused):
        pass

    def do_POST(self):
        self.rfile.read(int(self.headers.get("Content-Length", 0)))
        try:
            self.wfile.write(self.server.head)
            self.send_response(200)
            self.send_header("Content-Length", str(len(self.server.body)))
            self.end_headers()
            self.wfile.write(self.server.body)
        except OSError:  # the client has had enough
            pass


class AnswersTest(unittest.TestCase):
    def setUp(self):
        self.server = Answers(("127.0.0.1", 0), Handler)
        self.addCleanup(self.server.server_close)
        thread = threading.Thread(target=self.server.serve_forever)
        thread.start()
        self.addCleanup(thread.join)
        self.addCleanup(self.server.shutdown)
        self.connection = Connection(
            Address("127.0.0.1", self.server.server_port, "token"), timeout=5.0
        )
        self.addCleanup(self.connection.close)

    def test_an_answer_up_to_the_limit_is_read(self):
        self.server.body = b" " * (live_http.MAX_ANSWER - 2) + b"{}"
        self.assertEqual(self.connection.json("POST", "/x", {}), (200, {}))
        self.server.body = b'{"a":1}'
        self.assertEqual(
            self.connection.json("POST", "/x", {}), (200, {"a": 1})
        )

    def test_a_larger_one_is_refused(self):
        self.server.body = b" " * (live_http.MAX_ANSWER - 1) + b"{}"
        with self.assertRaisesRegex(Unreachable, "more than 1048576 bytes"):
            self.connection.json("POST", "/x", {})
        # The next one is on a connection of its own.
        self.server.body = b"{}"
        self.assertEqual(self.connection.json("POST", "/x", {}), (200, {}))

    def test_a_caller_may_want_more(self):
        self.server.body = b"x" * (2 * live_http.MAX_ANSWER)
        status, data = self.connection.ask("POST", "/x", most=1 << 30)
        self.assertEqual((status, len(data)), (200, len(self.server.body)))

    def test_interim_answers_are_refused_at_once(self):
        self.server.head = b"HTTP/1.1 100 Continue\r\n\r\n" * 100_000
        with self.assertRaisesRegex(Unreachable, "interim answer"):
            self.connection.json("POST", "/x", {})


class OrdersTest(unittest.TestCase):
    def test_orders_above_the_limit_are_not_used(self):
        book = OrderBook([])
        orders = [
            {"order": n, "rule": "every", "every": 5}
            for n in range(1, 10 * MAX_ORDERS)
        ]
        problems = book.apply(iter(orders))
        self.assertEqual(len(problems), 1)
        self.assertIn("more than 1000 orders", problems[0])
        self.assertEqual(len(book._orders), MAX_ORDERS)
        self.assertEqual(book.apply(orders[:MAX_ORDERS]), [])

    def test_an_order_has_few_steps(self):
        book = OrderBook([])
        steps = list(range(1, MAX_STEPS + 2))
        problems = book.apply([{"order": 1, "rule": "steps", "steps": steps}])
        self.assertIn("more than 10000 steps", problems[0])
        self.assertEqual(
            book.apply([{"order": 1, "rule": "steps", "steps": steps[:-1]}]),
            [],
        )


class LogTest(unittest.TestCase):
    def test_lines_are_short_safe_and_few(self):
        once = Once("test")
        with self.assertLogs(LOG, logging.WARNING) as logged:
            once.warn("a\n\x1b[31mb" + "c" * 10_000)
            for n in range(10 * MAX_REASONS):
                once.warn(f"reason {n}")
        lines = [record.getMessage() for record in logged.records]
        self.assertEqual(len(lines), MAX_REASONS + 1)
        self.assertIn("further problems are not logged", lines[-1])
        for line in lines:
            self.assertTrue(line.isprintable(), line)
            self.assertLess(len(line), MAX_REASON + 100)

    def test_each_reason_is_said_once(self):
        once = Once("test")
        with self.assertLogs(LOG, logging.WARNING) as logged:
            for _ in range(3):
                once.warn("the same", ValueError("x"))
        self.assertEqual(len(logged.records), 1)


if __name__ == "__main__":
    unittest.main()
