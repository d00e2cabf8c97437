import CFlowPluginSupport

/// A support file for plugins' programs, embedded in flowrun.
struct SupportFile: Sendable {
  /// The file's name in the support folder.
  let name: String
  /// The content, as embedded in flowrun.
  let bytes: [UInt8]
  /// True if calls spend their time in this file, so that it is compiled with optimization.
  let isHot: Bool

  private init(_ name: String, _ file: flow_support_file, isHot: Bool = false) {
    self.name = name
    bytes = [UInt8](UnsafeRawBufferPointer(start: file.bytes, count: file.count))
    self.isHot = isHot
  }

  /// The sources of the module `FlowPlugin`. Hot files use no other files, so that they can be compiled alone.
  static let swift = [
    SupportFile("JSON.swift", flow_support_json_swift(), isHot: true),
    SupportFile("JSONDecoding.swift", flow_support_json_decoding_swift()),
    SupportFile("JSONEncoding.swift", flow_support_json_encoding_swift()),
    SupportFile("JSONScalar.swift", flow_support_json_scalar_swift()),
    SupportFile("Messages.swift", flow_support_messages_swift(), isHot: true),
    SupportFile("PluginCall.swift", flow_support_plugin_call_swift()),
    SupportFile("PluginError.swift", flow_support_plugin_error_swift(), isHot: true),
    SupportFile("PluginProgram.swift", flow_support_plugin_program_swift()),
  ]

  /// The Python module `flowrun_plugin`.
  static let python = SupportFile("flowrun_plugin.py", flow_support_python())

  /// The Node.js module `flowrun-plugin`.
  static let node = SupportFile("flowrun-plugin.js", flow_support_node())

  /// The functions for sh, at the path in `FLOWRUN_PLUGIN_SH`.
  static let shell = SupportFile("flowrun-plugin.sh", flow_support_shell())
}
