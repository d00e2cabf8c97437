/// The rules that a file can break, by their stable names. `docs/diagnostics.md` explains the cause and the fix of
/// each.
///
/// The meaning of a name never changes, because scripts and editors depend on it.
package enum DiagnosticCode: String, Sendable, Hashable, CaseIterable {
  // Rules for the file as bytes and as YAML.
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
  case compiledFile = "compiled-file"

  // Rules for keys and the types of their values.
  case unknownKey = "unknown-key"
  case missingKey = "missing-key"
  case wrongType = "wrong-type"
  case unknownValue = "unknown-value"
  case outOfRange = "out-of-range"
  case invalidName = "invalid-name"
  case invalidDuration = "invalid-duration"
  case invalidBudget = "invalid-budget"
  case minOverMax = "min-over-max"
  case invalidDefault = "invalid-default"
  case noSteps = "no-steps"
  case tooManySteps = "too-many-steps"
  case invalidStepID = "invalid-step-id"
  case reservedQueue = "reserved-queue"
  case unknownQueue = "unknown-queue"
  case environmentFile = "env-file"
  case timeoutOfKept = "timeout-of-kept"
  case subcommandName = "subcommand-name"
  case lookAlikeNames = "look-alike-names"

  // Rules for steps and actions.
  case unknownStep = "unknown-step"
  case needsFinally = "needs-finally"
  case cycle = "cycle"
  case unknownAction = "unknown-action"
  case unknownInput = "unknown-input"
  case missingInput = "missing-input"
  case inputType = "input-type"
  case inputRejected = "input-rejected"
  case inputDoubtful = "input-doubtful"
  case invalidPattern = "invalid-pattern"
  case doubtfulPattern = "doubtful-pattern"
  case missingFile = "missing-file"
  case textInCommand = "text-in-command"
  case shellMismatch = "shell-mismatch"
  case numberSpelling = "number-spelling"
  case unknownEvent = "unknown-event"
  case eventNotLiteral = "event-not-literal"

  case missingHandle = "missing-handle"
  case ambiguousHandle = "ambiguous-handle"
  case handleMayBeMissing = "handle-may-be-missing"

  // Rules for the order of steps and the launch gate.
  case blockingDeferred = "blocking-deferred"
  case blockingMayBeDeferred = "blocking-may-be-deferred"
  case waitWithoutMaximum = "wait-without-maximum"
  case gateWaitsForFinally = "gate-waits-for-finally"
  case eventPostedTooLate = "event-posted-too-late"
  case fileWithoutNeed = "file-without-need"
  case sameProduct = "same-product"
  case doubtfulProduct = "doubtful-product"
  case unreachableStep = "unreachable-step"
  case gateInfeasible = "gate-infeasible"
  case gateOutsideGuidance = "gate-outside-guidance"
  case mainQueueBudget = "main-queue-budget"
  case estimateOverDeadline = "estimate-over-deadline"
  case retryWithoutEffect = "retry-without-effect"
  case prewarmReadsLaunch = "prewarm-reads-launch"
  case prewarmNeed = "prewarm-need"
  case prewarmProtectedData = "prewarm-protected-data"

  // Rules for expressions.
  case expressionSyntax = "expression-syntax"
  case contextUnavailable = "context-unavailable"
  case unknownMember = "unknown-member"
  case undeclaredInput = "undeclared-input"
  case undeclaredSecret = "undeclared-secret"
  case secretExposed = "secret-exposed"
  case stepOutOfReach = "step-out-of-reach"
  case unknownOutput = "unknown-output"
  case outputMayBeMissing = "output-may-be-missing"
  case eventMayBeUnposted = "event-may-be-unposted"
  case expressionType = "expression-type"
  case constantComparison = "constant-comparison"
  case unknownVariable = "unknown-variable"
  case recordedVariable = "recorded-variable"

  // Rules for the manifests of plugins.
  case unsupportedProtocol = "unsupported-protocol"
  case conflictingKeys = "conflicting-keys"
  case programMissing = "program-missing"

  /// The severity of the rule. A file that breaks only rules with warnings can be used.
  package var severity: Diagnostic.Severity {
    switch self {
    case .tooManyDiagnostics, .inputDoubtful, .textInCommand, .shellMismatch, .numberSpelling, .constantComparison,
      .lookAlikeNames, .unknownVariable, .recordedVariable, .doubtfulPattern, .missingFile, .blockingMayBeDeferred,
      .waitWithoutMaximum, .gateWaitsForFinally, .eventPostedTooLate, .fileWithoutNeed, .doubtfulProduct,
      .unreachableStep, .gateInfeasible, .gateOutsideGuidance, .mainQueueBudget, .estimateOverDeadline,
      .retryWithoutEffect, .subcommandName, .timeoutOfKept, .eventMayBeUnposted:
      .warning
    default: .error
    }
  }
}
