/// Something wrong or doubtful in a file, for its author: what, where, and what to do about it.
public struct Diagnostic: Sendable, Hashable {
  /// Whether the file can be used all the same.
  public enum Severity: String, Sendable, Hashable, CaseIterable {
    case error, warning
  }

  /// A second location that explains the first.
  public struct RelatedLocation: Sendable, Hashable {
    /// Where.
    public var span: TextSpan
    /// What is there, as a sentence without a full stop: `'fetch' is defined here`.
    public var label: String
    /// The other text in which it is; nil: the one that the diagnostic is about.
    public var source: SourceText?

    /// A location with its label, in another text where there is one.
    public init(_ span: TextSpan, _ label: String, in source: SourceText? = nil) {
      self.span = span
      self.label = label
      self.source = source
    }
  }

  /// Which rule was broken; it also says whether this is an error.
  public var code: DiagnosticCode
  /// What is wrong, as a sentence without a full stop.
  public var message: String
  /// Where, in the text that the diagnostic is about.
  public var span: TextSpan
  /// Locations that explain it.
  public var related: [RelatedLocation]
  /// A remedy, or nil.
  public var help: String?
  /// The name that is missing, for tools that put it there; nil: nothing with a name is.
  public var missingName: String?
  /// The word that was meant, for tools that write it; nil: none is known.
  public var correction: Correction?

  /// A diagnostic at `span`.
  public init(
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

  /// Error or warning; the code decides.
  public var severity: Severity { code.severity }

  /// Whether the file cannot be used.
  public var isError: Bool { severity == .error }
}

extension [Diagnostic] {
  /// In the order of the file; of several at one location the earlier found first.
  public func sortedByLocation() -> [Diagnostic] {
    enumerated().sorted { ($0.element.span, $0.offset) < ($1.element.span, $1.offset) }.map(\.element)
  }

  /// Whether any of them is an error.
  public var containsError: Bool { contains { $0.isError } }
}
