/// The reason why bytes cannot be used as a compiled workflow.
public enum CompiledWorkflowError: Error, Sendable, Hashable, CustomStringConvertible {
  /// The bytes do not begin like a compiled workflow.
  case notCompiled
  /// The file was written by a newer flowrun in an unknown format.
  case newer(format: UInt64)
  /// The file was written by an older flowrun in a format that can no longer be read.
  case older(format: UInt64)
  /// The bytes were damaged; `expected` describes the valid content at the offset.
  case damaged(expected: String, offset: Int)
  /// The dependencies of its steps form a cycle.
  case cycle

  /// The problem and the remedy.
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
