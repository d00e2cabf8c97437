/// The reason why bytes cannot be used as a compiled workflow.
public struct CompiledWorkflowError: Error, Sendable, Hashable, CustomStringConvertible {
  /// The causes of the error.
  package enum Cause: Sendable, Hashable {
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
  }

  /// The cause of the error.
  package let cause: Cause

  /// The bytes are not a compiled workflow.
  package static let notCompiled = Self(cause: .notCompiled)
  /// The steps of the compiled workflow form a cycle.
  package static let cycle = Self(cause: .cycle)
  /// A newer flowrun wrote the file.
  package static func newer(format: UInt64) -> Self { Self(cause: .newer(format: format)) }
  /// An older flowrun wrote the file.
  package static func older(format: UInt64) -> Self { Self(cause: .older(format: format)) }
  /// The bytes were damaged.
  package static func damaged(expected: String, offset: Int) -> Self {
    Self(cause: .damaged(expected: expected, offset: offset))
  }

  /// The problem and the remedy.
  public var description: String {
    switch cause {
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
