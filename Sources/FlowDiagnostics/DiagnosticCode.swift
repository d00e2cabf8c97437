/// Every rule that a file can break, by its stable name; `docs/diagnostics.md` explains each with cause and fix.
///
/// The name of a code never changes its meaning: scripts and editors key on it.
public enum DiagnosticCode: String, Sendable, Hashable, CaseIterable {
  // The file as bytes and as YAML.
  case fileTooLarge = "file-too-large"
  case invalidUTF8 = "invalid-utf8"
  case yamlSyntax = "yaml-syntax"
  case tabIndentation = "tab-indentation"
  case emptyDocument = "empty-document"
  case secondDocument = "second-document"
  case unsupportedTag = "unsupported-tag"
  case nestingTooDeep = "nesting-too-deep"
  case unknownAlias = "unknown-alias"
  case recursiveAlias = "recursive-alias"
  case aliasExpansion = "alias-expansion"
  case mergeKey = "merge-key"
  case duplicateKey = "duplicate-key"
  case keyNotText = "key-not-text"
  case tooManyDiagnostics = "too-many-diagnostics"

  // Keys and their values.
  case unknownKey = "unknown-key"
  case missingKey = "missing-key"
  case wrongType = "wrong-type"
  case unknownValue = "unknown-value"
  case outOfRange = "out-of-range"
  case invalidName = "invalid-name"
  case invalidDuration = "invalid-duration"
  case minOverMax = "min-over-max"
  case invalidDefault = "invalid-default"
  case noSteps = "no-steps"
  case tooManySteps = "too-many-steps"
  case invalidStepID = "invalid-step-id"
  case reservedQueue = "reserved-queue"
  case unknownQueue = "unknown-queue"

  // Steps and actions.
  case unknownStep = "unknown-step"
  case cycle = "cycle"
  case unknownAction = "unknown-action"
  case unknownInput = "unknown-input"
  case missingInput = "missing-input"
  case inputType = "input-type"
  case inputRejected = "input-rejected"
  case inputDoubtful = "input-doubtful"
  case unknownEvent = "unknown-event"
  case eventNotLiteral = "event-not-literal"

  // Manifests of plugins.
  case unsupportedProtocol = "unsupported-protocol"
  case conflictingKeys = "conflicting-keys"

  /// Whether a file that breaks this rule can be used all the same.
  public var severity: Diagnostic.Severity {
    switch self {
    case .inputDoubtful: .warning
    default: .error
    }
  }
}
