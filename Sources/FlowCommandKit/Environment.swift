#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import FlowSystem

/// What the environment of the process says.
package enum Environment {
  /// All variables of this process.
  package static var all: [String: String] { ProcessInfo.processInfo.environment }

  /// Whether colors are welcome: `NO_COLOR` is not set and the terminal is not dumb.
  package static var allowsColor: Bool { value("NO_COLOR") == nil && value("TERM") != "dumb" }

  /// Whether the terminal can be drawn on: it says what it is, and is not the plainest.
  package static var isTerminalCapable: Bool { value("TERM") != nil && value("TERM") != "dumb" }

  /// Whether this is a build machine, where nothing is redrawn.
  package static var isContinuousIntegration: Bool { value("CI") != nil }

  /// Who runs this process: the name at this machine, else the number.
  package static var userName: String {
    getpwuid(getuid()).flatMap { $0.pointee.pw_name }.map { String(cString: $0) } ?? "user \(getuid())"
  }

  /// The value of a variable; nil when it is not set or empty.
  package static func value(_ name: String) -> String? {
    guard let text = getenv(name), text.pointee != 0 else { return nil }
    return String(cString: text)
  }
}
