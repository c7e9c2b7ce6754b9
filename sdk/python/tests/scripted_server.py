"""An HTTP server that answers as a test has written down, and records what it receives."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Event, Thread


@dataclass(frozen=True)
class Answer:
    status: int = 200
    body: object = field(default_factory=dict)
    headers: dict[str, str] = field(default_factory=dict)
    #: What happens in place of a response.
    fault: str | None = None


@dataclass(frozen=True)
class Received:
    method: str
    path: str
    headers: dict[str, str]
    body: bytes


class ScriptedServer:
    """Answers requests in the order of `answers`; the last one repeats."""

    def __init__(self) -> None:
        self.answers: list[Answer] = []
        self.received: list[Received] = []
        self.url = ""
        self.ended = Event()

    def script(self, *answers: Answer) -> None:
        self.answers = list(answers)

    def next_answer(self, request: Received) -> Answer:
        self.received.append(request)
        return self.answers.pop(0) if len(self.answers) > 1 else self.answers[0]


@contextmanager
def serve() -> Iterator[ScriptedServer]:
    scripted = ScriptedServer()

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def answer(self) -> None:
            body = self.rfile.read(int(self.headers.get("content-length", 0)))
            headers = {name.lower(): value for name, value in self.headers.items()}
            answer = scripted.next_answer(Received(self.command, self.path, headers, body))
            if answer.fault == "close":
                self.close_connection = True
                return
            if answer.fault == "hang":
                scripted.ended.wait(10)
                self.close_connection = True
                return
            content = answer.body if isinstance(answer.body, bytes) else json.dumps(answer.body).encode()
            self.send_response(answer.status)
            for name, value in {"content-type": "application/json", **answer.headers}.items():
                self.send_header(name, value)
            self.send_header("content-length", str(len(content)))
            self.end_headers()
            if answer.fault == "trickle":
                self.trickle(content)
            else:
                self.wfile.write(content)

        def trickle(self, content: bytes) -> None:
            for byte in content:
                if scripted.ended.is_set():
                    break
                try:
                    self.wfile.write(bytes([byte]))
                except OSError:
                    break
                time.sleep(0.05)
            self.close_connection = True

        do_GET = do_POST = do_PUT = do_PATCH = do_DELETE = answer  # noqa: N815

        def log_message(self, *_: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    scripted.url = f"http://127.0.0.1:{server.server_address[1]}"
    thread = Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)
    thread.start()
    try:
        yield scripted
    finally:
        scripted.ended.set()
        server.shutdown()
        server.server_close()
        thread.join()
