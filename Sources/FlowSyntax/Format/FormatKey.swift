import FlowModel

/// The keys of a kind of mapping in a workflow or manifest, with one row for each key.
///
/// The parser, the lists of keys in messages, the JSON Schema, editors and the documentation use these tables, so they
/// always agree.
protocol FormatKey: RawRepresentable<String>, CaseIterable, Hashable, Sendable {
  /// A description of the mapping for messages, such as `a step`.
  static var owner: String { get }
  /// The key's row in the table of keys.
  var row: KeyRow { get }
  /// Returns a suggestion for a key that belongs to another tool, or nil.
  static func remedy(for foreign: String, value: String?) -> String?
  /// Returns flowrun's name for a key that other tools call `foreign`, or nil.
  static func counterpart(of foreign: String) -> String?
  /// Returns a suggestion for a value that is not a mapping although a mapping is expected. If nil, the message lists
  /// the keys.
  static func remedy(insteadOf value: Value) -> String?
  /// The prefix of keys that are ignored and may have any name after it, or nil if the mapping has no such keys.
  static var ignoredPrefix: String? { get }
}

/// The properties of a key. Messages, the JSON Schema, editors and the documentation are generated from them.
struct KeyRow: Sendable {
  /// The form that values of the key must have.
  let shape: Shape
  var isRequired: Bool
  /// The default value as written in a file, or nil.
  var defaultText: String?
  /// Common values that editors propose for a key that accepts any string.
  let proposals: [String]
  /// A one-sentence description for editors.
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

  /// Returns the row for the same key in another mapping, without the default.
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

/// The form that a value must have.
indirect enum Shape: Sendable {
  case string
  /// A string that is not empty.
  case name
  /// The name of a workflow, which must also be a valid name for a folder.
  case workflowName
  /// A folder that can be an entry of a list separated by colons, such as `PATH`.
  case folder
  case nameOf(NameKind)
  /// The relative path of a Swift file.
  case sourceFile
  case boolean
  case integer(ClosedRange<Int>)
  /// An integer or the given word.
  case integerOr(ClosedRange<Int>, word: String)
  case number(atLeast: Double)
  case duration
  case durationAboveZero
  /// A duration, or a string with an expression in `${{ }}`.
  case durationOrExpression
  /// A range such as `50ms..200ms`, or a single duration.
  case estimate
  /// An amount of memory such as `8GiB`, or a string with an expression that reads `attempt`.
  case memory
  /// A number of bytes in the given range, such as `8MiB`.
  case size(ClosedRange<Int>)
  /// An integer, or a string with an expression that reads `attempt`.
  case count(ClosedRange<Int>)
  /// A reason for another attempt: a word, an exit status, a range of statuses or an error code.
  case retryReason
  case stepNames
  case eventNames
  /// A path or a list of paths. They may contain expressions.
  case fileNames
  /// A path or pattern that may contain expressions, or a mapping with ``FileKey``.
  case fileRule
  /// The path of a file that sets environment variables, a mapping with ``EnvironmentFileKey``, or a list of both.
  case environmentFiles
  /// The name of an event that can be posted repeatedly.
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
  /// A mapping whose keys are the cases of this type.
  case map(any FormatKey.Type)
  /// A duration, or a mapping whose keys are the cases of this type.
  case durationOr(any FormatKey.Type, allowsExpression: Bool)
  /// A mapping whose keys are names of this kind and whose values have this form.
  case named(NameKind, Shape)
  /// A list of events, or a mapping from each event to a description or to a mapping with ``EventKey``.
  case events
  /// A list, an expression, or a mapping with ``ForeachKey``.
  case foreach
  /// A mapping with any keys and values.
  case values
  /// A mapping from names to scalars.
  case environment
  case any
  case list(of: Shape, isNonempty: Bool)
}

/// The kinds of names in a workflow. Each kind has its own rule.
enum NameKind: Sendable, CaseIterable {
  case step, queue, input, secret, event, output, plugin, action, field

  /// A regular expression for names of this kind, in the syntax that JSON Schema and editors share.
  var pattern: String {
    switch self {
    case .step, .queue: "^[a-z][a-z0-9]*([-_][a-z0-9]+)*$"
    case .input, .secret, .output, .field: "^[A-Za-z_][A-Za-z0-9_-]*$"
    case .event: "^[A-Za-z0-9][A-Za-z0-9._/-]*$"
    case .plugin: "^[a-z][a-z0-9]*(-[a-z0-9]+)*$"
    case .action: "^[a-z][a-z0-9]*(-[a-z0-9]+)*[.][a-z][a-z0-9]*(-[a-z0-9]+)*$"
    }
  }

  /// The rule for names of this kind in words, for messages.
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
