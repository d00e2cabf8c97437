extension PluginTemplate {
  /// The files of a plugin in Swift, except its manifest and test cases. `NAME` stands for the plugin's name.
  static let swiftFiles = [
    "main.swift": #"""
    import FlowPlugin

    struct Input: Decodable { var text: String }
    struct Output: Encodable { var text: String }

    var plugin = PluginProgram()

    plugin.action("NAME.text") { (input: Input, call) in
      if input.text.isEmpty { throw PluginError("nothing-to-say", "text is empty; give it a word") }
      call.log("saying it louder")
      // Slow actions check `call.isCancelled` regularly and wait with `call.wait(.seconds(1))`.
      return Output(text: input.text.uppercased() + "!")
    }

    plugin.serve()

    """#
  ]
}
