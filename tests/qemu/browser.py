"""A headless Chromium, driven over its debugging pipe: what a page shows, what it complains of, a picture of it."""
import base64
import fcntl
import json
import os
import select
import shutil
import subprocess
import tempfile
import time

import processes

PATIENCE = 60  # seconds for one answer
LIGHT, DARK = "light", "dark"


class Browser:
    """One Chromium. It reads commands from its descriptor 3 and answers on 4, JSON with a zero byte at the end."""

    def __init__(self):
        program = shutil.which("chromium")
        if program is None:
            raise AssertionError("these tests need Debian's package chromium")
        self._profile = tempfile.TemporaryDirectory(prefix="qmpwatch-chromium-", ignore_cleanup_errors=True)
        commands, self._commands = map(_high, os.pipe())
        self._answers, answers = map(_high, os.pipe())

        def place_pipes():
            os.dup2(commands, 3)
            os.dup2(answers, 4)
        # Without its sandbox, which it does not have as root or in a container: it opens our own pages only.
        self._process = processes.start(
            [program, "--headless=new", "--remote-debugging-pipe", f"--user-data-dir={self._profile.name}",
             "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run", "--disable-extensions",
             "--disable-background-networking", "--disable-component-update", "--hide-scrollbars"],
            before_exec=place_pipes, close_fds=False, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL)
        os.close(commands)
        os.close(answers)
        self._unread = b""
        self._number = 0
        self.heard = []  # events

    def __enter__(self):
        return self

    def __exit__(self, *_):
        processes.end(self._process)
        os.close(self._commands)
        os.close(self._answers)
        self._profile.cleanup()

    def ask(self, method, session=None, **parameters):
        """The answer to a command."""
        self._number += 1
        command = {"id": self._number, "method": method, "params": parameters}
        if session is not None:
            command["sessionId"] = session
        os.write(self._commands, json.dumps(command).encode() + b"\0")
        while True:
            message = self._receive(method)
            if message.get("id") == self._number:
                if "error" in message:
                    raise AssertionError(f"Chromium refuses {method}: {message['error']}")
                return message["result"]

    def wait_for(self, method, session, since):
        """The first event of this kind from number `since` on."""
        while True:
            for event in self.heard[since:]:
                if event["method"] == method and event.get("sessionId") == session:
                    return event["params"]
            self._receive(method)

    def _receive(self, what):
        deadline = time.monotonic() + PATIENCE
        while b"\0" not in self._unread:
            if not select.select([self._answers], [], [], max(0, deadline - time.monotonic()))[0]:
                raise AssertionError(f"Chromium does not answer within {PATIENCE} s: {what}")
            part = os.read(self._answers, 1 << 20)
            if not part:
                raise AssertionError(f"Chromium has ended: {what}")
            self._unread += part
        message, self._unread = self._unread.split(b"\0", 1)
        message = json.loads(message)
        if "method" in message:
            self.heard.append(message)
        return message


def _high(descriptor):
    """The same pipe at a number that is not in the way of 3 and 4."""
    high = fcntl.fcntl(descriptor, fcntl.F_DUPFD_CLOEXEC, 10)
    os.close(descriptor)
    return high


class Page:
    """An address in a tab of its own, loaded. `complaints` are what its console says, `requests` what it has loaded."""

    def __init__(self, browser, address, *, width=1280, height=900, scheme=LIGHT):
        self._browser = browser
        self.width, self.scheme = width, scheme
        target = browser.ask("Target.createTarget", url="about:blank")["targetId"]
        self._session = browser.ask("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        self._since = len(browser.heard)
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.ask(f"{domain}.enable")
        self.ask("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1,
                 mobile=width < 600)
        self.ask("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": scheme}])
        said = self.ask("Page.navigate", url=address)
        if "errorText" in said:
            raise AssertionError(f"Chromium cannot open {address}: {said['errorText']}")
        browser.wait_for("Page.loadEventFired", self._session, self._since)

    def ask(self, method, **parameters):
        return self._browser.ask(method, self._session, **parameters)

    def _heard(self, method):
        return [event["params"] for event in self._browser.heard[self._since:]
                if event["method"] == method and event.get("sessionId") == self._session]

    @property
    def complaints(self):
        thrown = [event["exceptionDetails"] for event in self._heard("Runtime.exceptionThrown")]
        printed = [event["args"] for event in self._heard("Runtime.consoleAPICalled")
                   if event["type"] in ("error", "warning", "assert")]
        logged = [event["entry"] for event in self._heard("Log.entryAdded")
                  if event["entry"]["level"] in ("error", "warning")]
        return thrown + printed + logged

    @property
    def requests(self):
        return [event["request"]["url"] for event in self._heard("Network.requestWillBeSent")
                if not event["request"]["url"].startswith("data:")]

    def evaluate(self, script):
        """The value of an expression in the page."""
        said = self.ask("Runtime.evaluate", expression=script, returnByValue=True, awaitPromise=True)
        if "exceptionDetails" in said:
            raise AssertionError(f"{script}: {said['exceptionDetails']}")
        return said["result"].get("value")

    def figures(self):
        """(data-key, data-value, shown text) of all elements that have both."""
        return self.evaluate("[...document.querySelectorAll('[data-key][data-value]')]"
                             ".map(each => [each.dataset.key, each.dataset.value, each.innerText.trim()])")

    def picture(self, path):
        """Saves all of the page as PNG."""
        size = self.ask("Page.getLayoutMetrics")["cssContentSize"]
        clip = {"x": 0, "y": 0, "width": size["width"], "height": min(size["height"], 12000), "scale": 1}
        shot = self.ask("Page.captureScreenshot", format="png", captureBeyondViewport=True, clip=clip)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(base64.b64decode(shot["data"]))
