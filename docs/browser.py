# SPDX-FileCopyrightText: 2026 Open CUDA Python developers
# SPDX-License-Identifier: Apache-2.0
"""Run JavaScript beside the pages of a built site in headless Chromium, without further packages."""

from __future__ import annotations

import contextlib
import http.server
import json
import pathlib
import queue
import shutil
import subprocess
import tempfile
import threading
from typing import Any

OPTIONS = ("--headless=new", "--no-sandbox", "--disable-gpu", "--window-size=1400,1000")
NAMES = ("chromium", "chromium-browser", "google-chrome")
PAGE = """<!doctype html><meta charset="utf-8"><body><script>
const finish = answer => fetch("/__answer__", {method: "POST", body: JSON.stringify(answer)});
(async () => {%s})().then(value => finish({value}), error => finish({error: `${error} ${error.stack}`}));
</script>"""


def find() -> str | None:
    """Return the path of Chromium, None if it is not installed."""
    return next((path for path in map(shutil.which, NAMES) if path), None)


def evaluate(site: pathlib.Path, script: str, values: dict[str, Any], seconds: float) -> Any:
    """Return what an asynchronous script returns, which runs in a page of the site's own origin.

    Parameters
    ----------
    site : pathlib.Path
        The folder of the pages.
    script : str
        The body of an asynchronous function.
    values : dict
        Constants for the script.
    seconds : float
        Time limit.
    """
    answers: queue.Queue[dict[str, Any]] = queue.Queue()
    constants = "".join(f"const {name} = {json.dumps(value)};" for name, value in values.items())
    text = (PAGE % (constants + script)).encode()

    class Handler(http.server.SimpleHTTPRequestHandler):
        def __init__(self, *arguments: Any) -> None:
            super().__init__(*arguments, directory=str(site))

        def do_GET(self) -> None:
            if self.path != "/__script__":
                super().do_GET()
                return
            self.send_response(200)
            self.send_header("Content-Type", "text/html")
            self.end_headers()
            self.wfile.write(text)

        def do_POST(self) -> None:
            answers.put(json.loads(self.rfile.read(int(self.headers["Content-Length"]))))
            self.send_response(204)
            self.end_headers()

        def handle(self) -> None:
            with contextlib.suppress(ConnectionError):  # the browser leaves a page that is still loading
                super().handle()

        def log_message(self, *arguments: Any) -> None:
            pass

    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server, tempfile.TemporaryDirectory() as home:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        options = [*OPTIONS, f"--user-data-dir={home}"]
        address = f"http://127.0.0.1:{server.server_port}/__script__"
        with subprocess.Popen([find() or NAMES[0], *options, address], stderr=subprocess.DEVNULL) as process:
            try:
                answer = answers.get(timeout=seconds)
            except queue.Empty:
                raise TimeoutError(f"the script did not end within {seconds} s") from None
            finally:
                process.terminate()
                server.shutdown()
    if "error" in answer:
        raise RuntimeError(answer["error"])
    return answer["value"]
