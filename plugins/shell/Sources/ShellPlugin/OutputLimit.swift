import FlowModel

/// The maximum number of bytes to keep from each output stream of a command.
struct OutputLimit {
  let bytes: Int

  /// The reason why a limit cannot be parsed.
  struct LimitProblem: Error, Hashable {
    var message: String
  }

  /// Parses a limit such as `8MiB`. Nil selects the default limit.
  init(_ text: String?) throws(LimitProblem) {
    guard let text else {
      bytes = Limits.usualCommandOutputBytes
      return
    }
    let range = Limits.leastCommandOutputBytes...Limits.commandOutputBytes
    let bytes: Int
    do throws(MemoryText.MemoryProblem) { bytes = try MemoryText.parse(text, suggesting: range) } catch {
      throw LimitProblem(message: "expected a size such as 8MiB, found '\(text)'; \(error.help)")
    }
    guard range.contains(bytes) else {
      throw LimitProblem(
        message: "the limit of an output is from \(MemoryText.format(range.lowerBound)) to "
          + "\(MemoryText.format(range.upperBound)), found '\(text)'")
    }
    self.bytes = bytes
  }
}
