import FlowPlatform
import SyncCore
import SyncEngine
import SyncSQLite

// A device that keeps the data of several stores apart has a separate file for each store: `sync-mac.sqlite`,
// `sync-mac~2.sqlite` and so on.
extension DeviceFile {
  /// Returns the file with the data of the store last found at a location, or nil if there is none.
  package static func path(of base: String, at place: StorePlace) -> String? {
    let all = bindings(base)
    if let met = all.last(where: { $0.binding.belongs(at: place) }) { return met.path }
    guard let store = all.compactMap({ $0.binding.store(at: place) }).last else { return nil }
    return path(of: base, in: store)
  }

  /// Returns the file with the data of a store, or nil if there is none.
  package static func path(of base: String, in store: StoreIdentity) -> String? {
    bindings(base).first { $0.binding.store == store }?.path
  }

  /// Returns the path for a new file, next to the files of other stores.
  package static func newPath(of base: String) -> String {
    var number = 2
    while FilePath.exists(path(base, number)) { number += 1 }
    return path(base, number)
  }

  private static func bindings(_ base: String) -> [(path: String, binding: StoreBinding)] {
    ([base] + numbers(base).map { path(base, $0) }).compactMap { path in
      guard FilePath.exists(path) else { return nil }
      return SQLiteReplicaStore.binding(of: path).map { (path, $0) }
    }
  }

  /// Returns the numbers of the files of other stores in ascending order. There are gaps if files were removed.
  private static func numbers(_ base: String) -> [Int] {
    let names = FilePath.names(in: FilePath.folder(of: FilePath.absolute(base))) ?? []
    let file = FilePath.parts(of: base).last.map { String($0) } ?? base
    return names.compactMap { name in
      guard let mark = name.lastIndex(of: "~") else { return nil }
      let digits = name[name.index(after: mark)...].prefix { $0.isASCII && $0.isNumber }
      guard let number = Int(digits), number > 1, path(file, number) == name else { return nil }
      return number
    }.sorted()
  }

  private static func path(_ base: String, _ number: Int) -> String {
    let suffix = ".sqlite"
    guard base.hasSuffix(suffix) else { return "\(base)~\(number)" }
    return "\(base.dropLast(suffix.count))~\(number)\(suffix)"
  }
}
