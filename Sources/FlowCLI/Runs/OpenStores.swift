import FlowCommandKit
import FlowStore
import Synchronization

/// The open stores of this process. They are closed when the process ends, which merges their write-ahead logs.
final class OpenStores: Sendable {
  static let shared: OpenStores = {
    let stores = OpenStores()
    ExitStatus.whenEnding { stores.closeAll() }
    return stores
  }()

  private struct WeakStore {
    weak var store: (any FileRunStore)?
  }

  private let entries = Mutex<[WeakStore]>([])

  func add(_ store: any FileRunStore) {
    entries.withLock { entries in
      entries.removeAll { $0.store == nil }
      entries.append(WeakStore(store: store))
    }
  }

  private func closeAll() {
    for entry in entries.withLock({ $0 }) { entry.store?.close() }
  }
}
