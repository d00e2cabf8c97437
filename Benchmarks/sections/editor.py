"""The response times of the language server in an editor, measured through its protocol."""
import json
import os
import select
import statistics
import subprocess
import time

from .harness import *


class Client:
    """An editor with one open file. Answers later than ten seconds fail the section."""

    def __init__(self, path):
        self.process = subprocess.Popen([FLOWRUN, "lsp"], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                        stderr=subprocess.DEVNULL)
        self.uri = f"file://{path}"
        self.bytes = b""
        self.number = 0
        self.version = 1
        with open(path) as file:
            self.text = file.read()
        self.request("initialize", {"processId": os.getpid(), "rootUri": None, "capabilities": {}})
        self.send("initialized", {})
        document = {"uri": self.uri, "languageId": "yaml", "version": 1, "text": self.text}
        self.send("textDocument/didOpen", {"textDocument": document})
        self.await_message(lambda message: message.get("method") == "textDocument/publishDiagnostics")

    def send(self, method, parameters, number=None):
        message = {"jsonrpc": "2.0", "method": method, "params": parameters}
        if number is not None:
            message["id"] = number
        body = json.dumps(message).encode()
        self.process.stdin.write(f"Content-Length: {len(body)}\r\n\r\n".encode() + body)
        self.process.stdin.flush()

    def request(self, method, parameters):
        self.number += 1
        self.send(method, parameters, self.number)
        return self.await_message(lambda message: message.get("id") == self.number and "method" not in message)

    def await_message(self, is_wanted):
        end = time.monotonic() + 10
        while True:
            message = self.next_message(end)
            if is_wanted(message):
                return message

    def next_message(self, end):
        while True:
            head, found, rest = self.bytes.partition(b"\r\n\r\n")
            if found:
                length = int(head.lower().split(b"content-length:")[1].split(b"\r\n")[0])
                if len(rest) >= length:
                    self.bytes = rest[length:]
                    return json.loads(rest[:length])
            left = end - time.monotonic()
            if left <= 0 or not select.select([self.process.stdout], [], [], left)[0]:
                raise TimeoutError("the language server did not answer within ten seconds")
            taken = os.read(self.process.stdout.fileno(), 1 << 20)
            if not taken:
                raise EOFError("the language server has ended")
            self.bytes += taken

    def types(self, character, line, column):
        """Returns the seconds from the insertion of a character to the diagnostics of the changed text."""
        self.version += 1
        place = {"line": line, "character": column}
        start = time.perf_counter()
        self.send("textDocument/didChange", {"textDocument": {"uri": self.uri, "version": self.version}, "contentChanges": [
            {"range": {"start": place, "end": place}, "text": character}]})
        self.await_message(lambda message: message.get("method") == "textDocument/publishDiagnostics"
                           and message["params"].get("version", self.version) == self.version)
        return time.perf_counter() - start

    def completes(self, line, column):
        """Returns the seconds of a completion, which must propose something."""
        start = time.perf_counter()
        answer = self.request("textDocument/completion", {"textDocument": {"uri": self.uri},
                                                          "position": {"line": line, "character": column}})
        elapsed = time.perf_counter() - start
        result = answer["result"]
        assert result["items"] if isinstance(result, dict) else result, "completion offers nothing"
        return elapsed

    def resident_megabytes(self):
        with open(f"/proc/{self.process.pid}/status") as file:
            return next(int(line.split()[1]) for line in file if line.startswith("VmHWM")) / 1024

    def close(self):
        self.process.stdin.close()
        try:
            self.process.wait(10)
        finally:
            self.process.kill()


def opened(count):
    path = os.path.join(context.folder, f"editor-{count}.yaml")
    write_workflow(path, needs_of("layers", count))
    with open(path, "a") as file:
        file.write("  last:\n    uses: flow.log\n    with: { message: hello }\n    needs: [s]\n")
    return Client(path)


def editor():
    client = opened(1000)
    last = client.text.count("\n") - 1
    column = len("    needs: [s")
    typed = [client.types(character, last - 1, len("    with: { message: "))
             for character in "a launch of many steps"[:context.repetitions(22, 10)]]
    completed = [client.completes(last, column) for _ in range(context.repetitions(20, 5))]
    add("1,000-step file in the editor: from a key to its diagnostics, the slowest", "≤ 50", max(typed) * 1000, "ms",
        f"median {statistics.median(typed) * 1000:.1f} ms")
    add("1,000-step file in the editor: completion of a dependency, the slowest", "≤ 20", max(completed) * 1000, "ms",
        f"median {statistics.median(completed) * 1000:.1f} ms")
    client.close()
    client = opened(10_000)
    slowest = max(client.types(character, client.text.count("\n") - 2, len("    with: { message: ")) for character in "hello")
    add("10,000-step file in the editor: the server's memory at its most", "≤ 60", client.resident_megabytes(), "MB",
        f"{slowest * 1000:.1f} ms to diagnostics")
    client.close()
