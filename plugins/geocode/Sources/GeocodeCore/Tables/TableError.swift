/// The reason why the tables of the geocoder could not be loaded.
public enum TableError: Error, Sendable, Equatable, CustomStringConvertible {
  /// A table cannot be read. Contains its path and the system's reason.
  case unreadable(path: String, reason: String)
  /// A table is damaged. The line is nil if the problem is not in one line, as in a binary table.
  case corrupt(file: String, line: Int?, problem: String)

  /// The location, the problem and the remedy.
  public var description: String {
    switch self {
    case .unreadable(let path, let reason):
      "cannot read \(path): \(reason)"
    case .corrupt(let file, let line, let problem):
      "\(file)\(line.map { ":\($0)" } ?? ""): \(problem); the geocoder's tables are damaged, install them again"
    }
  }
}
