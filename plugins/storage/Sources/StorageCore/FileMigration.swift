import FlowModel
import FlowPluginKit

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// An SQL file of the workflow that is applied to a store once.
package struct FileMigration: Sendable, Hashable {
  /// The name of the file without its folder. The store records it.
  package let name: String
  /// The SQL statements of the file.
  package let sql: String

  /// Creates a migration from a name and SQL text.
  package init(name: String, sql: String) {
    self.name = name
    self.sql = sql
  }

  /// The maximum size of a migration file: 1 MiB.
  package static let limitBytes = 1 << 20

  /// Reads migrations from files. Relative paths start at `folder`. Throws an ``ActionError`` with the code
  /// `migration-unreadable` if a file cannot be read, is too large or is not UTF-8, or if two files have the same name.
  package static func read(_ paths: [String], from folder: String) throws -> [FileMigration] {
    var names: Set<String> = []
    return try paths.map { path in
      let name = String(path.split(separator: "/").last ?? "")
      guard names.insert(name).inserted else {
        throw unreadable(path, "two migrations are named '\(name)', and a store records them by name")
      }
      let place = path.utf8.first == UInt8(ascii: "/") ? path : folder + "/" + path
      let data: Data
      do {
        data = try Data(contentsOf: URL(filePath: place))
      } catch {
        throw unreadable(path, "it cannot be read from '\(place)'")
      }
      guard data.count <= limitBytes else {
        throw unreadable(path, "it has \(data.count) bytes, more than the \(limitBytes) allowed")
      }
      guard let sql = String(bytes: data, encoding: .utf8) else { throw unreadable(path, "it is not UTF-8 text") }
      return FileMigration(name: name, sql: sql)
    }
  }

  private static func unreadable(_ path: String, _ reason: String) -> ActionError {
    ActionError("migration-unreadable", "the migration '\(path)' cannot be used: \(reason)", isRetryable: false)
  }
}
