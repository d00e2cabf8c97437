#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// Where the tables are: in the package's resources next to the program, or where an installation put them.
enum TableLocation {
  /// The folder that the build makes of this target's resources.
  #if canImport(Darwin)
    private static let bundle = "flowrun_GeocodePlugin.bundle"
  #else
    private static let bundle = "flowrun_GeocodePlugin.resources"
  #endif

  /// The first folder that holds a manifest.
  ///
  /// - Throws: `GeocodeError.dataCorrupt` naming every place that was looked at.
  static func find() throws(GeocodeError) -> String {
    let looked = candidates()
    for folder in looked where FileManager.default.fileExists(atPath: folder + "/manifest.tsv") { return folder }
    throw .dataCorrupt("the geocoder's tables are not installed; looked in \(looked.joined(separator: ", "))")
  }

  private static func candidates() -> [String] {
    var folders: [String] = []
    if let program = programFolder() {
      folders += [
        program + "/" + bundle + "/Tables", program + "/geocode", program + "/../share/flowrun/geocode",
      ]
    }
    #if canImport(Darwin)
      if let resources = Bundle.main.resourcePath { folders.append(resources + "/" + bundle + "/Tables") }
      folders.append(Bundle.module.bundlePath + "/Tables")
    #endif
    return folders
  }

  private static func programFolder() -> String? {
    #if canImport(Darwin)
      return Bundle.main.executableURL?.resolvingSymlinksInPath().deletingLastPathComponent().path
    #else
      guard let program = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe"),
        let slash = program.lastIndex(of: "/")
      else { return nil }
      return String(program[..<slash])
    #endif
  }
}
