"""The lane as a process that is driven by frames, as the orchestrator does."""

import json
import pathlib
import subprocess
import sys

FOLDER = pathlib.Path(__file__).parent.parent


def frame(content):
    return len(content).to_bytes(4, "big") + content


class Lane:
    def __init__(self, *arguments):
        self._process = subprocess.Popen(
            [sys.executable, "-m", "lane", *arguments],
            cwd=FOLDER,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self._process.kill()
        self._process.communicate()

    def send(self, raw):
        self._process.stdin.write(raw)
        self._process.stdin.flush()

    def receive(self):
        length = int.from_bytes(self._process.stdout.read(4), "big")
        return self._process.stdout.read(length)

    def ask(self, request, *frames):
        """Returns the head of the response."""
        self.send_request(request, *frames)
        return self.response()

    def send_request(self, request, *frames):
        self.send(b"".join(map(frame, [json.dumps(request).encode(), *frames])))

    def response(self):
        return json.loads(self.receive())

    def get(self, request, *frames):
        """Returns the response to a request that must succeed."""
        answer = self.ask(request, *frames)
        if "ok" not in answer:
            raise AssertionError(f"{request['verb']} of {request.get('subject')}: {answer}")
        return answer["ok"]

    def encoded(self, subject):
        count = self.get({"verb": "encode", "subject": subject})["payloads"]
        return [self.receive() for _ in range(count)]

    def ended(self, raw=b""):
        """Closes the input. Returns the exit status and the rest of the outputs."""
        out, err = self._process.communicate(raw)
        return self._process.returncode, out, err.decode()
