import FlowModel

/// The keys of a kind of mapping in a workflow or manifest, a row for each key.
///
/// The parser, the lists of keys in messages, the JSON Schema, editors and the pages use these tables, so that they
/// always agree.
protocol FormatKey: RawRepresentable<String>, CaseIterable, Hashable, Sendable {
  /// A description of the mapping for messages, such as `a step`.
  static var owner: String { get }
  /// The key's row in the table of keys.
  var row: KeyRow { get }
  /// Returns a suggestion for a key of another tool, or nil.
  static func remedy(for foreign: String, value: String?) -> String?
  /// Returns the key that has this name in other tools, or nil.
  static func counterpart(of foreign: String) -> String?
  /// Returns a suggestion for a value that should be the mapping. If nil, the message lists the keys.
  static func remedy(insteadOf value: Value) -> String?
  /// The prefix of additional keys, which are ignored, or nil if there are none.
  static var ignoredPrefix: String? { get }
}

/// The properties of a key. Messages, the JSON Schema, editors and the pages are made from them.
struct KeyRow: Sendable {
  /// The form of the value.
  let shape: Shape
  /// True if the key is required.
  var isRequired: Bool
  /// The default value as written in a file, or nil.
  var defaultText: String?
  /// Frequent values of a key that allows any string, for editors.
  let proposals: [String]
  /// A description of one sentence, for editors.
  let summary: String

  init(
    _ shape: Shape, isRequired: Bool = false, default defaultText: String? = nil, proposals: [String] = [],
    _ summary: String
  ) {
    self.shape = shape
    self.isRequired = isRequired
    self.defaultText = defaultText
    self.proposals = proposals
    self.summary = summary
  }

  /// Returns the row of a key that is the same in another mapping, but has no default there.
  func shared(isRequired: Bool = false) -> KeyRow {
    var row = self
    (row.isRequired, row.defaultText) = (isRequired, nil)
    return row
  }
}

extension FormatKey {
  var shape: Shape { row.shape }
  var isRequired: Bool { row.isRequired }
  var defaultText: String? { row.defaultText }
  var proposals: [String] { row.proposals }
  var summary: String { row.summary }
  static func remedy(for foreign: String, value: String?) -> String? { nil }
  static func counterpart(of foreign: String) -> String? { nil }
  static func remedy(insteadOf value: Value) -> String? { nil }
  static var ignoredPrefix: String? { nil }
}

/// The form of a value.
indirect enum Shape: Sendable {
  case string
  /// A string that is not empty.
  case name
  /// The name of a workflow, which must also be a valid name for a folder.
  case workflowName
  /// A folder in a list with colons, such as `PATH`.
  case folder
  case nameOf(NameKind)
  /// The relative path of a Swift file.
  case sourceFile
  case boolean
  case integer(ClosedRange<Int>)
  /// An integer, or this word.
  case integerOr(ClosedRange<Int>, word: String)
  case number(atLeast: Double)
  case duration
  case durationAboveZero
  /// A duration, or a string with `${{ }}`.
  case durationOrExpression
  /// A range such as `50ms..200ms`, or a single duration.
  case estimate
  /// An amount of memory such as `8GiB`, or a string with `${{ attempt }}`.
  case memory
  /// A number of bytes such as `8MiB`.
  case size(ClosedRange<Int>)
  /// An integer, or a string with `${{ attempt }}`.
  case count(ClosedRange<Int>)
  /// The reason for another attempt: a word, an exit status, a range of statuses or an error code.
  case retryReason
  case stepNames
  case eventNames
  /// A path or a list of paths, which may contain expressions.
  case fileNames
  /// A path or pattern, which may contain expressions, or a mapping with ``FileKey``.
  case fileRule
  /// The path of a file with variables, a mapping with ``EnvironmentFileKey``, or a list of both.
  case environmentFiles
  /// The name of an event that repeats.
  case eventName
  case expression
  case booleanOrExpression
  case deferral
  case word([String])
  case queueName
  /// An executor in the form of ``ExecutorAddress``.
  case executorAddress
  case actionName
  /// A string that a shell runs, or a list of a program and its arguments.
  case command
  /// A mapping with these keys.
  case map(any FormatKey.Type)
  /// A duration, or a mapping with these keys.
  case durationOr(any FormatKey.Type, allowsExpression: Bool)
  /// A mapping whose keys are names of this kind.
  case named(NameKind, Shape)
  /// A list of events, or a mapping from each event to a description or a mapping with ``EventKey``.
  case events
  /// A list, an expression, or a mapping with ``ForeachKey``.
  case foreach
  /// A mapping with any keys and values.
  case values
  /// A mapping of scalars.
  case environment
  case any
  case list(of: Shape, isNonempty: Bool)
}

/// The kinds of names in a workflow. Each has its own rule.
enum NameKind: Sendable, CaseIterable {
  case step, queue, input, secret, event, output, plugin, action, field

  /// A regular expression that both JSON Schema and editors support.
  var pattern: String {
    switch self {
    case .step, .queue: "^[a-z][a-z0-9]*([-_][a-z0-9]+)*$"
    case .input, .secret, .output, .field: "^[A-Za-z_][A-Za-z0-9_-]*$"
    case .event: "^[A-Za-z0-9][A-Za-z0-9._/-]*$"
    case .plugin: "^[a-z][a-z0-9]*(-[a-z0-9]+)*$"
    case .action: "^[a-z][a-z0-9]*(-[a-z0-9]+)*[.][a-z][a-z0-9]*(-[a-z0-9]+)*$"
    }
  }

  /// The rule in words, for messages.
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

  /// True if `name` matches ``pattern``.
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
