/// An error or warning for the author of a file. It states the problem, its location and what to do about it.
package struct Diagnostic: Sendable, Hashable {
  /// The severity of a diagnostic. A file that only has warnings can be used.
  package enum Severity: String, Sendable, Hashable, CaseIterable {
    case error, warning
  }

  /// A second location that helps to explain the problem.
  package struct RelatedLocation: Sendable, Hashable {
    package var span: TextSpan
    /// A phrase without a final period, such as `'fetch' is defined here`.
    package var label: String
    /// The text that contains the location. Nil if it is the same text as that of the diagnostic.
    package var source: SourceText?

    package init(_ span: TextSpan, _ label: String, in source: SourceText? = nil) {
      self.span = span
      self.label = label
      self.source = source
    }
  }

  /// The rule that is broken. It determines the severity.
  package var code: DiagnosticCode
  /// A sentence that describes the problem, without a final period.
  package var message: String
  /// The range in the text to which the diagnostic refers.
  package var span: TextSpan
  /// Further locations that help to explain the problem.
  package var related: [RelatedLocation]
  /// A suggestion for fixing the problem, or nil if there is none.
  package var help: String?
  /// The name that is missing, which tools can insert, or nil if no name is missing.
  package var missingName: String?
  /// The correct word, which tools can insert, or nil if it is unknown.
  package var correction: Correction?

  package init(
    _ code: DiagnosticCode, _ message: String, at span: TextSpan, related: [RelatedLocation] = [], help: String? = nil,
    missingName: String? = nil, correction: Correction? = nil
  ) {
    self.code = code
    self.message = message
    self.span = span
    self.related = related
    self.help = help
    self.missingName = missingName
    self.correction = correction
  }

  /// The severity of the rule that is broken.
  package var severity: Severity { code.severity }

  /// True if the problem prevents using the file.
  package var isError: Bool { severity == .error }
}

extension [Diagnostic] {
  /// Returns the diagnostics sorted by location. Diagnostics at the same location keep their order.
  package func sortedByLocation() -> [Diagnostic] {
    enumerated().sorted { ($0.element.span, $0.offset) < ($1.element.span, $1.offset) }.map(\.element)
  }

  /// True if at least one diagnostic is an error.
  package var containsError: Bool { contains { $0.isError } }
}
