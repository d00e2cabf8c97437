import FlowModel
import FlowPlatform

/// What a file was: where it stands, how long it is and what tells its content from another.
struct InputStamp: Sendable, Hashable {
  var path: String
  /// -1: there was none, ``folder``: it is a folder.
  var bytes: Int
  /// The inode; 0: the file must be read again, whatever its times are.
  var number: UInt64
  /// When the content was last modified, which programs can set.
  var modifiedNanoseconds: Int
  /// When the system last saw a change of the file, which no program can set. Copies and caches have others, so that it says
  /// only whether to read the file again, never that its content has changed.
  var changedNanoseconds: Int
  var digest: String

  /// The file as it is now; `known` is what it was, whose digest is used again where inode, length and both times are equal.
  init(_ path: String, in folder: String, known: InputStamp?) {
    self.path = path
    let place = path.hasPrefix("/") ? path : "\(folder)/\(path)"
    var status = stat()
    let isThere = stat(place, &status) == 0
    guard isThere, status.st_mode & S_IFMT == S_IFREG else {
      bytes = isThere && status.st_mode & S_IFMT == S_IFDIR ? Self.folder : -1
      (number, modifiedNanoseconds, changedNanoseconds, digest) = (0, 0, 0, "")
      return
    }
    let now = FileState(status)
    (bytes, number) = (now.bytes, now.number)
    (modifiedNanoseconds, changedNanoseconds) = (now.modifiedNanoseconds, now.changedNanoseconds)
    if let known, known.number != 0, known.number == number, known.bytes == bytes,
      known.modifiedNanoseconds == modifiedNanoseconds, known.changedNanoseconds == changedNanoseconds
    {
      digest = known.digest
      return
    }
    if now.isUnsure { number = 0 }
    digest = SHA256.digest(ofFile: place) ?? ""
    if digest.isEmpty { bytes = -1 }
  }

  /// What ``bytes`` are of a folder.
  static let folder = -2

  /// Reads one that was written down. Older ones know no time of change, and are read again.
  init?(_ value: Value) {
    guard let parts = value.arrayValue, parts.count == 5 || parts.count == 6, let path = parts[0].stringValue,
      let bytes = parts[1].integerValue, let number = parts[2].stringValue.flatMap({ UInt64($0) }),
      let modified = parts[3].stringValue.flatMap({ Int($0) }), let digest = parts[4].stringValue
    else { return nil }
    let changed = parts.count == 6 ? parts[5].stringValue.flatMap { Int($0) } : nil
    (self.path, self.bytes, self.number, self.digest) = (path, bytes, changed == nil ? 0 : number, digest)
    (modifiedNanoseconds, changedNanoseconds) = (modified, changed ?? 0)
  }

  /// As it is written down.
  var value: Value {
    [
      .string(path), .integer(bytes), .string(String(number)), .string(String(modifiedNanoseconds)), .string(digest),
      .string(String(changedNanoseconds)),
    ]
  }

  /// Whether the content is the same.
  func isSame(as other: InputStamp) -> Bool { path == other.path && bytes == other.bytes && digest == other.digest }

  /// All files that patterns mean, as they are now; nil: they are too many.
  static func all(
    _ patterns: [String], in folder: String, known: [InputStamp], _ memo: inout FileMemo
  ) -> [InputStamp]? {
    // Most items read one file, and most steps the ones that they read before.
    if patterns.count == 1, known.count <= 1, let path = FilePattern.plainPath(patterns[0]) {
      return [memo.stamp(path, in: folder, known: known.first?.path == path ? known.first : nil)]
    }
    var byPath: [String: InputStamp] = [:]
    for stamp in known { byPath[stamp.path] = stamp }
    var seen: Set<String> = []
    var stamps: [InputStamp] = []
    for pattern in patterns {
      for path in memo.files(pattern, in: folder, limit: Limits.watchedFiles) where seen.insert(path).inserted {
        guard seen.count <= Limits.watchedFiles else { return nil }
        stamps.append(memo.stamp(path, in: folder, known: byPath[path]))
      }
    }
    return stamps
  }
}
