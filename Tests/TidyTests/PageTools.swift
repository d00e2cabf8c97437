import Foundation
import TestSupport

/// Replacements for programs that commands on pages use and that may not be installed. They need neither a network nor
/// a compiler.
enum PageTools {
  private static let programs = [
    "flowrun": "exec '\(FlowrunProcess.path)' \"$@\"", "curl": curl, "cc": compiler,
  ]

  /// Writes the programs to a new folder. Returns environment variables with this folder first in `PATH`.
  static func environment(in folder: URL) throws -> [String: String] {
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    for (name, text) in programs {
      let file = folder.appendingPathComponent(name)
      try "#!/bin/sh\n\(text)\n".write(to: file, atomically: true, encoding: .utf8)
      try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: file.path)
    }
    var environment = ProcessInfo.processInfo.environment
    environment["PATH"] = "\(folder.path):\(environment["PATH"] ?? "/usr/bin:/bin")"
    environment["NO_COLOR"] = "1"
    environment["SWIFT_BACKTRACE"] = "enable=no"
    return environment
  }

  /// Replaces curl: returns the same page for every address. The first request for a status returns 503.
  private static let curl = """
    while [ $# -gt 0 ]; do
      case $1 in
      -o) file=$2; shift ;;
      -w) format=$2; shift ;;
      esac
      shift
    done
    code=200
    if [ -n "$format" ] && [ ! -e "$file" ]; then code=503; fi
    echo "a page" > "$file"
    [ -z "$format" ] || printf %s $code
    """

  /// Replaces a compiler: writes a program that prints the first quoted text in the last file.
  private static let compiler = """
    while [ $# -gt 0 ]; do
      case $1 in
      -o) program=$2; shift ;;
      *) source=$1 ;;
      esac
      shift
    done
    text=$(sed -n 's/[^"]*"\\([^"]*\\)".*/\\1/p' "$source")
    printf '#!/bin/sh\\necho "%s"\\n' "$text" > "$program"
    chmod +x "$program"
    """
}
