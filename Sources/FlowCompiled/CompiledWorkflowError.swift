/// The reason why bytes cannot be used as a compiled workflow.
public struct CompiledWorkflowError: Error, Sendable, Hashable, CustomStringConvertible {
  package enum Cause: Sendable, Hashable {
    /// The bytes do not begin like a compiled workflow.
    case notCompiled
    /// A newer flowrun wrote the file, in a format that is unknown here.
    case newer(format: UInt64)
    /// An older flowrun wrote the file, in a format that can no longer be read.
    case older(format: UInt64)
    /// The bytes are damaged. `expected` describes what valid bytes would contain at the offset.
    case damaged(expected: String, offset: Int)
    /// The dependencies of the steps form a cycle.
    case cycle
  }

  package let cause: Cause

  package static let notCompiled = Self(cause: .notCompiled)
  package static let cycle = Self(cause: .cycle)
  package static func newer(format: UInt64) -> Self { Self(cause: .newer(format: format)) }
  package static func older(format: UInt64) -> Self { Self(cause: .older(format: format)) }
  package static func damaged(expected: String, offset: Int) -> Self {
    Self(cause: .damaged(expected: expected, offset: offset))
  }

  /// A sentence that describes the problem and what to do about it.
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
