import FlowSystem

/// Checks that no other user can have added or changed a program in a folder.
enum FolderTrust {
  /// Returns the reason why the plugin in `folder` must not be run, or nil if the folder can be trusted.
  ///
  /// The folder, its parent and its files must belong to this user or to root. Neither others nor any group except the
  /// user's own may have permission to write to them.
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
