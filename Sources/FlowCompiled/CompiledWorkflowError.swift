/// Why bytes are not a compiled workflow that can be used.
public enum CompiledWorkflowError: Error, Sendable, Hashable, CustomStringConvertible {
  /// The bytes do not begin as a compiled workflow does.
  case notCompiled
  /// A newer flowrun wrote the file in a format that this one does not know.
  case newer(format: UInt64)
  /// An older flowrun wrote the file in a format that is no longer read.
  case older(format: UInt64)
  /// The bytes are not what was written: what was expected at the offset.
  case damaged(expected: String, offset: Int)
  /// The dependencies of its steps form a cycle.
  case cycle

  /// What is wrong and what to do.
  public var description: String {
    switch self {
    case .notCompiled: "this is not a compiled workflow; make one with 'flowrun compile'"
    case .newer(let format):
      "a newer flowrun compiled this workflow (format \(format), expected \(CompiledFormat.version)); "
        + "update flowrun, or compile it again"
    case .older(let format):
      "an older flowrun compiled this workflow (format \(format), expected \(CompiledFormat.version)); compile it again"
    case .damaged(let expected, let offset):
      "the compiled workflow is damaged: expected \(expected) at byte \(offset); compile it again"
    case .cycle: "the compiled workflow is damaged: its steps wait for each other; compile it again"
    }
  }
}
