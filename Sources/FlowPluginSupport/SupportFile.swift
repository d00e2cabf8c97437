/// A support file for plugins' programs, embedded in flowrun.
package struct SupportFile: Sendable {
  /// The file's name in the support folder.
  package let name: String
  /// The content, as embedded in flowrun.
  package let bytes: [UInt8]
  /// True if calls spend their time in this file, so that it is compiled with optimization.
  package var isHot = false

  /// The sources of the module `FlowPlugin`. Hot files use no other files, so that they can be compiled alone.
  package static let swift = [
    SupportFile(name: "JSON.swift", bytes: PackageResources.JSON_swift, isHot: true),
    SupportFile(name: "JSONDecoding.swift", bytes: PackageResources.JSONDecoding_swift),
    SupportFile(name: "JSONEncoding.swift", bytes: PackageResources.JSONEncoding_swift),
    SupportFile(name: "JSONScalar.swift", bytes: PackageResources.JSONScalar_swift),
    SupportFile(name: "Messages.swift", bytes: PackageResources.Messages_swift, isHot: true),
    SupportFile(name: "PluginCall.swift", bytes: PackageResources.PluginCall_swift),
    SupportFile(name: "PluginError.swift", bytes: PackageResources.PluginError_swift, isHot: true),
    SupportFile(name: "PluginProgram.swift", bytes: PackageResources.PluginProgram_swift),
  ]

  /// The Python module `flowrun_plugin`.
  package static let python = SupportFile(name: "flowrun_plugin.py", bytes: PackageResources.flowrun_plugin_py)

  /// The Node.js module `flowrun-plugin`.
  package static let node = SupportFile(name: "flowrun-plugin.js", bytes: PackageResources.flowrun_plugin_js)

  /// The functions for sh, at the path in `FLOWRUN_PLUGIN_SH`.
  package static let shell = SupportFile(name: "flowrun-plugin.sh", bytes: PackageResources.flowrun_plugin_sh)
}
