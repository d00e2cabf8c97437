/// Why the geocoder's tables cannot be used.
public enum TableError: Error, Sendable, Equatable, CustomStringConvertible {
  /// A table cannot be read at all: the path, and what the system says.
  case unreadable(path: String, reason: String)
  /// A table is damaged: its file name, the line (nil in a binary table, or when only the checksum tells), and what is
  /// wrong.
  case corrupt(file: String, line: Int?, problem: String)

  /// The place, what is wrong, and the remedy.
  public var description: String {
    switch self {
    case .unreadable(let path, let reason):
      "cannot read \(path): \(reason)"
    case .corrupt(let file, let line, let problem):
      "\(file)\(line.map { ":\($0)" } ?? ""): \(problem); the geocoder's tables are damaged, install them again"
    }
  }
}
