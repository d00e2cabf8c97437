/// A file that plugins' programs are written with, as flowrun carries it.
public struct SupportFile: Sendable {
  /// Its name in the folder that it is laid out in.
  public let name: String
  /// What it holds.
  public let bytes: [UInt8]
  /// Whether what a call costs is spent here.
  public var isHot = false

  /// What the module `FlowPlugin` is compiled from. The hot files use none of the others, so that they compile alone.
  public static let swift = [
    SupportFile(name: "JSON.swift", bytes: PackageResources.JSON_swift, isHot: true),
    SupportFile(name: "JSONDecoding.swift", bytes: PackageResources.JSONDecoding_swift),
    SupportFile(name: "JSONEncoding.swift", bytes: PackageResources.JSONEncoding_swift),
    SupportFile(name: "JSONScalar.swift", bytes: PackageResources.JSONScalar_swift),
    SupportFile(name: "Messages.swift", bytes: PackageResources.Messages_swift, isHot: true),
    SupportFile(name: "PluginCall.swift", bytes: PackageResources.PluginCall_swift),
    SupportFile(name: "PluginError.swift", bytes: PackageResources.PluginError_swift, isHot: true),
    SupportFile(name: "PluginProgram.swift", bytes: PackageResources.PluginProgram_swift),
  ]

  /// What Python finds as the module `flowrun_plugin`.
  public static let python = SupportFile(name: "flowrun_plugin.py", bytes: PackageResources.flowrun_plugin_py)

  /// What Node.js finds as `flowrun-plugin`.
  public static let node = SupportFile(name: "flowrun-plugin.js", bytes: PackageResources.flowrun_plugin_js)

  /// What sh reads from the path in `FLOWRUN_PLUGIN_SH`.
  public static let shell = SupportFile(name: "flowrun-plugin.sh", bytes: PackageResources.flowrun_plugin_sh)
}
