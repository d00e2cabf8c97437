#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// Finds the folder of the tables, in the package's resources next to the program or in an installation.
enum TableLocation {
  /// The folder into which the build copies this target's resources.
  #if canImport(Darwin)
    private static let bundle = "flowrun_GeocodePlugin.bundle"
  #else
    private static let bundle = "flowrun_GeocodePlugin.resources"
  #endif

  /// Returns the first candidate folder that contains a manifest.
  ///
  /// - Throws: `GeocodeError.dataCorrupt`, listing all folders that were searched.
  static func find() throws(GeocodeError) -> String {
    var looked = candidates()
    if let folder = first(of: looked) { return folder }
    #if canImport(Darwin)
      // This comes last and is used only in apps, because SwiftPM's accessor terminates a program without a resource
      // bundle.
      if Bundle.main.bundleIdentifier != nil, let resources = Bundle.module.resourceURL?.path {
        looked.append(resources + "/Tables")
        if let folder = first(of: [resources + "/Tables"]) { return folder }
      }
    #endif
    throw .dataCorrupt("the geocoder's tables are not installed; looked in \(looked.joined(separator: ", "))")
  }

  /// Returns the first folder that contains a manifest, or nil if none does.
  static func first(of folders: [String]) -> String? {
    folders.first { FileManager.default.fileExists(atPath: $0 + "/manifest.tsv") }
  }

  /// Returns the possible folders of the tables in a resource bundle. SwiftPM and iOS place them at the top, Xcode for
  /// macOS in `Contents/Resources`.
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
