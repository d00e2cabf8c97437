import FlowSystem

/// Whether what is in a folder is under this user's control: no other user can have put a program there or changed one.
enum FolderTrust {
  /// Why the plugin in `folder` is not to be run, for people; nil when nothing speaks against it.
  ///
  /// The folder itself, the one it is in and the files in it must belong to this user or to root, and others must not
  /// be able to write there; a group may when it is the user's own.
  static func problem(with folder: String) -> String? {
    let parent = String(folder[..<(folder.utf8.lastIndex(of: UInt8(ascii: "/")) ?? folder.startIndex)])
    let names = FilePath.names(in: folder) ?? []
    let paths = [parent.isEmpty ? "/" : parent, folder] + names.map { "\(folder)/\($0)" }
    return paths.lazy.compactMap(problem(at:)).first
  }

  private static func problem(at path: String) -> String? {
    var status = stat()
    guard stat(path, &status) == 0 else { return nil }
    if status.st_uid != geteuid(), status.st_uid != 0 {
      return "'\(path)' belongs to another user (\(status.st_uid)), who could change what runs; take ownership with"
        + " 'chown -R \(geteuid())'"
    }
    let isOthersWritable = status.st_mode & S_IWOTH != 0 && status.st_mode & S_ISVTX == 0
    let isGroupWritable = status.st_mode & S_IWGRP != 0 && status.st_gid != getegid()
    guard isOthersWritable || isGroupWritable else { return nil }
    return "other users can write '\(path)', and so change what runs; remove that permission with 'chmod go-w'"
  }
}
