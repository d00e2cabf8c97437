/// The reasons for which `retry` allows another attempt (`on`) or excludes one (`except`).
package struct RetryReasons: Sendable, Hashable {
  /// The reason why an attempt failed.
  package enum Reason: Sendable, Hashable {
    /// The action reported an error.
    case failed
    /// `attempt-deadline` or the time limit of a cluster job ended the attempt.
    case timedOut
    /// The machine or worker that ran the attempt was lost.
    case lost
    /// The attempt used more memory than it had requested.
    case outOfMemory
    /// A signal ended the command of the attempt.
    case killed
    /// The command exited with one of these statuses.
    case statuses(ClosedRange<Int>)
    /// The action reported an error with this code.
    case code(String)

    /// The reasons that the format represents by a word.
    package static let words: [(word: String, reason: Reason)] = [
      ("failed", .failed), ("timed-out", .timedOut), ("lost", .lost), ("out-of-memory", .outOfMemory),
      ("killed", .killed),
    ]

    /// The exit statuses that a failed command can have.
    package static let statuses = 1...255

    /// Parses a reason: a word, a status such as `75`, a range such as `100..110`, or an error code. Returns nil for
    /// any other string.
    public init?(_ text: String) {
      if let known = Self.words.first(where: { $0.word.utf8.elementsEqual(text.utf8) }) {
        self = known.reason
      } else if let first = text.utf8.first, (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(first) || first == 45 {
        let ends = text.split(separator: ".", omittingEmptySubsequences: false)
        guard ends.count == 1 || ends.count == 3 && ends[1].isEmpty, let low = Self.status(ends[0]),
          let high = Self.status(ends[ends.count - 1]),
          low <= high, Self.statuses.contains(low), Self.statuses.contains(high)
        else { return nil }
        self = .statuses(low...high)
      } else if let first = text.first, first.isLetter {
        self = .code(text)
      } else {
        return nil
      }
    }

    /// Parses an exit status. Returns nil if it is not a number or has a leading zero, because `010` could mean 8 or
    /// 10.
    private static func status(_ text: Substring) -> Int? { Int(text).flatMap { "\($0)" == text ? $0 : nil } }

    /// The reason as written in a file.
    public var text: String {
      switch self {
      case .statuses(let range): range.count == 1 ? "\(range.lowerBound)" : "\(range.lowerBound)..\(range.upperBound)"
      case .code(let code): code
      default: Self.words.first { $0.reason == self }?.word ?? ""
      }
    }
  }

  /// The reasons that are listed under `on` or `except`, in file order.
  package var listed: [Reason]
  /// True if the reasons are listed under `except`, so that all others allow another attempt. False if they are listed
  /// under `on`.
  package var areExcepted: Bool

  /// Creates the reasons that are listed under `on` or, if `areExcepted` is true, under `except`.
  package init(_ listed: [Reason], areExcepted: Bool = false) {
    self.listed = listed
    self.areExcepted = areExcepted
  }

  /// Returns whether another attempt may follow an attempt that ended for `reason`. Returns nil if the list does not
  /// decide, so that the default rules apply.
  ///
  /// A list under `on` decides about `lost` and `out-of-memory` only if it contains them. For example, steps whose
  /// attempt was lost run again even without `retry`.
  package func allow(_ reason: Reason, code: String, status: Int? = nil) -> Bool? {
    let isListed = listed.contains { listed in
      switch listed {
      case .statuses(let range): status.map(range.contains) ?? false
      case .code(let own): own.utf8.elementsEqual(code.utf8)
      default: listed == reason
      }
    }
    if areExcepted { return isListed ? false : nil }
    if isListed { return true }
    return reason == .lost || reason == .outOfMemory ? nil : false
  }
}
