import FlowModel
import FlowPlatform

/// The state of a file: its length, times, and a digest of its content.
struct InputStamp: Sendable, Hashable {
  var path: String
  /// The length of a regular file, ``folder`` for a folder, and -1 for anything else or a file that is missing or
  /// cannot be read.
  var bytes: Int
  /// The inode, or 0 if the content must be read again even if the times are unchanged.
  var number: UInt64
  /// The time of the last modification, which programs can change.
  var modifiedNanoseconds: Int
  /// The time of the last change, which the system records and programs cannot set. Copies and caches have other times,
  /// so it determines only whether the file is read again, never whether its content counts as changed.
  var changedNanoseconds: Int
  var digest: String

  /// Reads the state of a file. If inode, length and times are those of `known`, its digest is used and the content is
  /// not read.
  ///
  /// - Parameter state: The state of the file if it was read a moment ago, otherwise nil.
  init(_ path: String, in folder: OpenFolder, known: InputStamp?, state: FileState? = nil) {
    self.path = path
    let status = state == nil ? folder.status(of: path) : nil
    guard let now = state ?? FileState(ofRegular: status) else {
      bytes = status.map { $0.st_mode & S_IFMT == S_IFDIR } == true ? Self.folder : -1
      (number, modifiedNanoseconds, changedNanoseconds, digest) = (0, 0, 0, "")
      return
    }
    (bytes, number) = (now.bytes, now.number)
    (modifiedNanoseconds, changedNanoseconds) = (now.modifiedNanoseconds, now.changedNanoseconds)
    if let known, known.state == now {
      digest = known.digest
      return
    }
    if now.isUnsure { number = 0 }
    digest = SHA256.digest(ofFile: folder.place(of: path)) ?? ""
    if digest.isEmpty { bytes = -1 }
  }

  init(_ path: String, _ state: FileState) {
    self.path = path
    (bytes, number, digest) = (state.bytes, state.number, "")
    (modifiedNanoseconds, changedNanoseconds) = (state.modifiedNanoseconds, state.changedNanoseconds)
  }

  /// True if the file was not written between the two stamps, because the length and both times are the same.
  func hasState(of other: InputStamp) -> Bool {
    bytes == other.bytes && modifiedNanoseconds == other.modifiedNanoseconds
      && changedNanoseconds == other.changedNanoseconds
  }

  /// The state of the file without its content, or nil if the content must always be read.
  var state: FileState? {
    guard number != 0 else { return nil }
    return FileState(
      number: number, bytes: bytes, modifiedNanoseconds: modifiedNanoseconds, changedNanoseconds: changedNanoseconds)
  }

  /// The value of ``bytes`` for a folder.
  static let folder = -2

  /// True if path and content are the same.
  func isSame(as other: InputStamp) -> Bool {
    path.hasSameBytes(as: other.path) && bytes == other.bytes && digest == other.digest
  }
}
