import FlowModel
import FlowPluginKit
import FlowSystem

/// A file or symbolic link that is sent to a worker or fetched from it.
struct TransferEntry: Sendable, Hashable {
  /// The content of a file, or the target of a link.
  enum Content: Sendable, Hashable {
    case file(bytes: Int, digest: String, permissions: Int)
    /// A symbolic link with its target.
    case link(String)
  }

  private var name: ByteName
  /// The path relative to the folder, without `.` or `..`.
  var path: String { name.text }
  var content: Content

  /// The maximum size of a file in bytes.
  static let mostBytes = Limits.transferredFileBytes

  init(_ path: String, _ content: Content) {
    name = ByteName(path)
    self.content = content
  }

  /// Parses an entry received from the other machine. Throws an error if it is malformed, or if its path or the target
  /// of its link leaves the folder.
  init(_ value: Value) throws(ActionError) {
    guard let parts = value.arrayValue, parts.count == 2 || parts.count == 4, let path = parts[0].stringValue,
      Self.depth(of: path) ?? 0 > 0, !path.utf8.contains(0), !path.pathParts.contains("..")
    else { throw Self.unreadable(value) }
    name = ByteName(path)
    if parts.count == 2, let target = parts[1].stringValue {
      guard Self.leadsInside(target, from: path) else { throw .outside(path, "is a link to '\(target)'") }
      content = .link(target)
      return
    }
    guard parts.count == 4, let bytes = parts[1].integerValue, (0...Self.mostBytes).contains(bytes),
      let digest = parts[2].stringValue, digest.utf8.count == 64,
      digest.utf8.allSatisfy({ (48...57).contains($0) || (97...102).contains($0) }),
      let permissions = parts[3].integerValue, (0...0o777).contains(permissions)
    else { throw Self.unreadable(value) }
    content = .file(bytes: bytes, digest: digest, permissions: permissions)
  }

  private static func unreadable(_ value: Value) -> ActionError {
    ActionError("file-transfer", "the other side names the file \(value.shortText), which cannot be read")
  }

  /// The entry as a JSON value for a message.
  var value: Value {
    switch content {
    case .file(let bytes, let digest, let permissions):
      [.string(path), .integer(bytes), .string(digest), .integer(permissions)]
    case .link(let target): [.string(path), .string(target)]
    }
  }

  static func list(_ value: Value?) throws(ActionError) -> [TransferEntry] {
    var entries: [TransferEntry] = []
    for value in value?.arrayValue ?? [] { entries.append(try TransferEntry(value)) }
    return entries
  }

  /// The size of a file's content in bytes, or 0 for a link.
  var bytes: Int { if case .file(let bytes, _, _) = content { bytes } else { 0 } }

  /// True if the target of a link at `path` is inside the folder. Other links on the way are not resolved.
  static func leadsInside(_ target: String, from path: String) -> Bool {
    !target.isEmpty && !FilePath.isAbsolute(target) && !target.utf8.contains(0)
      && depth(of: FilePath.folder(of: path) + "/" + target) != nil
  }

  /// Returns the depth of a relative path, or nil if any part of it leaves the folder.
  private static func depth(of path: String) -> Int? {
    if FilePath.isAbsolute(path) { return nil }
    var depth = 0
    for part in path.pathParts {
      switch part {
      case ".": break
      case "..":
        depth -= 1
        if depth < 0 { return nil }
      default: depth += 1
      }
    }
    return depth
  }
}

extension [TransferEntry] {
  /// Describes two entries whose names are equal on file systems that ignore case or Unicode normalization. Nil if
  /// there are none.
  var lookAlikes: String? {
    // Swift compares strings by canonical equivalence, so differences in normalization are ignored.
    var known: [String: TransferEntry] = [:]
    for entry in self {
      guard let other = known.updateValue(entry, forKey: entry.path.lowercased()) else { continue }
      let what = other.path == entry.path ? "Unicode normalization" : "case"
      return "'\(other.path)' and '\(entry.path)' are one file where file systems ignore \(what)"
    }
    return nil
  }
}

extension ActionError {
  /// Returns the error for a path that leads out of the workflow's folder.
  static func outside(_ path: String, _ what: String) -> ActionError {
    ActionError(
      "file-outside",
      "'\(path)' \(what), which is outside of the workflow's folder; only files in it travel to workers",
      isRetryable: false)
  }

  /// Returns the error for a file that was changed during its transfer.
  static func changed(_ path: String) -> ActionError {
    ActionError("file-changed", "'\(path)' changed during its transfer", isRetryable: true)
  }

  /// Creates the error for a failed system call during a transfer, which is worth another attempt.
  init(_ problem: SystemError) { self.init("file-transfer", "\(problem)", isRetryable: true) }
}
