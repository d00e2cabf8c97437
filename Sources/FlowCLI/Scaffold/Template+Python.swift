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
        # What takes long asks `call.is_cancelled` now and then, and waits with `call.wait(seconds)`.
        return {"text": text.upper() + "!"}


    serve()

    """#
  ]
}
