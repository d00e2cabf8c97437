extension PluginTemplate {
  /// The files of a plugin in JavaScript, except its manifest and test cases. `NAME` stands for the plugin's name.
  static let nodeFiles = [
    "plugin.js": #"""
    const { action, Problem, serve } = require("flowrun-plugin");

    action("NAME.text", async ({ text }, call) => {
      if (!text) throw new Problem("nothing-to-say", "text is empty; give it a word");
      call.log("saying it louder");
      // Slow actions pass on `call.signal` and wait with `await call.wait(milliseconds)`.
      return { text: text.toUpperCase() + "!" };
    });

    serve();

    """#
  ]
}
