"""Headless Chromium through its debugging pipe, without packages.

Messages are JSON, ended by a zero byte, on descriptors 3 and 4 of the browser.
driver.py says what a driver has.
"""

import base64
import json
import os
import select
import shutil
import subprocess
import tempfile
import time

import driver
from driver import SECONDS, BrowserError

# What keys without a character do depends on their numbers.
KEY_CODES = {
    "Tab": 9,
    "Enter": 13,
    "Escape": 27,
    " ": 32,
    "PageUp": 33,
    "PageDown": 34,
    "End": 35,
    "Home": 36,
    "ArrowLeft": 37,
    "ArrowUp": 38,
    "ArrowRight": 39,
    "ArrowDown": 40,
}


def find():
    return shutil.which("chromium") or shutil.which("chromium-browser")


class Browser:
    name = "chromium"

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
                find(),
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

    def downloads(self, folder):
        """Saves files there, without a question."""
        self.call(
            "Browser.setDownloadBehavior",
            {"behavior": "allow", "downloadPath": folder},
        )

    def open(self, address, wait=True):
        target = self.call("Target.createTarget", {"url": "about:blank"})
        session = self.call(
            "Target.attachToTarget",
            {"targetId": target["targetId"], "flatten": True},
        )["sessionId"]
        page = self.pages[session] = Page(self, session, address)
        page.start(wait)
        return page


class Page(driver.Page):
    def __init__(self, browser, session, address):
        super().__init__(browser, address)
        self.session = session

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
        self.resize(*self.browser.size)
        self.dark(self.browser.dark)
        self.began = time.monotonic()
        self.call("Page.navigate", url=self.address)
        if wait:
            self.wait_ready()

    def close(self):
        self.call("Page.close")

    def bring_to_front(self):
        self.call("Page.bringToFront")

    def paper(self, on):
        """Styles the page as for a printer, or as for a screen again."""
        self.call(
            "Emulation.setEmulatedMedia", media="print" if on else "screen"
        )

    def resize(self, width, height):
        self.call(
            "Emulation.setDeviceMetricsOverride",
            width=width,
            height=height,
            deviceScaleFactor=1,
            mobile=False,
        )

    def dark(self, on):
        """Chooses the theme of the system."""
        self.call(
            "Emulation.setEmulatedMedia",
            features=[
                {
                    "name": "prefers-color-scheme",
                    "value": "dark" if on else "light",
                }
            ],
        )

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

    def mouse(self, kind, x, y, **more):
        if kind in ("mousePressed", "mouseReleased"):
            more = {"button": "left", "clickCount": 1, **more}
        elif more.get("buttons"):
            more["button"] = "left"
        self.call("Input.dispatchMouseEvent", type=kind, x=x, y=y, **more)

    def click(self, x, y, count=1, modifiers=0):
        self.mouse("mouseMoved", x, y)
        for kind in ("mousePressed", "mouseReleased"):
            self.mouse(kind, x, y, clickCount=count, modifiers=modifiers)
        self.settle()

    def touch(self, kind, points):
        """touchStart, touchMove or touchEnd of fingers: (x, y) each."""
        self.call(
            "Input.dispatchTouchEvent",
            type=kind,
            touchPoints=[
                {"x": x, "y": y, "id": at} for at, (x, y) in enumerate(points)
            ],
        )

    def key(self, key, modifiers=0, settle=True):
        """Presses a key, which has the name of KeyboardEvent.key."""
        params = {"key": key, "modifiers": modifiers}
        if key in KEY_CODES:
            params["windowsVirtualKeyCode"] = KEY_CODES[key]
            params["code"] = key if len(key) > 1 else "Space"
        text = {"Enter": "\r"}.get(key, key if len(key) == 1 else "")
        self.call("Input.dispatchKeyEvent", type="keyDown", text=text, **params)
        self.call("Input.dispatchKeyEvent", type="keyUp", **params)
        if settle:
            self.settle()

    def type(self, text):
        self.call("Input.insertText", text=text)
        self.settle()

    def screenshot(self, path):
        data = self.call("Page.captureScreenshot", format="png")["data"]
        with open(path, "wb") as f:
            f.write(base64.b64decode(data))
