#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// Finds the folder of the tables: in the package's resources next to the program, or in an installation.
enum TableLocation {
  /// The name of the folder that the build creates from this target's resources.
  #if canImport(Darwin)
    private static let bundle = "flowrun_GeocodePlugin.bundle"
  #else
    private static let bundle = "flowrun_GeocodePlugin.resources"
  #endif

  /// Returns the first candidate folder that contains a manifest.
  ///
  /// - Throws: `GeocodeError.dataCorrupt` with all folders that were searched.
  static func find() throws(GeocodeError) -> String {
    var looked = candidates()
    if let folder = first(of: looked) { return folder }
    #if canImport(Darwin)
      // This is tried last and only in an app, because SwiftPM's accessor terminates a program without such a bundle.
      if Bundle.main.bundleIdentifier != nil, let resources = Bundle.module.resourceURL?.path {
        looked.append(resources + "/Tables")
        if let folder = first(of: [resources + "/Tables"]) { return folder }
      }
    #endif
    throw .dataCorrupt("the geocoder's tables are not installed; looked in \(looked.joined(separator: ", "))")
  }

  /// Returns the first of these folders that contains a manifest.
  static func first(of folders: [String]) -> String? {
    folders.first { FileManager.default.fileExists(atPath: $0 + "/manifest.tsv") }
  }

  /// Returns the possible folders of the tables in a resource bundle: at its top, as SwiftPM and iOS place them, or in
  /// `Contents/Resources`, as Xcode does for macOS.
  static func tables(inBundle path: String) -> [String] { [path + "/Tables", path + "/Contents/Resources/Tables"] }

  private static func candidates() -> [String] {
    var folders: [String] = []
    if let program = programFolder() {
      folders += tables(inBundle: program + "/" + bundle)
      folders += [program + "/geocode", program + "/../share/flowrun/geocode"]
    }
    #if canImport(Darwin)
      if let resources = Bundle.main.resourcePath { folders += tables(inBundle: resources + "/" + bundle) }
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
