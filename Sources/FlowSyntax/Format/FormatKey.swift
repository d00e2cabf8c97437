import FlowModel

/// The keys of one kind of mapping in a workflow or manifest.
///
/// The parser, the lists of allowed keys in messages and the JSON Schema are all derived from these tables, so they
/// cannot contradict each other.
protocol FormatKey: RawRepresentable<String>, CaseIterable, Hashable, Sendable {
  /// The name of the mapping in messages, such as `a step`.
  static var owner: String { get }
  /// The form of the key's value.
  var shape: Shape { get }
  /// The meaning of the key, in one sentence for editors.
  var summary: String { get }
  /// True if the key is required.
  var isRequired: Bool { get }
  /// The default value as written in a workflow, or nil if there is none.
  var defaultText: String? { get }
  /// Common values of a key that accepts any text, for editors.
  var proposals: [String] { get }
  /// Returns the remedy for another tool's key, or nil if it is unknown.
  static func remedy(for foreign: String, value: String?) -> String?
  /// Returns the key that has another name in other tools, or nil.
  static func counterpart(of foreign: String) -> String?
  /// Returns the remedy for a value in place of the mapping, or nil to list the keys.
  static func remedy(insteadOf value: Value) -> String?
  /// The prefix of additional keys that are allowed and ignored, or nil if there are none.
  static var ignoredPrefix: String? { get }
}

extension FormatKey {
  var isRequired: Bool { false }
  var defaultText: String? { nil }
  var proposals: [String] { [] }
  static func remedy(for foreign: String, value: String?) -> String? { nil }
  static func counterpart(of foreign: String) -> String? { nil }
  static func remedy(insteadOf value: Value) -> String? { nil }
  static var ignoredPrefix: String? { nil }
}

/// The form of a key's value.
indirect enum Shape: Sendable {
  case string
  /// A nonempty string.
  case name
  /// The name of a workflow, which must also be valid for a folder.
  case workflowName
  /// A folder in a colon-separated list, such as `PATH`.
  case folder
  /// A name of this kind.
  case nameOf(NameKind)
  /// The relative path of a Swift file.
  case sourceFile
  case boolean
  case integer(ClosedRange<Int>)
  case number(atLeast: Double)
  case duration
  case durationAboveZero
  /// A duration, or a string with `${{ }}`.
  case durationOrExpression
  /// A range such as `50ms..200ms`, or one duration.
  case estimate
  /// An amount of memory such as `8GiB`, or a string with `${{ attempt }}`.
  case memory
  /// A number of bytes such as `8MiB`.
  case size(ClosedRange<Int>)
  /// An integer, or a string with `${{ attempt }}`.
  case count(ClosedRange<Int>)
  /// The end of an attempt: a word, an exit status, a range of statuses or an error code.
  case retryReason
  case stepNames
  case eventNames
  /// A path or a list of paths, which may contain expressions.
  case fileNames
  /// A path, a pattern of files, or a mapping of ``FileKey``; may contain expressions.
  case fileRule
  /// The path of a file of variables, a mapping of ``EnvironmentFileKey``, or a list of both.
  case environmentFiles
  /// The name of a repeating event.
  case eventName
  case expression
  case booleanOrExpression
  case deferral
  case word([String])
  case queueName
  /// The executor of steps, as parsed by ``ExecutorAddress``.
  case executorAddress
  case actionName
  /// Text for a shell, or a list of a program and its arguments.
  case command
  /// A mapping with the given keys.
  case map(any FormatKey.Type)
  /// A duration, or a mapping with the given keys.
  case durationOr(any FormatKey.Type, allowsExpression: Bool)
  /// A mapping whose keys are names of this kind.
  case named(NameKind, Shape)
  /// A list of event names, or a mapping from name to description or to a mapping of ``EventKey``.
  case events
  /// A list, an expression, or a mapping of ``ForeachKey``.
  case foreach
  /// A mapping with any keys and values.
  case values
  /// A mapping of scalars.
  case environment
  case any
  case list(of: Shape, isNonempty: Bool)
}

/// The kinds of names in a workflow, which have different rules.
enum NameKind: Sendable, CaseIterable {
  case step, queue, input, secret, event, output, plugin, action, field

  /// The pattern, in the dialect shared by JSON Schema and editors.
  var pattern: String {
    switch self {
    case .step, .queue: "^[a-z][a-z0-9]*([-_][a-z0-9]+)*$"
    case .input, .secret, .output, .field: "^[A-Za-z_][A-Za-z0-9_-]*$"
    case .event: "^[A-Za-z0-9][A-Za-z0-9._/-]*$"
    case .plugin: "^[a-z][a-z0-9]*(-[a-z0-9]+)*$"
    case .action: "^[a-z][a-z0-9]*(-[a-z0-9]+)*[.][a-z][a-z0-9]*(-[a-z0-9]+)*$"
    }
  }

  /// The rule in words.
  var rule: String {
    switch self {
    case .step, .queue:
      "lower-case letters and digits, separated by single '-' or '_', beginning with a letter, at most "
        + "\(Limits.stepIDCharacters) characters"
    case .input, .secret, .output, .field: "letters, digits, '-' and '_', beginning with a letter or '_'"
    case .event: "letters, digits, '.', '-', '_' and '/', beginning with a letter or digit"
    case .plugin: "lower-case letters and digits, separated by single '-', beginning with a letter"
    case .action: "the plugin's name, a dot and a word of lower-case letters and digits separated by single '-'"
    }
  }

  /// Returns whether `name` matches ``pattern``.
  func allows(_ name: String) -> Bool {
    let bytes = Array(name.utf8)
    switch self {
    case .step, .queue: return StepID.isValid(name)
    case .input, .secret, .output, .field:
      return bytes.first.map { Self.isLetter($0) || $0 == UInt8(ascii: "_") } ?? false
        && bytes.allSatisfy {
          Self.isLetter($0) || Self.isDigit($0) || $0 == UInt8(ascii: "_") || $0 == UInt8(ascii: "-")
        }
    case .event:
      return bytes.first.map { Self.isLetter($0) || Self.isDigit($0) } ?? false
        && bytes.allSatisfy { Self.isLetter($0) || Self.isDigit($0) || Array("._/-".utf8).contains($0) }
    case .plugin: return Self.isKebab(bytes[...])
    case .action:
      let parts = bytes.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
      return parts.count == 2 && parts.allSatisfy(Self.isKebab)
    }
  }

  private static func isKebab(_ bytes: ArraySlice<UInt8>) -> Bool {
    guard let first = bytes.first, isLetter(first) else { return false }
    return bytes.split(separator: UInt8(ascii: "-"), omittingEmptySubsequences: false).allSatisfy { part in
      !part.isEmpty && part.allSatisfy { $0 >= UInt8(ascii: "a") && $0 <= UInt8(ascii: "z") || isDigit($0) }
    }
  }

  private static func isLetter(_ byte: UInt8) -> Bool {
    byte | 0x20 >= UInt8(ascii: "a") && byte | 0x20 <= UInt8(ascii: "z")
  }

  private static func isDigit(_ byte: UInt8) -> Bool { byte >= UInt8(ascii: "0") && byte <= UInt8(ascii: "9") }
}
