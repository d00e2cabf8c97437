/// The end of what a failed command said, for its error message.
enum LastLines {
  /// How many lines are shown.
  static let count = 10
  /// How many bytes are shown.
  static let limitBytes = 2048

  /// The last lines of standard error, or of standard output where that is empty, each on a line of its own behind a
  /// colon; nothing where both are empty.
  static func quote(_ output: String, _ errorOutput: String) -> String {
    let text = errorOutput.contains { !$0.isWhitespace } ? errorOutput : output
    let lines = text.utf8.suffix(limitBytes).split(separator: UInt8(ascii: "\n")).suffix(count)
    guard !lines.isEmpty else { return "" }
    return ":" + lines.map { "\n  " + String(decoding: $0, as: UTF8.self) }.joined()
  }
}
