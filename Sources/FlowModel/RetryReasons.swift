/// The ends of an attempt after which a step is tried again, or after which it is not.
public struct RetryReasons: Sendable, Hashable {
  /// Why an attempt ended without success.
  public enum Reason: Sendable, Hashable {
    /// The action failed by itself.
    case failed
    /// `attempt-deadline`, or the time limit of a cluster's job, ended the attempt.
    case timedOut
    /// The machine or the worker of the attempt was lost.
    case lost
    /// The attempt took more memory than it had.
    case outOfMemory
    /// A signal ended the command.
    case killed
    /// The command ended with one of these exit statuses.
    case statuses(ClosedRange<Int>)
    /// The action failed with this code.
    case code(String)

    /// The reasons that are words of the format.
    public static let words: [(word: String, reason: Reason)] = [
      ("failed", .failed), ("timed-out", .timedOut), ("lost", .lost), ("out-of-memory", .outOfMemory),
      ("killed", .killed),
    ]

    /// The exit statuses that a failed command can have.
    public static let statuses = 1...255

    /// Reads a word, a status such as `75`, a range such as `100..110` or the code of an error; nil if it is none of them.
    public init?(_ text: String) {
      if let known = Self.words.first(where: { $0.word.utf8.elementsEqual(text.utf8) }) {
        self = known.reason
      } else if let first = text.utf8.first, (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(first) || first == 45 {
        let ends = text.split(separator: ".", omittingEmptySubsequences: false)
        guard ends.count == 1 || ends.count == 3 && ends[1].isEmpty, let low = Int(ends[0]),
          let high = Int(ends[ends.count - 1]),
          low <= high, Self.statuses.contains(low), Self.statuses.contains(high)
        else { return nil }
        self = .statuses(low...high)
      } else if let first = text.first, first.isLetter {
        self = .code(text)
      } else {
        return nil
      }
    }

    /// As a file has it.
    public var text: String {
      switch self {
      case .statuses(let range): range.count == 1 ? "\(range.lowerBound)" : "\(range.lowerBound)..\(range.upperBound)"
      case .code(let code): code
      default: Self.words.first { $0.reason == self }?.word ?? ""
      }
    }
  }

  /// The reasons, as they are listed.
  public var listed: [Reason]
  /// Whether a step is tried again for all other reasons (`except`), not for these (`on`).
  public var areExcepted: Bool

  /// Reasons under `on` or `except`.
  public init(_ listed: [Reason], areExcepted: Bool = false) {
    self.listed = listed
    self.areExcepted = areExcepted
  }

  /// Whether an attempt that ended so is followed by another one; nil if the action decides.
  ///
  /// A loss is made good without `retry`, too: a list under `on` that does not name it leaves that as it is.
  public func allow(_ reason: Reason, code: String, status: Int? = nil) -> Bool? {
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
