extension PluginTemplate {
  /// What is written for a plugin in Python besides its manifest and its cases; `NAME` stands for the plugin's name.
  static let pythonFiles = ["plugin.py": pythonProgram]

  private static let pythonProgram = #"""
    """The actions of this plugin: edit, save, run."""

    import json
    import sys


    class Problem(Exception):
        """An error with a word for programs and a sentence for people."""

        def __init__(self, code, message):
            super().__init__(message)
            self.code = code


    def text(inputs, call):
        """NAME.text: takes the inputs that plugin.yaml declares, returns the outputs."""
        if not inputs["text"]:
            raise Problem("nothing-to-say", "text is empty; give it a word")
        call.log("saying it louder")
        return {"text": inputs["text"].upper() + "!"}


    ACTIONS = {"NAME.text": text}


    # What follows speaks flowrun's protocol: JSON-RPC 2.0 on standard input and output, one message a line. Standard
    # output belongs to the protocol: write everything else to standard error.

    encode = json.JSONEncoder(separators=(",", ":")).encode
    decode = json.JSONDecoder().raw_decode
    output = open(1, "wb", buffering=0, closefd=False)


    def send(message):
        line = encode(message).encode() + b"\n"
        while line:
            line = line[output.write(line):]


    def notify(method, params):
        send({"jsonrpc": "2.0", "method": method, "params": params})


    def respond(id, key, value):
        send({"jsonrpc": "2.0", "id": id, key: value})


    class Call:
        """The call that an action answers."""

        def __init__(self, id, params):
            self.id = id
            self.attempt = params["attempt"]
            self.environment = params["env"]

        def log(self, message, level="info"):
            notify("log", {"id": self.id, "level": level, "message": message})

        def progress(self, fraction, message=""):
            notify("progress", {"id": self.id, "fraction": fraction, "message": message})

        def post(self, event):
            notify("post", {"id": self.id, "event": event})


    def answer(id, params):
        try:
            outputs = ACTIONS[params["action"]](params["inputs"], Call(id, params))
            respond(id, "result", {"outputs": outputs})
        except Problem as problem:
            respond(id, "error", {"code": problem.code, "message": str(problem)})
        except Exception as problem:
            respond(id, "error", {"code": "failed", "message": "%s: %s" % (type(problem).__name__, problem)})


    def main():
        for line in sys.stdin.buffer:
            message, _ = decode(line.decode())
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
