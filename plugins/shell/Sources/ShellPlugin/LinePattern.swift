import FlowDiagnostics
import FlowModel
import FlowSystem

/// A POSIX extended regular expression. Terminal escapes are removed from a line before it is matched.
///
/// Proof of safety: the expression is compiled in `init` and freed in `deinit`; POSIX allows several threads to match
/// with it.
final class LinePattern: @unchecked Sendable {
  private let expression: UnsafeMutablePointer<regex_t>

  /// The reason why a string is not a valid regular expression.
  struct PatternProblem: Error, Hashable {
    var message: String
  }

  init(_ text: String) throws(PatternProblem) {
    let compiled = UnsafeMutablePointer<regex_t>.allocate(capacity: 1)
    compiled.initialize(to: regex_t())
    let failure = regcomp(compiled, text, REG_EXTENDED | REG_NOSUB)
    guard failure == 0 else {
      var reason = [CChar](repeating: 0, count: 200)
      regerror(failure, compiled, &reason, reason.count)
      compiled.deallocate()
      let words = reason.withUnsafeBytes { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
      throw PatternProblem(message: "'\(text)' is not a POSIX extended regular expression: \(words)")
    }
    expression = compiled
  }

  deinit {
    regfree(expression)
    expression.deallocate()
  }

  /// True if a part of the line matches the expression.
  func matches(_ line: UnsafeRawBufferPointer) -> Bool {
    let text = TerminalText.withoutSequences(String(decoding: line, as: UTF8.self))
    return regexec(expression, text, 0, nil, 0) == 0
  }
}
