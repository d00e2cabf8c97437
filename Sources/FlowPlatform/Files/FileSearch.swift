/// Finds the files that match patterns.
///
/// For a `**`, each folder is visited once, identified by device and inode, so links never cause cycles. Folders are
/// visited before links to folders, so that the order of listing does not affect the path at which a file is found.
struct FileSearch {
  private let limit: Int
  private var paths: [String] = []
  private var dangling: [String] = []
  /// The paths found so far. Nil if no file can be found twice.
  private var seen: Set<[UInt8]>?
  private var isFull: Bool { paths.count > limit }

  /// The maximum number of nested folders that are searched.
  private static let mostLevels = 64

  init(limit: Int, mayRepeat: Bool) {
    self.limit = limit
    seen = mayRepeat ? [] : nil
  }

  var found: FilePattern.Found { FilePattern.Found(paths: paths.sorted(), danglingLinks: dangling.sorted()) }

  /// A folder that the search has reached.
  private struct Place {
    /// The path of the folder as it appears in the results, or nil at the start.
    var path: String?
    var folder: String
    var level: Int

    func joined(_ name: String) -> String { path.map { "\($0)/\(name)" } ?? name }
    func inside(_ name: String) -> Place { Place(path: joined(name), folder: "\(folder)/\(name)", level: level + 1) }
  }

  /// Adds the files in a folder that match a pattern.
  mutating func add(_ pattern: PathPattern, in folder: String) {
    if seen == nil, pattern.parts.count(where: \.isFolders) > 1 { seen = Set(paths.map { Array($0.utf8) }) }
    let start = Place(path: pattern.isAbsolute ? "" : nil, folder: pattern.isAbsolute ? "" : folder, level: 0)
    look(pattern.parts[...], in: start)
  }

  private mutating func look(_ parts: ArraySlice<NamePattern>, in place: Place) {
    guard let part = parts.first, place.level <= Self.mostLevels, !isFull else { return }
    let rest = parts.dropFirst()
    if part.isFolders { return lookBelow(place, for: rest) }
    if let name = part.name {
      let inside = place.inside(name)
      if rest.isEmpty {
        add(inside, kind(of: inside.folder))
      } else if name == ".." || FilePath.isFolder(inside.folder) {
        look(rest, in: inside)
      }
      return
    }
    for entry in Self.entries(of: place.folder)?.entries ?? [] where !isFull && part.matches(entry.name) {
      let inside = place.inside(entry.name)
      let kind = entry.kind ?? kind(of: inside.folder)
      if rest.isEmpty { add(inside, kind) } else if kind == .folder { look(rest, in: inside) }
    }
  }

  /// Searches a folder and all folders below it.
  private mutating func lookBelow(_ place: Place, for rest: ArraySlice<NamePattern>) {
    var entered: Set<FolderIdentity> = []
    var round = [place]
    while !round.isEmpty {
      var links: [Place] = []
      for place in round.sorted(by: { ($0.path ?? "") < ($1.path ?? "") }) {
        enter(place, for: rest, &entered, &links)
      }
      round = links
    }
  }

  private mutating func enter(
    _ place: Place, for rest: ArraySlice<NamePattern>, _ entered: inout Set<FolderIdentity>, _ links: inout [Place]
  ) {
    guard place.level <= Self.mostLevels, !isFull, let listing = Self.entries(of: place.folder),
      entered.insert(listing.identity).inserted
    else { return }
    let isLast = rest.count <= 1
    let file = rest.isEmpty ? NamePattern.anyName : rest.first
    let looksHere = isLast && file?.name == nil && file?.isFolders == false
    if !looksHere { look(rest, in: place) }
    for entry in listing.entries where !isFull {
      let isHidden = entry.name.utf8.first == UInt8(ascii: ".")
      let isWanted = looksHere && file!.matches(entry.name)
      if isHidden, !isWanted { continue }
      let inside = place.inside(entry.name)
      let kind = entry.kind ?? kind(of: inside.folder)
      if kind == .folder {
        if isHidden { continue }
        if entry.kind == nil { links.append(inside) } else { enter(inside, for: rest, &entered, &links) }
      } else if isWanted {
        add(inside, kind)
      }
    }
  }

  private mutating func add(_ place: Place, _ kind: Kind) {
    let path = place.path ?? ""
    switch kind {
    case .file: if seen?.insert(Array(path.utf8)).inserted != false { paths.append(path) }
    case .danglingLink: if !dangling.contains(path) { dangling.append(path) }
    case .folder, .missing: break
    }
  }

  private enum Kind { case file, folder, danglingLink, missing }

  private func kind(of place: String) -> Kind {
    var status = stat()
    if stat(place, &status) == 0 { return status.st_mode & S_IFMT == S_IFDIR ? .folder : .file }
    return lstat(place, &status) == 0 && status.st_mode & S_IFMT == S_IFLNK ? .danglingLink : .missing
  }

  private struct FolderIdentity: Hashable {
    var device: UInt64
    var number: UInt64
  }

  private struct FolderItem {
    var name: String
    /// The kind of the entry. Nil for a link, or if the system does not report the kind.
    var kind: Kind?
  }

  private static func entries(of folder: String) -> (identity: FolderIdentity, entries: [FolderItem])? {
    guard let stream = opendir(folder.isEmpty ? "/" : folder) else { return nil }
    defer { closedir(stream) }
    var status = stat()
    guard fstat(dirfd(stream), &status) == 0 else { return nil }
    var entries: [FolderItem] = []
    while let entry = readdir(stream) {
      let name = String(cString: entry.name)
      guard name != ".", name != ".." else { continue }
      let type = Int(entry.pointee.d_type)
      entries.append(FolderItem(name: name, kind: type == Int(DT_DIR) ? .folder : type == Int(DT_REG) ? .file : nil))
    }
    return (FolderIdentity(device: UInt64(bitPattern: Int64(status.st_dev)), number: UInt64(status.st_ino)), entries)
  }
}
