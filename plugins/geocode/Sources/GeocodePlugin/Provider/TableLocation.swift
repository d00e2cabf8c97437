#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// The location of the tables: in the package's resources next to the program, or in an installation.
enum TableLocation {
  /// The name of the folder that the build makes from this target's resources.
  #if canImport(Darwin)
    private static let bundle = "flowrun_GeocodePlugin.bundle"
  #else
    private static let bundle = "flowrun_GeocodePlugin.resources"
  #endif

  /// Returns the first folder that contains a manifest.
  ///
  /// - Throws: `GeocodeError.dataCorrupt` with every folder that was searched.
  static func find() throws(GeocodeError) -> String {
    var looked = candidates()
    if let folder = first(of: looked) { return folder }
    #if canImport(Darwin)
      // Searched last and only in an app, because SwiftPM's accessor ends a program that has no such bundle.
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

  /// The folders of the tables in a resource bundle: flat, as made by SwiftPM and on iOS, or as Xcode makes bundles for
  /// macOS.
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
