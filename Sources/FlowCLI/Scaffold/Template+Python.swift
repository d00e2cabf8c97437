extension PluginTemplate {
  /// What is written for a plugin in Python besides its manifest and its cases; `NAME` stands for the plugin's name.
  static let pythonFiles = ["plugin.py": pythonProgram]

  private static let pythonProgram = #"""
    """The actions of this plugin: edit, save, run."""

    import collections
    import json
    import os
    import select
    import time


    class Problem(Exception):
        """An error with a word for programs and a sentence for people; `retryable` says whether another try may succeed,
        None what plugin.yaml says."""

        def __init__(self, code, message, retryable=None):
            super().__init__(message)
            self.code = code
            self.retryable = retryable


    def text(inputs, call):
        """NAME.text: takes the inputs that plugin.yaml declares, returns the outputs."""
        if not inputs["text"]:
            raise Problem("nothing-to-say", "text is empty; give it a word")
        call.log("saying it louder")
        # What takes long asks `call.is_cancelled` now and then, and waits with `call.wait(seconds)`.
        return {"text": inputs["text"].upper() + "!"}


    ACTIONS = {"NAME.text": text}


    # What follows speaks flowrun's protocol: JSON-RPC 2.0 on standard input and output, one message a line. Standard
    # output belongs to the protocol: write everything else to standard error.

    encode = json.JSONEncoder(separators=(",", ":")).encode
    decode = json.JSONDecoder().raw_decode


    class Input:
        """The messages that come, one after the other, also while an action works."""

        def __init__(self):
            self.begun = b""
            self.waiting = collections.deque()
            self.cancelled = set()
            self.is_open = True

        def next(self):
            """The next message that is no cancellation; None at the end."""
            while not self.waiting and self.is_open:
                self.read()
            return self.waiting.popleft() if self.waiting else None

        def look(self, seconds=0):
            """Takes what has come, after waiting for it so long."""
            if self.is_open and select.select([0], [], [], seconds)[0]:
                self.read()

        def read(self):
            piece = os.read(0, 1 << 16)
            self.is_open = bool(piece)
            *lines, self.begun = (self.begun + piece).split(b"\n")
            for line in lines:
                message, _ = decode(line.decode())
                if message["method"] == "cancel":
                    self.cancelled.add(message["params"]["id"])
                else:
                    self.waiting.append(message)


    messages = Input()


    def send(message):
        line = encode(message).encode() + b"\n"
        while line:
            line = line[os.write(1, line):]


    def notify(method, params):
        send({"jsonrpc": "2.0", "method": method, "params": params})


    def respond(id, key, value):
        send({"jsonrpc": "2.0", "id": id, key: value})


    class Cancelled(Exception):
        """The call is to be given up."""


    class Call:
        """The call that an action answers."""

        def __init__(self, id, params):
            self.id = id
            self.attempt = params["attempt"]
            self.environment = params["env"]
            # The inputs of type duration in milliseconds; in the inputs they are text, such as 1m30s.
            self.milliseconds = params.get("milliseconds", {})

        @property
        def is_cancelled(self):
            """Whether the call is to be given up; whoever works long asks now and then, and returns."""
            messages.look()
            return self.id in messages.cancelled or not messages.is_open

        def wait(self, seconds):
            """Sleeps; raises Cancelled as soon as the call is to be given up."""
            end = time.monotonic() + seconds
            while not self.is_cancelled:
                rest = end - time.monotonic()
                if rest <= 0:
                    return
                messages.look(rest)
            raise Cancelled()

        def log(self, message, level="info"):
            notify("log", {"id": self.id, "level": level, "message": message})

        def progress(self, fraction, message=""):
            notify("progress", {"id": self.id, "fraction": fraction, "message": message})

        def post(self, event):
            notify("post", {"id": self.id, "event": event})


    def fail(id, code, message, retryable=None):
        data = {} if retryable is None else {"data": {"retryable": retryable}}
        respond(id, "error", {"code": code, "message": message, **data})


    def answer(id, params):
        try:
            if id in messages.cancelled:
                raise Cancelled()
            outputs = ACTIONS[params["action"]](params["inputs"], Call(id, params))
            respond(id, "result", {"outputs": outputs})
        except Cancelled:
            fail(id, "cancelled", "the call was cancelled")
        except Problem as problem:
            fail(id, problem.code, str(problem), problem.retryable)
        except Exception as problem:
            fail(id, "failed", "%s: %s" % (type(problem).__name__, problem))
        messages.cancelled.discard(id)


    def main():
        while message := messages.next():
            method = message["method"]
            if method == "run":
                answer(message["id"], message["params"])
            elif method == "initialize":
                respond(message["id"], "result", {"name": "NAME", "version": "1.0.0", "actions": sorted(ACTIONS)})
            elif method == "shutdown":
                return


    main()

    """#
}
