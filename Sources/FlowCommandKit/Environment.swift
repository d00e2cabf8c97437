#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import FlowSystem

/// The environment variables of the process.
package enum Environment {
  package static var all: [String: String] { ProcessInfo.processInfo.environment }

  /// True if colors can be used: `NO_COLOR` is not set, and the terminal is not `dumb`.
  package static var allowsColor: Bool { value("NO_COLOR") == nil && value("TERM") != "dumb" }

  /// True if the terminal can redraw lines: `TERM` is set to anything except `dumb`.
  package static var isTerminalCapable: Bool { value("TERM") != nil && value("TERM") != "dumb" }

  /// True on a build server, where nothing is redrawn.
  package static var isContinuousIntegration: Bool { value("CI") != nil }

  /// The name of the user who runs this process, or the user id if the name is unknown.
  package static var userName: String {
    getpwuid(getuid()).flatMap { $0.pointee.pw_name }.map { String(cString: $0) } ?? "user \(getuid())"
  }

  /// Returns the value of a variable, or nil if it is empty or not set.
  package static func value(_ name: String) -> String? {
    guard let text = getenv(name), text.pointee != 0 else { return nil }
    return String(cString: text)
  }
}
