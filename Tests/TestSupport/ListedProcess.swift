import Foundation

/// Parses process ids in texts, for example in files that commands have written.
public enum ListedProcess {
  /// Returns a process id, or nil if the text is not a decimal number greater than 1 without leading zeros. A signal to
  /// 0 or to a negative number would affect other processes.
  public static func number(_ text: some StringProtocol) -> Int32? {
    let word = text.trimmingCharacters(in: .whitespacesAndNewlines)
    guard word.utf8.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }), word.utf8.first != 48,
      let number = Int32(word), number > 1
    else { return nil }
    return number
  }

  /// Returns the process ids in `lines`, one per line. Other lines are ignored.
  public static func numbers(_ lines: String) -> [Int32] { lines.split(separator: "\n").compactMap { number($0) } }

  /// Returns the name of the program that a process runs, or nil if there is no such process.
  public static func program(of process: Int32) -> String? {
    (try? String(contentsOfFile: "/proc/\(process)/comm", encoding: .utf8))?.trimmingCharacters(in: .newlines)
  }
}
