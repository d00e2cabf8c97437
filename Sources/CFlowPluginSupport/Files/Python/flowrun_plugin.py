"""The module for flowrun plugins in Python.

    from flowrun_plugin import Problem, action, serve

    @action("shout.text")
    def shout(call, text, pause=0):
        call.wait(pause)
        return {"text": text.upper()}

    serve()

flowrun adds this file to the module path of every plugin's program. It implements flowrun's protocol: JSON-RPC 2.0 on
standard input and output, one message per line. Standard output is reserved for the protocol; write all other output to
standard error.
"""

import collections
import json
import keyword
import os
import select
import time

__all__ = ["Call", "Cancelled", "Problem", "action", "serve"]


class Problem(Exception):
    """An error with a code for programs and a message for people. `retryable` is true if another attempt may succeed. If it
    is None, the declaration in plugin.yaml decides."""

    def __init__(self, code, message, retryable=None):
        super().__init__(message)
        self.code = code
        self.retryable = retryable


class Cancelled(Exception):
    """Raised if the action must end early, because its call was cancelled."""


_actions = {}


def action(name):
    """Registers a function as the action of this name. Its arguments are the call and the inputs declared in plugin.yaml,
    by their names with `_` for `-`. Inputs of type duration are seconds. It returns the outputs."""

    def keep(function):
        _actions[name] = function
        return function

    return keep


class Call:
    """A call to an action."""

    def __init__(self, id, params):
        self._id = id
        self.attempt = params["attempt"]
        self.environment = params["env"]
        remaining = params.get("remainingMilliseconds")
        # The time until the step's deadline in seconds, or None if it has none.
        self.remaining = None if remaining is None else remaining / 1000

    @property
    def is_cancelled(self):
        """True if the action should end early. A long action should check this regularly and return."""
        _messages.look()
        return self._id in _messages.cancelled or not _messages.is_open

    def wait(self, seconds):
        """Sleeps. Raises Cancelled as soon as the action should end."""
        end = time.monotonic() + seconds
        while not self.is_cancelled:
            left = end - time.monotonic()
            if left <= 0:
                return
            _messages.look(left)
        raise Cancelled()

    def log(self, message, level="info"):
        """Adds a line to the run's log. The levels are debug, info, warning and error."""
        self._notify("log", level=level, message=str(message))

    def progress(self, fraction, message=""):
        """Reports the progress of the action, from 0 to 1."""
        self._notify("progress", fraction=fraction, message=message)

    def post(self, event, value=None):
        """Posts an event that plugin.yaml declares, with an optional value."""
        self._notify("post", event=event, value=value)

    def ready(self, outputs=None):
        """Reports that a service is ready, with its outputs. The steps that depend on the service can then start."""
        self._notify("ready", outputs=outputs or {})

    def _notify(self, method, **params):
        _send({"jsonrpc": "2.0", "method": method, "params": {"id": self._id, **params}})


class _Messages:
    """The received messages in order. They are also read while an action works."""

    def __init__(self):
        self.begun = b""
        self.waiting = collections.deque()
        self.cancelled = set()
        self.is_open = True

    def next(self):
        """Returns the next message that is not a cancellation, or None at the end."""
        while not self.waiting and self.is_open:
            self.read()
        return self.waiting.popleft() if self.waiting else None

    def look(self, seconds=0):
        """Waits up to this long for messages, and reads those that have arrived."""
        if self.is_open and select.select([0], [], [], seconds)[0]:
            self.read()

    def read(self):
        piece = os.read(0, 1 << 16)
        self.is_open = bool(piece)
        *lines, self.begun = (self.begun + piece).split(b"\n")
        for line in lines:
            message, _ = _decode(line.decode())
            if message["method"] == "cancel":
                self.cancelled.add(message["params"]["id"])
            else:
                self.waiting.append(message)


_messages = _Messages()
_encode = json.JSONEncoder(separators=(",", ":")).encode
_decode = json.JSONDecoder().raw_decode


def _send(message):
    line = _encode(message).encode() + b"\n"
    while line:
        line = line[os.write(1, line):]


def _respond(id, key, value):
    _send({"jsonrpc": "2.0", "id": id, key: value})


def _fail(id, code, message, retryable=None):
    data = {} if retryable is None else {"data": {"retryable": retryable}}
    _respond(id, "error", {"code": code, "message": message, **data})


def _inputs(function, params):
    inputs = {**params["inputs"], **{name: count / 1000 for name, count in params.get("milliseconds", {}).items()}}
    inputs = {_parameter(name): value for name, value in inputs.items()}
    code = getattr(function, "__code__", None)
    takes_all = code is None or code.co_flags & 0x08
    return inputs if takes_all else {name: value for name, value in inputs.items() if name in _parameters(code)}


def _parameters(code):
    return code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]


def _parameter(name):
    name = name.replace("-", "_")
    return name + "_" if keyword.iskeyword(name) else name


def _answer(id, params):
    try:
        if id in _messages.cancelled:
            raise Cancelled()
        function = _actions.get(params["action"])
        if function is None:
            raise Problem("unknown-action", "there is no action '%s'" % params["action"])
        _respond(id, "result", {"outputs": function(Call(id, params), **_inputs(function, params)) or {}})
    except Cancelled:
        _fail(id, "cancelled", "the call was cancelled")
    except Problem as problem:
        _fail(id, problem.code, str(problem), problem.retryable)
    except Exception as problem:
        _fail(id, "failed", "%s: %s" % (type(problem).__name__, problem))
    _messages.cancelled.discard(id)


def serve():
    """Answers calls, one after another, until flowrun closes standard input."""
    while message := _messages.next():
        method = message["method"]
        if method == "run":
            _answer(message["id"], message["params"])
        elif method == "initialize":
            # The name and version of plugin.yaml, which flowrun has sent.
            stated = {key: message["params"].get(key) for key in ("name", "version")}
            _respond(message["id"], "result", {**stated, "actions": sorted(_actions)})
        elif method == "shutdown":
            return
