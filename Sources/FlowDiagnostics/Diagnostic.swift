/// An error or a warning about a file, for its author: the problem, its location and the remedy.
package struct Diagnostic: Sendable, Hashable {
  /// The severity of a diagnostic: a file with warnings can still be used.
  package enum Severity: String, Sendable, Hashable, CaseIterable {
    case error, warning
  }

  /// A second location that explains the first.
  package struct RelatedLocation: Sendable, Hashable {
    /// The range of the location.
    package var span: TextSpan
    /// The label, as a phrase without a full stop: `'fetch' is defined here`.
    package var label: String
    /// The text of the location, or nil for the text that the diagnostic is about.
    package var source: SourceText?

    /// Creates a labeled location, optionally in another text.
    package init(_ span: TextSpan, _ label: String, in source: SourceText? = nil) {
      self.span = span
      self.label = label
      self.source = source
    }
  }

  /// The broken rule, which also decides the severity.
  package var code: DiagnosticCode
  /// The problem, as a sentence without a full stop.
  package var message: String
  /// The range in the text that the diagnostic is about.
  package var span: TextSpan
  /// Locations that explain the problem.
  package var related: [RelatedLocation]
  /// A remedy, or nil.
  package var help: String?
  /// The missing name, for tools that can insert it, or nil.
  package var missingName: String?
  /// The intended word, for tools that can apply it, or nil if it is unknown.
  package var correction: Correction?

  /// Creates a diagnostic at `span`.
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

  /// The severity, which depends on the code.
  package var severity: Severity { code.severity }

  /// True if the file cannot be used.
  package var isError: Bool { severity == .error }
}

extension [Diagnostic] {
  /// Returns the diagnostics in file order. Those at the same location keep their order.
  package func sortedByLocation() -> [Diagnostic] {
    enumerated().sorted { ($0.element.span, $0.offset) < ($1.element.span, $1.offset) }.map(\.element)
  }

  /// True if there is at least one error.
  package var containsError: Bool { contains { $0.isError } }
}
