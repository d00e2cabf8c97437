import FlowModel
import FlowStore
import FlowPlatform
import Synchronization

/// The records of the last success of each item of a step, by the item's key.
///
/// The data folder contains one file for each step. Each success appends a record with a checksum, and the last record
/// of an item counts. Incomplete records, which a crash or a full disk leaves, are skipped.
final class ItemStamps: Sendable {
  private struct State {
    var stamps: [UInt64: StepStamp] = [:]
    /// The number of records in the file.
    var records = 0
    /// The expected length of the file, provided that only this process writes to it.
    var bytes = 0
    /// The open file, or -1 before the first write.
    var file: CInt = -1
  }

  /// The number by which the records may exceed twice the number of items before the file is rewritten.
  static let spareRecords = 1000

  let path: String
  private let state: Mutex<State>

  /// - Parameter reads: False to start without records, because only the path or ``write(_:)`` is used.
  init(of step: StepID, in dataFolder: String, reads: Bool) {
    path = StepStamp.path(of: step, in: dataFolder, suffix: "items")
    var state = State()
    if reads, let bytes = StepStamp.read(path) {
      state.bytes = bytes.count
      Self.read(bytes, into: &state)
    }
    self.state = Mutex(state)
  }

  deinit { state.withLock { if $0.file >= 0 { close($0.file) } } }

  /// The last record of an item, or nil if it has none.
  subscript(item: UInt64) -> StepStamp? { state.withLock { $0.stamps[item] } }

  /// The state of the file, or nil if the file cannot be read or another process has written to it.
  var fileState: FileState? {
    var status = stat()
    guard stat(path, &status) == 0, let now = FileState(ofRegular: status) else { return nil }
    return state.withLock { $0.bytes == now.bytes } ? now : nil
  }

  /// Appends records. Returns an error message if that failed, otherwise nil.
  func write(_ stamps: [(item: UInt64, stamp: StepStamp)]) -> String? {
    guard !stamps.isEmpty else { return nil }
    var bytes: [UInt8] = []
    for (item, stamp) in stamps { stamp.write(of: item, to: &bytes) }
    return state.withLock { state in
      if state.file < 0 {
        if let problem = StepStamp.makeFolder(of: path) { return problem }
        state.file = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0o600)
      }
      // All records are written in a single call, so that those of other processes are not mixed with them.
      guard state.file >= 0, bytes.withUnsafeBytes({ SystemCall.write(state.file, $0) }) == bytes.count else {
        return "\(path): \(String(cString: strerror(errno)))"
      }
      for (item, stamp) in stamps { state.stamps[item] = stamp }
      state.records += stamps.count
      state.bytes += bytes.count
      return nil
    }
  }

  /// Returns the last products of all items that are not in `items`, except files that items in `items` have produced
  /// too.
  func products(ofItemsExcept items: Set<UInt64>) -> [InputStamp] {
    state.withLock { state in
      let others = state.stamps.filter {
        !items.contains($0.key) && !$0.value.isOfFailure && !$0.value.products.isEmpty
      }
      if others.isEmpty { return [] }
      var current: Set<ByteName> = []
      for item in items { current.formUnion((state.stamps[item]?.products ?? []).lazy.map { ByteName($0.path) }) }
      var products: [ByteName: InputStamp] = [:]
      for product in others.values.flatMap(\.products) where product.bytes >= 0 {
        // If several items have produced the same file, the newest version counts.
        let name = ByteName(product.path)
        if !current.contains(name), products[name].map({ $0.changedNanoseconds < product.changedNanoseconds }) ?? true {
          products[name] = product
        }
      }
      return products.sorted { $0.key < $1.key }.map(\.value)
    }
  }

  /// Rewrites the file if most of its records are not needed. For items that are no longer in the list, it keeps the
  /// records whose files exist and, up to a limit, others.
  func tidy(keeping items: Set<UInt64>, in folder: String) {
    state.withLock { state in
      var others = state.stamps.keys.filter { !items.contains($0) }
      if others.count > items.count + Self.spareRecords {
        let folder = OpenFolder(folder)
        others.removeAll { item in
          state.stamps[item]?.products.contains { folder.status(of: $0.path) != nil } == true
        }
      }
      if others.count > items.count + Self.spareRecords { for item in others { state.stamps[item] = nil } }
      guard state.records > 2 * state.stamps.count + Self.spareRecords else { return }
      var bytes: [UInt8] = []
      for (item, stamp) in state.stamps { stamp.write(of: item, to: &bytes) }
      guard StepStamp.replace(path, with: bytes) == nil else { return }
      (state.records, state.bytes) = (state.stamps.count, bytes.count)
      if state.file >= 0 { close(state.file) }
      state.file = -1
    }
  }

  private static func read(_ bytes: [UInt8], into state: inout State) {
    StepStamp.forEachRecord(in: bytes) { item, stamp in
      state.stamps[item] = stamp
      state.records += 1
    }
  }
}
