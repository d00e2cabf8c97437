extension PluginTemplate {
  /// What is written for a plugin in JavaScript besides its manifest and its cases; `NAME` stands for the plugin's name.
  static let nodeFiles = [
    "plugin.js": #"""
    const { action, Problem, serve } = require("flowrun-plugin");

    action("NAME.text", async ({ text }, call) => {
      if (!text) throw new Problem("nothing-to-say", "text is empty; give it a word");
      call.log("saying it louder");
      // What takes long hands `call.signal` on, and waits with `await call.wait(milliseconds)`.
      return { text: text.toUpperCase() + "!" };
    });

    serve();

    """#
  ]
}
