import FlowBytes

/// Decides which of several concurrent states wins in a collection whose records are decided as a whole.
///
/// A state is replaced if the author of another state had seen it, and dropped if it is older than the latest state by
/// more than the window. The remaining states are compared by their preferred value, then by the smallest value at one
/// common instant, then by their age (the newest wins), then by device name (the larger wins). This is a lexicographic
/// order over the set of states. Pairwise comparisons could be circular (F14).
package struct DecideRule: Hashable, Sendable {
  /// The distance in milliseconds within which two states are concurrent. Nil means any distance.
  package var window: Int64?
  /// The field whose preferred values win, with the order of these values.
  package var prefer: Preference?
  /// The field whose smallest value wins, or nil.
  package var smallest: Smallest?

  /// A field and the order in which its values are preferred.
  package struct Preference: Hashable, Sendable {
    package var field: String
    /// The values, most preferred first. All other values come last.
    package var order: [String]

    package init(field: String, order: [String]) { (self.field, self.order) = (field, order) }
  }

  package struct Smallest: Hashable, Sendable {
    /// The name of the field, which contains an integer or a duration.
    package var field: String
    /// True if the value decreases with the time in milliseconds since it was written.
    package var ages = false
    /// The name of a Boolean field, or nil. While it is true, the value does not decrease.
    package var unless: String?
    /// A field and some of its values, or nil. In states without one of these values, the value counts as 0.
    package var when: Preference?

    package init(field: String, ages: Bool = false, unless: String? = nil, when: Preference? = nil) {
      (self.field, self.ages, self.unless, self.when) = (field, ages, unless, when)
    }
  }

  package init(window: Int64? = nil, prefer: Preference? = nil, smallest: Smallest? = nil) {
    (self.window, self.prefer, self.smallest) = (window, prefer, smallest)
  }

  /// The distance within which two states are concurrent, inclusive (F4, S18, C13). Without a window, no state is too
  /// old.
  package var windowMilliseconds: Int64 { window ?? .max }

  /// Returns the rank of a state among concurrent states at one common instant, `reference` (F16).
  package func standing(of entry: StateEntry, atMilliseconds reference: Int64) -> Standing {
    guard RecordState.isWellFormed(entry.payload) else { return Standing(priority: -1) }
    return standing(setAtMilliseconds: entry.milliseconds, atMilliseconds: reference) {
      RecordState.value($0, in: entry.payload)
    }
  }

  /// Returns the rank of a state that was written at `set` at the instant `reference`.
  package func standing(
    of state: RecordState, setAtMilliseconds set: Int64, atMilliseconds reference: Int64
  ) -> Standing {
    standing(setAtMilliseconds: set, atMilliseconds: reference, state.value)
  }

  private func standing(
    setAtMilliseconds set: Int64, atMilliseconds reference: Int64, _ value: (String) -> Scalar?
  ) -> Standing {
    func text(_ field: String) -> String? { if case .text(let text)? = value(field) { text } else { nil } }
    let index = prefer.flatMap { prefer in text(prefer.field).flatMap { prefer.order.firstIndex(of: $0) } }
    let priority = prefer.map { $0.order.count - (index ?? $0.order.count) } ?? 0
    guard let smallest, smallest.when.map({ $0.order.contains(text($0.field) ?? "") }) ?? true else {
      return Standing(priority: priority)
    }
    guard case .integer(let left)? = value(smallest.field) else {
      return Standing(priority: priority, remainingMilliseconds: .max)
    }
    let stands = smallest.unless.map { value($0) == .boolean(true) } ?? false
    let age = smallest.ages && !stands ? reference - set : 0
    return Standing(priority: priority, remainingMilliseconds: left.subtracting(age))
  }

  /// Returns the value of a decreasing field at the instant `now`, at least 0, or nil if the rule has no such field or
  /// the state has no value for it. A value that does not decrease in this state is returned as written.
  package func aged(
    _ state: RecordState, setAtMilliseconds set: Int64, atMilliseconds now: Int64
  ) -> (field: String, milliseconds: Int64)? {
    guard let smallest, smallest.ages, case .integer(let left)? = state.value(smallest.field) else { return nil }
    let isStanding = smallest.unless.map { state.value($0) == .boolean(true) } ?? false
    let counts = smallest.when.map { when in
      if case .text(let text)? = state.value(when.field) { when.order.contains(text) } else { false }
    }
    if isStanding || counts == false { return (smallest.field, left) }
    return (smallest.field, max(0, left.subtracting(max(0, now - set))))
  }

  // MARK: Text form

  /// The rule as text, as a zone stores it: `causal, window 5000, prefer state focus break, newest, device`.
  package var text: String {
    var parts = ["causal"]
    if let window { parts.append("window \(window)") }
    if let prefer { parts.append("prefer " + RuleWords.text([prefer.field] + prefer.order)) }
    if let smallest {
      parts.append("smallest \(smallest.field)" + (smallest.ages ? " ages" : ""))
      if let unless = smallest.unless { parts.append("unless \(unless)") }
      if let when = smallest.when { parts.append("when " + RuleWords.text([when.field] + when.order)) }
    }
    return (parts + ["newest", "device"]).joined(separator: ", ")
  }

  /// Parses the output of `text`. Returns nil for any other text, for example a rule of a newer version.
  package init?(text: String) {
    self.init()
    for part in text.utf8.split(separator: UInt8(ascii: ",")) {
      let words = part.split(separator: UInt8(ascii: " ")).map { String($0) ?? "" }
      switch (words.first, words.count) {
      case ("causal"?, 1), ("newest"?, 1), ("device"?, 1): continue
      case ("window"?, 2):
        guard let window = Int64(words[1]), window >= 0 else { return nil }
        self.window = window
      case ("prefer"?, 3...): prefer = Preference(words: words.dropFirst())
      case ("smallest"?, 2): smallest = Smallest(field: words[1])
      case ("smallest"?, 3) where words[2] == "ages": smallest = Smallest(field: words[1], ages: true)
      case ("unless"?, 2) where smallest != nil: smallest?.unless = words[1]
      case ("when"?, 3...) where smallest != nil: smallest?.when = Preference(words: words.dropFirst())
      default: return nil
      }
    }
    if self.text != text { return nil }
  }
}

extension DecideRule.Preference {
  fileprivate init(words: ArraySlice<String>) {
    let read = words.map { RuleWords.read($0) }
    self.init(field: read.first ?? "", order: Array(read.dropFirst()))
  }
}

/// The values of the fields that are decided as a whole, stored together as the payload of a `StateEntry`.
package struct RecordState: Hashable, Sendable {
  /// The values by name.
  package var values: [String: [UInt8]]

  package init(values: [String: [UInt8]] = [:]) { self.values = values }

  /// The state as the payload of an entry.
  package var payload: [UInt8] {
    var packer = Packer()
    packer.count(values.count)
    for (name, value) in values.sorted(by: { $0.key < $1.key }) {
      packer.text(name)
      packer.data(value)
    }
    return packer.bytes
  }

  /// Reads a payload. Returns nil if the bytes are not a valid state.
  package init?(payload: [UInt8]) {
    var reader = Unpacker(payload)
    values = [:]
    do {
      for _ in 0..<(try reader.count("the number of values", limit: RecordLimits.fields)) {
        let name = try reader.text("a field's name", limit: RecordLimits.fieldNameBytes)
        values[name] = try reader.data("a value", limit: RecordLimits.stateBytes)
      }
    } catch {
      return nil
    }
    if !reader.isAtEnd { return nil }
  }

  /// Returns the value of a field, or nil if it has none.
  package func value(_ field: String) -> Scalar? { values[field].flatMap { Scalar(bytes: $0) } }

  /// Reads the value of one field from a valid payload without decoding the others. Returns nil if the field has no
  /// value.
  static func value(_ field: String, in payload: [UInt8]) -> Scalar? {
    var found: Scalar?
    _ = scan(payload) { name, value in
      if found == nil, payload[name].elementsEqual(field.utf8) { found = Scalar(bytes: Array(payload[value])) }
    }
    return found
  }

  static func isWellFormed(_ payload: [UInt8]) -> Bool { scan(payload) { _, _ in } }

  /// Calls `body` with the byte ranges of each name and value. Returns false if the bytes are not a valid payload.
  private static func scan(_ payload: [UInt8], _ body: (_ name: Range<Int>, _ value: Range<Int>) -> Void) -> Bool {
    var offset = 0
    func part() -> Range<Int>? {
      guard let length = try? LEB128.read(payload, at: &offset), length <= UInt64(payload.count - offset) else {
        return nil
      }
      defer { offset += Int(length) }
      return offset..<offset + Int(length)
    }
    guard let count = try? LEB128.read(payload, at: &offset), count <= UInt64(RecordLimits.fields) else { return false }
    for _ in 0..<count {
      guard let name = part(), let value = part() else { return false }
      body(name, value)
    }
    return offset == payload.count
  }
}

extension Cell {
  /// Returns the winning state of a record that is decided as a whole, or an empty state if none was written.
  package func state(by rule: DecideRule) -> RecordState {
    reading(by: rule).flatMap { RecordState(payload: $0.winner.payload) } ?? RecordState()
  }
}

/// The value of a field with epochs, as bytes. A value of a later epoch sorts after all values of earlier epochs.
package enum EpochValue {
  private static let tag: UInt8 = 0x50

  /// Packs a value and its epoch.
  package static func bytes(_ value: [UInt8], epoch: Int64) -> [UInt8] {
    [tag] + (0..<8).map { UInt8(truncatingIfNeeded: epoch >> (56 - 8 * Int64($0))) } + value
  }

  /// Reads a value and its epoch. Returns nil if the bytes were not written by `bytes(_:epoch:)`.
  package static func read(_ bytes: [UInt8]) -> (epoch: Int64, value: [UInt8])? {
    guard bytes.count > 9, bytes[0] == tag else { return nil }
    let epoch = bytes[1...8].reduce(Int64(0)) { $0 << 8 | Int64($1) }
    return epoch >= 0 ? (epoch, Array(bytes[9...])) : nil
  }
}
