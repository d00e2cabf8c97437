/// The command line of this process.
package enum ProcessArguments {
  /// The program's name followed by its arguments.
  ///
  /// In a statically linked program, Swift searches for the arguments at the original address of the environment. If a
  /// library that is loaded first sets a variable, the environment moves and Swift finds no arguments. The system still
  /// has them.
  package static let all: [String] =
    CommandLine.arguments.isEmpty ? known(to: "/proc/self/cmdline") : CommandLine.arguments

  /// Returns the words in a file of `/proc` in which each word ends with a zero byte.
  package static func known(to path: String) -> [String] {
    let file = Descriptor(open(path, O_RDONLY | O_CLOEXEC))
    guard file.number >= 0 else { return [] }
    var bytes: [UInt8] = []
    var piece = [UInt8](repeating: 0, count: 4096)
    while true {
      let count = piece.withUnsafeMutableBytes { SystemCall.read(file.number, $0) }
      guard count > 0 else { break }
      bytes += piece[..<count]
    }
    return bytes.split(separator: 0, omittingEmptySubsequences: false).dropLast().map {
      String(decoding: $0, as: UTF8.self)
    }
  }
}
