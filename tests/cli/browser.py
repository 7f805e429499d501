"""Headless Chromium, spoken to over a pipe in its DevTools protocol: what a page says and looks like.

    python3 tests/cli/browser.py PAGE.html WIDTH light|dark PICTURE.png
"""

import base64
import contextlib
import json
import os
import pathlib
import select
import shutil
import subprocess
import sys
import tempfile
import time

PATIENCE = 60  # seconds for an answer
SETTLED = """new Promise(done => requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(done, 100))))"""


def chromium():
    """The path of a Chromium or Chrome, or None."""
    return next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)


class Browser:
    """One page at a time. `messages`: what it wrote to the console, threw or complained of."""

    def __init__(self, program, profile):
        to_browser, self._send = os.pipe()
        self._receive, from_browser = os.pipe()
        # The browser reads descriptor 3 and writes 4.
        words = [program, "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run",
                 "--disable-background-networking", "--hide-scrollbars", f"--user-data-dir={profile}", "--remote-debugging-pipe"]
        shell = f'exec 3<&{to_browser} 4>&{from_browser}; exec "$@"'
        self._process = subprocess.Popen(["bash", "-c", shell, "bash", *words], pass_fds=(to_browser, from_browser),
                                         stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        os.close(to_browser)
        os.close(from_browser)
        self._buffer, self._last, self._session = b"", 0, None
        self.messages = []
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        self._session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.call(f"{domain}.enable")

    def close(self):
        self._process.kill()
        self._process.wait()
        os.close(self._send)
        os.close(self._receive)

    def _next(self, deadline):
        while b"\0" not in self._buffer:
            ready, _, _ = select.select([self._receive], [], [], max(0, deadline - time.monotonic()))
            more = os.read(self._receive, 1 << 20) if ready else b""
            if not more:
                raise AssertionError("the browser does not answer")
            self._buffer += more
        text, _, self._buffer = self._buffer.partition(b"\0")
        return json.loads(text)

    def _note(self, event):
        method, its = event.get("method"), event.get("params", {})
        if method == "Runtime.consoleAPICalled":
            self.messages.append(str([a.get("value", a.get("description")) for a in its["args"]]))
        elif method == "Runtime.exceptionThrown":
            self.messages.append(str(its["exceptionDetails"].get("exception", {}).get("description", its)))
        elif method == "Log.entryAdded":
            self.messages.append(its["entry"]["text"])
        elif method == "Network.requestWillBeSent" and its["request"]["url"].split(":")[0] not in ("file", "data", "about"):
            self.messages.append("asked for " + its["request"]["url"])

    def call(self, method, **parameters):
        self._last += 1
        words = {"id": self._last, "method": method, "params": parameters}
        if self._session:
            words["sessionId"] = self._session
        os.write(self._send, json.dumps(words).encode() + b"\0")
        deadline = time.monotonic() + PATIENCE
        while True:
            answer = self._next(deadline)
            if answer.get("id") != self._last:
                self._note(answer)
            elif "error" in answer:
                raise AssertionError(f"{method}: {answer['error']}")
            else:
                return answer["result"]

    def evaluate(self, script):
        answer = self.call("Runtime.evaluate", expression=script, awaitPromise=True, returnByValue=True)
        if "exceptionDetails" in answer:
            raise AssertionError(str(answer["exceptionDetails"]))
        return answer["result"].get("value")

    def show(self, path, width=1200, scheme="light", scripts=True):
        """Opens a page, and waits until it is drawn."""
        self.messages.clear()
        self.call("Emulation.setScriptExecutionDisabled", value=not scripts)
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=900, deviceScaleFactor=1, mobile=False)
        self.call("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": scheme}])
        self.call("Page.navigate", url=pathlib.Path(path).resolve().as_uri())
        deadline = time.monotonic() + PATIENCE
        while True:
            event = self._next(deadline)
            self._note(event)
            if event.get("method") == "Page.loadEventFired":
                break
        if scripts:
            self.evaluate(SETTLED)

    def picture(self, path):
        """All of the page, as PNG."""
        size = self.call("Page.getLayoutMetrics")["cssContentSize"]
        clip = {"x": 0, "y": 0, "width": size["width"], "height": min(size["height"], 16000), "scale": 1}
        png = self.call("Page.captureScreenshot", format="png", captureBeyondViewport=True, clip=clip)["data"]
        pathlib.Path(path).write_bytes(base64.b64decode(png))


@contextlib.contextmanager
def browser():
    with tempfile.TemporaryDirectory(prefix="fathom-browser-", ignore_cleanup_errors=True) as profile:
        its = Browser(chromium(), profile)
        try:
            yield its
        finally:
            its.close()


def main():
    page, width, scheme, picture = sys.argv[1:]
    with browser() as its:
        its.show(page, int(width), scheme)
        its.picture(picture)
        print("\n".join(its.messages), end="")


if __name__ == "__main__":
    main()
