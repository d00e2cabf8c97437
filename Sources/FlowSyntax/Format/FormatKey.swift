import FlowModel

/// The keys of one kind of map in a workflow or manifest.
///
/// The parser, the list of allowed keys in messages and the JSON Schema are all made from these tables, so they cannot
/// disagree.
protocol FormatKey: RawRepresentable<String>, CaseIterable, Hashable, Sendable {
  /// What the map is, as it is in a message: `a step`.
  static var owner: String { get }
  /// What may be under the key.
  var shape: Shape { get }
  /// What the key means, in a sentence for editors.
  var summary: String { get }
  /// Whether the map must have the key.
  var isRequired: Bool { get }
  /// What holds where the key is not given, as a workflow would write it; nil: nothing.
  var defaultText: String? { get }
  /// Usual values of a key that takes any text, for editors.
  var proposals: [String] { get }
  /// What to write here instead of a key that another tool has; nil: no tool that is known has it.
  static func remedy(for foreign: String, value: String?) -> String?
  /// The key of this map that simply has another name in other tools; nil: none has this one.
  static func counterpart(of foreign: String) -> String?
  /// What to write where this value is in place of the map; nil: the keys say it.
  static func remedy(insteadOf value: Value) -> String?
  /// What other keys begin with that the map may have and nothing reads; nil: it has no others.
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

/// What may be under a key.
indirect enum Shape: Sendable {
  case string
  /// A string that is not empty.
  case name
  /// The name of a workflow, which a folder may have.
  case workflowName
  /// The path of a folder in a list that is separated by colons.
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
  /// A duration, or a string that holds `${{ }}`.
  case durationOrExpression
  /// A range `50ms..200ms` or one duration.
  case estimate
  /// An amount of memory such as `8GiB`, or a string that holds `${{ attempt }}`.
  case memory
  /// A number of bytes such as `8MiB`.
  case size(ClosedRange<Int>)
  /// An integer, or a string that holds `${{ attempt }}`.
  case count(ClosedRange<Int>)
  /// Why an attempt ended: a word, an exit status, a range of them or the code of an error.
  case retryReason
  case stepNames
  case eventNames
  /// The path of a file, or a list of them; with expressions.
  case fileNames
  /// A path or a pattern of files, or a mapping of ``FileKey``; with expressions.
  case fileRule
  /// The path of a file of variables, a map of ``EnvironmentFileKey``, or a list of both.
  case environmentFiles
  /// The name of an event that repeats.
  case eventName
  case expression
  case booleanOrExpression
  case deferral
  case word([String])
  case queueName
  /// Where steps are sent, as ``ExecutorAddress`` reads it.
  case executorAddress
  case actionName
  /// A text for a shell, or a list of a program and its arguments.
  case command
  /// A map of the given keys.
  case map(any FormatKey.Type)
  /// A duration or a map of the given keys.
  case durationOr(any FormatKey.Type, allowsExpression: Bool)
  /// A map whose keys are names of this kind.
  case named(NameKind, Shape)
  /// A list of event names, or a map from name to description or to a map of ``EventKey``.
  case events
  /// A list, an expression, or a map of ``ForeachKey``.
  case foreach
  /// A map of anything.
  case values
  /// A map of scalars.
  case environment
  case any
  case list(of: Shape, isNonempty: Bool)
}

/// What a name in a workflow may look like.
enum NameKind: Sendable, CaseIterable {
  case step, queue, input, secret, event, output, plugin, action, field

  /// The pattern, in the dialect that JSON Schema and editors share.
  var pattern: String {
    switch self {
    case .step, .queue: "^[a-z][a-z0-9]*([-_][a-z0-9]+)*$"
    case .input, .secret, .output, .field: "^[A-Za-z_][A-Za-z0-9_-]*$"
    case .event: "^[A-Za-z0-9][A-Za-z0-9._/-]*$"
    case .plugin: "^[a-z][a-z0-9]*(-[a-z0-9]+)*$"
    case .action: "^[a-z][a-z0-9]*(-[a-z0-9]+)*[.][a-z][a-z0-9]*(-[a-z0-9]+)*$"
    }
  }

  /// What such a name is made of, in words.
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

  /// Whether `name` matches ``pattern``.
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
