import ArgumentParser
import FlowCommandKit
import FlowModel
import FlowPluginKit

/// `flowrun version` prints the version and how flowrun was built, for scripts and bug reports.
struct VersionCommand: Subcommand {
  static let configuration = CommandConfiguration(
    commandName: "version", abstract: "Prints the version, with --json also how it was built.",
    discussion: """
      Examples:
        flowrun version
        flowrun version --json
      """)

  @Flag(help: "As JSON: version, operating system, architecture and whether it was built with the trait Network.")
  var json = false

  func perform() async throws {
    guard json else { return StandardOutput.write(Release.version + "\n") }
    StandardOutput.write(
      json: .object([
        "version": .string(Release.version), "system": .string(Self.system), "architecture": .string(Self.architecture),
        "network": .boolean(Self.hasNetwork),
      ]))
  }

  private static var system: String {
    #if os(Linux)
      "linux"
    #elseif os(macOS)
      "macos"
    #else
      "other"
    #endif
  }

  private static var architecture: String {
    #if arch(x86_64)
      "x86_64"
    #elseif arch(arm64)
      "arm64"
    #else
      "other"
    #endif
  }

  private static var hasNetwork: Bool {
    #if Network
      true
    #else
      false
    #endif
  }
}
