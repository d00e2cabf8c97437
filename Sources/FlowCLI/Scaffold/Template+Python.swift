extension PluginTemplate {
  /// The files of a plugin in Python, except its manifest and test cases. `NAME` stands for the plugin's name.
  static let pythonFiles = [
    "plugin.py": #"""
    from flowrun_plugin import Problem, action, serve


    @action("NAME.text")
    def louder(call, text):
        if not text:
            raise Problem("nothing-to-say", "text is empty; give it a word")
        call.log("saying it louder")
        # Slow actions check `call.is_cancelled` regularly and wait with `call.wait(seconds)`.
        return {"text": text.upper() + "!"}


    serve()

    """#
  ]
}
