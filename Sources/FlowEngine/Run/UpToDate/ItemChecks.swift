import FlowModel
import FlowPlatform
import FlowPluginKit
import FlowSecrets

/// Determines which items of a step are up to date, from the files that they read and produce.
struct ItemChecks: Sendable {
  /// The data for the check of an item. It is collected under the run's lock, without computing digests.
  struct Item: Sendable {
    /// A hash that identifies the item, independent of its position in the list.
    var key: UInt64
    var reads: [NamedFiles]
    var makes: [NamedFiles]
    /// The evaluated inputs and variables of the item, except those that all items share.
    var given: [ValueObject]
  }

  /// The name of the step in messages.
  var step: String
  /// The records of the items' last successes.
  var stamps: ItemStamps
  var definition: String
  /// The inputs and variables that are the same for all items.
  var common: [ValueObject]
  /// The items. An element is nil if the item does not run or its inputs could not be evaluated.
  var items: [Item?] = []
  var folder: String
  var isForced: Bool
  var mask: SecretMask?
  /// The products that all steps of the run declare, or nil before they are set.
  var makers: ProductTable?
  /// The removed temporary files that count as unchanged, or nil if there are none.
  var lent: LentFiles?
  /// The keys of all items, or nil if `items` contains all of them.
  var allKeys: [UInt64]?
  /// For each item, a digest of its inputs and variables.
  private(set) var values: [String] = []

  init(
    _ step: String, stamps: ItemStamps, definition: String, common: [ValueObject], folder: String, isForced: Bool,
    mask: SecretMask?
  ) {
    self.step = step
    self.stamps = stamps
    self.definition = definition
    self.common = common
    self.folder = folder
    self.isForced = isForced
    self.mask = mask
  }

  /// The maximum number of warnings that are shown.
  private static let mostNotes = 3

  /// Returns the check of an item, or nil if the item has none.
  func check(_ index: Int) -> UpToDateCheck? {
    guard let item = items[index] else { return nil }
    return UpToDateCheck(
      "\(step)[\(index)]", .known(definition: definition, values: values[index]),
      reads: item.reads, makes: item.makes, in: folder, at: .item(item.key, stamps), isForced: isForced, mask: mask,
      makers: makers, lent: lent)
  }

  struct Looked {
    /// The result for each item, or nil if the item has no check.
    var findings: [UpToDateCheck.Finding?] = []
    /// The reason why stamps could not be written, or nil if no write failed.
    var problem: String?
    /// Warnings about the files of items.
    var notes: [String] = []
    /// The outputs of all items, with placeholders, and all files, including the file of the stamps. Nil unless all
    /// items are up to date and any change will be visible in the states of the files.
    var unchanged: (outputs: [ValueObject], files: [(path: String, state: FileState)])?
    /// The temporary files of up-to-date items, by index: the ones that exist, and the ones that were removed.
    var temporary: [Int: (existing: [InputStamp], gone: [InputStamp])] = [:]
    /// The existing products of items that are no longer in the list.
    var leftover: [InputStamp] = []
  }

  /// Checks all items. It reads files, so it must be called outside the run's lock.
  mutating func look() -> Looked {
    digestValues()
    var looked = Looked()
    looked.findings.reserveCapacity(items.count)
    var renewed: [(item: UInt64, stamp: StepStamp)] = []
    var outputs: [ValueObject] = []
    var memo = FileMemo(in: folder, remembers: true)
    var (notes, seenNotes): ([String], Set<String>) = ([], [])
    for (index, item) in items.enumerated() {
      guard let item, let check = check(index) else {
        looked.findings.append(nil)
        continue
      }
      let (finding, stamp) = check.look(&memo)
      looked.findings.append(finding)
      for note in check.notes where seenNotes.insert(note).inserted { notes.append(note) }
      if let stamp { renewed.append((item.key, stamp)) }
      if case .upToDate = finding {
        let files = check.temporaryFiles
        if !files.existing.isEmpty || !files.gone.isEmpty { looked.temporary[index] = files }
      }
      if case .upToDate = finding, let stamp = stamp ?? stamps[item.key] { outputs.append(stamp.outputs) }
    }
    looked.notes = Array(notes.prefix(Self.mostNotes))
    let others = notes.count - looked.notes.count
    if others > 0 { looked.notes.append("step '\(step)' has \(others) more such items") }
    looked.problem = stamps.write(renewed)
    let current = Set(allKeys ?? items.compactMap { $0?.key })
    looked.leftover = stamps.products(ofItemsExcept: current).filter { memo.exists($0.path) }
    if !looked.leftover.isEmpty {
      let makes = PathList(items.lazy.compactMap { $0?.makes })
      looked.leftover.removeAll { makes.covers($0.path) }
    }
    stamps.tidy(keeping: current, in: folder)
    if outputs.count == items.count, looked.leftover.isEmpty, let files = states(of: memo.files) {
      looked.unchanged = (outputs, files)
    }
    return looked
  }

  /// Returns the states of the files and of the file of the stamps. Returns nil if the state of one of them might not
  /// show a change.
  private func states(of files: [InputStamp]?) -> [(path: String, state: FileState)]? {
    guard let files, let own = stamps.fileState else { return nil }
    var states = [(FilePath.absolute(stamps.path), own)]
    for file in files {
      guard let state = file.state else { return nil }
      states.append((file.path, state))
    }
    return states
  }

  private mutating func digestValues() {
    var digest = SHA256()
    for object in common { digest.combine(JSONText.bytes(of: .object(object))) }
    let common = Array(digest.finish().utf8)
    values = items.map { item in
      guard let item else { return "" }
      var digest = SHA256()
      digest.combine(common)
      for object in item.given { digest.combine(JSONText.bytes(of: .object(object))) }
      for files in item.reads { digest.combine(Array(files.pattern.utf8) + [0]) }
      digest.combine([1])
      for files in item.makes { digest.combine(Array(files.pattern.utf8) + [0]) }
      return digest.finish()
    }
  }

  /// Returns a failure if two items produce the same file, otherwise nil.
  func collision(_ describe: (Int) -> String) -> StepFailure? {
    var makers: [ByteName: Int] = [:]
    makers.reserveCapacity(items.count)
    for (index, item) in items.enumerated() {
      for files in item?.makes ?? [] where !PatternText.isExclusion(files.pattern) {
        for path in FilePattern.plainPath(files.pattern).map({ [$0] }) ?? FilePattern(files.pattern).normalized {
          let first = makers.updateValue(index, forKey: ByteName(path))
          guard let first, first != index else { continue }
          return StepFailure(
            code: "same-product",
            message: "\(describe(first)) and \(describe(index)) both produce '\(PatternText.shown(path))'; let "
              + "'produces' tell them apart, such as by ${{ item.folder }} or ${{ item.extension }} of a file")
        }
      }
    }
    return nil
  }
}

/// The files that a list of items produces.
private struct PathList {
  private var paths: Set<ByteName> = []
  private var lists: [FilePatterns] = []

  init(_ items: some Sequence<[NamedFiles]>) {
    for makes in items {
      let names = makes.map { FilePattern.plainPath($0.pattern) }
      if names.contains(nil) {
        lists.append(FilePatterns(makes.map(\.pattern)))
      } else {
        paths.formUnion(names.lazy.compactMap { $0.map { ByteName($0) } })
      }
    }
  }

  func covers(_ path: String) -> Bool { paths.contains(ByteName(path)) || lists.contains { $0.covers(path) } }
}
