import FlowModel
import FlowPlatform
import FlowPluginKit

/// What the items of a step read and make, to tell which of them need not run.
struct ItemChecks: Sendable {
  /// What is known of an item under the lock, where nothing of it is worked out.
  struct Item: Sendable {
    /// What tells it from others, wherever it is in the list.
    var key: UInt64
    var reads: [String]
    var makes: [String]
    /// Its inputs and variables, evaluated, where they are not those of all items.
    var given: [ValueObject]
  }

  /// What messages call the step.
  var step: String
  /// Where the items' successes are written down.
  var stamps: ItemStamps
  /// A digest of what the workflow says of the step.
  var definition: String
  /// The inputs and variables that all items have.
  var common: [ValueObject]
  /// By their indices; nil: it does not run, or its inputs cannot be made.
  var items: [Item?] = []
  var folder: String
  var isForced: Bool
  var mask: SecretMask?
  /// A digest of each item's inputs and variables.
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

  /// The check of an item; nil: it has none.
  func check(_ index: Int) -> UpToDateCheck? {
    guard let item = items[index] else { return nil }
    return UpToDateCheck(
      "\(step)[\(index)]", .known(definition: definition, values: values[index]),
      StepFiles(reads: item.reads, makes: item.makes, folder: folder), at: .item(item.key, stamps),
      isForced: isForced, mask: mask)
  }

  /// Looks at all items. Reads files; not for the run's lock.
  mutating func findings() -> (findings: [Int: UpToDateCheck.Finding], problem: String?) {
    digestValues()
    var findings: [Int: UpToDateCheck.Finding] = [:]
    findings.reserveCapacity(items.count)
    var renewed: [(item: UInt64, stamp: StepStamp)] = []
    var memo = FileMemo()
    for index in items.indices {
      guard let check = check(index), let key = items[index]?.key else { continue }
      let (finding, stamp) = check.look(&memo)
      findings[index] = finding
      if let stamp { renewed.append((key, stamp)) }
    }
    let problem = stamps.write(renewed)
    stamps.tidy(keeping: Set(items.compactMap { $0?.key }))
    return (findings, problem)
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
      for path in item.reads { digest.combine(Array(path.utf8) + [0]) }
      digest.combine([1])
      for path in item.makes { digest.combine(Array(path.utf8) + [0]) }
      return digest.finish()
    }
  }

  /// Why the items cannot run: two of them make the same file.
  func collision(_ describe: (Int) -> String) -> StepFailure? {
    var makers: [String: Int] = [:]
    makers.reserveCapacity(items.count)
    for (index, item) in items.enumerated() {
      for pattern in item?.makes ?? [] {
        let path = FilePattern.plainPath(pattern) ?? FilePattern(pattern).normalized
        let first = makers.updateValue(index, forKey: path)
        guard let first, first != index else { continue }
        return StepFailure(
          code: "same-product",
          message: "\(describe(first)) and \(describe(index)) both produce '\(path)'; let 'produces' tell them apart, "
            + "such as by ${{ item.folder }} or ${{ item.extension }} of a file")
      }
    }
    return nil
  }
}
