"""The lane's process, asked as the orchestrator asks it: frames in, frames out."""

import json
import pathlib
import subprocess
import sys

FOLDER = pathlib.Path(__file__).parent.parent


def frame(content):
    return len(content).to_bytes(4, "big") + content


class Lane:
    def __init__(self):
        self._process = subprocess.Popen(
            [sys.executable, "-m", "lane"],
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
        """The head of the answer, as it is."""
        self.send(b"".join(map(frame, [json.dumps(request).encode(), *frames])))
        return json.loads(self.receive())

    def get(self, request, *frames):
        """What a request that must succeed is answered."""
        answer = self.ask(request, *frames)
        if "ok" not in answer:
            raise AssertionError(f"{request['verb']} of {request.get('subject')}: {answer}")
        return answer["ok"]

    def encoded(self, subject):
        count = self.get({"verb": "encode", "subject": subject})["payloads"]
        return [self.receive() for _ in range(count)]

    def ended(self, raw=b""):
        """Closes the input; the exit status, and what was left in the outputs."""
        out, err = self._process.communicate(raw)
        return self._process.returncode, out, err.decode()
