"""Headless Chromium through its debugging pipe, without packages.

    with Browser() as browser:
        page = browser.open("file:///tmp/timeline.html")
        page.evaluate("document.title")
        page.click(100, 200)
        page.screenshot("shot.png")
        page.errors, page.requests

Messages are JSON, ended by a zero byte, on descriptors 3 and 4 of the browser.
"""

import base64
import json
import os
import select
import shutil
import subprocess
import tempfile
import time

# After which a browser that says nothing has failed.
SECONDS = 60


class BrowserError(Exception):
    pass


def find_browser():
    return shutil.which("chromium") or shutil.which("chromium-browser")


class Browser:
    def __init__(self, width=1440, height=900, dark=False):
        self.size = (width, height)
        self.dark = dark
        self.folder = tempfile.mkdtemp(prefix="tfprof-page-")
        to_browser, self.out = os.pipe()
        self.into, from_browser = os.pipe()

        def connect():
            # 3 and 4 may be among the numbers in use.
            first, second = os.dup(to_browser), os.dup(from_browser)
            os.dup2(first, 3)
            os.dup2(second, 4)

        self.process = subprocess.Popen(
            [
                find_browser(),
                "--headless=new",
                "--no-sandbox",
                "--disable-gpu",
                "--remote-debugging-pipe",
                "--hide-scrollbars",
                "--no-first-run",
                "--disable-background-networking",
                "--disable-extensions",
                "--user-data-dir=" + self.folder,
                "--window-size=%d,%d" % self.size,
                "about:blank",
            ],
            preexec_fn=connect,
            close_fds=False,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        os.close(to_browser)
        os.close(from_browser)
        self.buffer = b""
        self.number = 0
        self.pages = {}

    def __enter__(self):
        return self

    def __exit__(self, *_):
        try:
            self.call("Browser.close")
        except BrowserError:
            pass
        try:
            self.process.wait(10)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        os.close(self.out)
        os.close(self.into)
        shutil.rmtree(self.folder, ignore_errors=True)

    def send(self, method, params, session):
        self.number += 1
        message = {"id": self.number, "method": method, "params": params}
        if session:
            message["sessionId"] = session
        data = json.dumps(message).encode() + b"\0"
        while data:
            data = data[os.write(self.out, data) :]
        return self.number

    def receive(self):
        """The next message; events go to their page."""
        while b"\0" not in self.buffer:
            if not select.select([self.into], [], [], SECONDS)[0]:
                raise BrowserError("no answer for %d seconds" % SECONDS)
            piece = os.read(self.into, 1 << 20)
            if not piece:
                raise BrowserError("the browser has ended")
            self.buffer += piece
        text, self.buffer = self.buffer.split(b"\0", 1)
        message = json.loads(text)
        page = self.pages.get(message.get("sessionId"))
        if page and "method" in message:
            page.event(message["method"], message["params"])
        return message

    def call(self, method, params=None, session=None):
        number = self.send(method, params or {}, session)
        while True:
            message = self.receive()
            if message.get("id") == number:
                if "error" in message:
                    raise BrowserError("%s: %s" % (method, message["error"]))
                return message["result"]

    def open(self, address, wait=True):
        target = self.call("Target.createTarget", {"url": "about:blank"})
        session = self.call(
            "Target.attachToTarget",
            {"targetId": target["targetId"], "flatten": True},
        )["sessionId"]
        page = self.pages[session] = Page(self, session, address)
        page.start(wait)
        return page


class Page:
    def __init__(self, browser, session, address):
        self.browser = browser
        self.session = session
        self.address = address
        self.errors = []
        self.requests = []

    def call(self, method, **params):
        return self.browser.call(method, params, self.session)

    def event(self, method, params):
        if method == "Runtime.exceptionThrown":
            self.errors.append(str(params["exceptionDetails"])[:2000])
        elif method == "Runtime.consoleAPICalled":
            if params["type"] in ("error", "warning", "assert"):
                self.errors.append(str(params["args"])[:2000])
        elif method == "Log.entryAdded":
            self.errors.append(str(params["entry"])[:2000])
        elif method == "Network.requestWillBeSent":
            self.requests.append(params["request"]["url"])

    def start(self, wait):
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.call(domain + ".enable")
        width, height = self.browser.size
        self.call(
            "Emulation.setDeviceMetricsOverride",
            width=width,
            height=height,
            deviceScaleFactor=1,
            mobile=False,
        )
        self.call(
            "Emulation.setEmulatedMedia",
            features=[
                {
                    "name": "prefers-color-scheme",
                    "value": "dark" if self.browser.dark else "light",
                }
            ],
        )
        self.began = time.monotonic()
        self.call("Page.navigate", url=self.address)
        if wait:
            self.wait("document.body && document.body.dataset.ready === 'true'")
            self.opened = time.monotonic() - self.began

    def evaluate(self, expression):
        result = self.call(
            "Runtime.evaluate",
            expression=expression,
            returnByValue=True,
            awaitPromise=True,
        )
        if "exceptionDetails" in result:
            raise BrowserError(str(result["exceptionDetails"])[:2000])
        return result["result"].get("value")

    def wait(self, expression, seconds=60):
        end = time.monotonic() + seconds
        while not self.evaluate(expression):
            if time.monotonic() > end:
                raise BrowserError("never true: " + expression)
            time.sleep(0.02)

    def settle(self):
        """Waits for two frames and the timers of the page."""
        self.evaluate(
            "new Promise(r => setTimeout(() => requestAnimationFrame("
            "() => requestAnimationFrame(r)), 300))"
        )

    def mouse(self, kind, x, y, **more):
        self.call("Input.dispatchMouseEvent", type=kind, x=x, y=y, **more)

    def click(self, x, y, count=1, modifiers=0):
        self.mouse("mouseMoved", x, y)
        for kind in ("mousePressed", "mouseReleased"):
            self.mouse(
                kind, x, y, button="left", clickCount=count, modifiers=modifiers
            )
        self.settle()

    def drag(self, x0, y0, x1, y1, modifiers=0):
        self.mouse("mouseMoved", x0, y0, modifiers=modifiers)
        self.mouse(
            "mousePressed",
            x0,
            y0,
            button="left",
            clickCount=1,
            modifiers=modifiers,
        )
        for i in range(1, 9):
            self.mouse(
                "mouseMoved",
                x0 + (x1 - x0) * i / 8,
                y0 + (y1 - y0) * i / 8,
                button="left",
                buttons=1,
                modifiers=modifiers,
            )
        self.mouse(
            "mouseReleased",
            x1,
            y1,
            button="left",
            clickCount=1,
            modifiers=modifiers,
        )
        self.settle()

    def key(self, key, text=None, modifiers=0):
        for kind in ("keyDown", "keyUp"):
            params = {"type": kind, "key": key, "modifiers": modifiers}
            if kind == "keyDown" and text:
                params["text"] = text
            self.call("Input.dispatchKeyEvent", **params)
        self.settle()

    def type(self, text):
        self.call("Input.insertText", text=text)
        self.settle()

    def screenshot(self, path):
        data = self.call("Page.captureScreenshot", format="png")["data"]
        with open(path, "wb") as f:
            f.write(base64.b64decode(data))
