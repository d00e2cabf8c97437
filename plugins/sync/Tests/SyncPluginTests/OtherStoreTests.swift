import FlowModel
import FlowPluginKit
import FlowTestKit
import Foundation
import SyncEngine
import SyncDevice
import SyncYAML
import Testing

@testable import SyncPlugin

/// A device that is connected to another person's store.
@Suite(.timeLimit(.minutes(10))) struct OtherStoreTests {
  private let folder: String

  init() throws {
    folder = NSTemporaryDirectory() + "sync-stores-\(UUID().uuidString)"
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    try "schema: n\ncollections: { notes: { fields: { title: { type: string } } } }"
      .write(toFile: folder + "/n.sync.yaml", atomically: true, encoding: .utf8)
  }

  private func connected(
    _ device: String, _ place: ValueObject, _ mode: Value = .null,
    _ plugin: SyncPlugin = SyncPlugin(reader: YAMLSchemas())
  ) async throws -> TestHost {
    let handles = Dictionary(uniqueKeysWithValues: plugin.handles.map { ($0.key, $0.handle) })
    let host = TestHost(dataFolder: folder, workflowFolder: folder, handles: handles)
    var with: ValueObject = ["device": .string(device), "schema": "n.sync.yaml"]
    for (key, value) in place.members { with[key] = value }
    if mode != .null { with["on-other-store"] = mode }
    _ = try await host.call(Connect.self, with: with)
    return host
  }

  private func put(_ host: TestHost, _ key: String, wait: Bool = true) async throws {
    _ = try await host.call(
      Put.self,
      with: ["collection": "notes", "key": .string(key), "fields": ["title": .string(key)], "wait": .boolean(wait)])
  }

  private func keys(_ host: TestHost, fetch: Bool = true) async throws -> [String] {
    let rows = try await host.call(
      Query.self, with: ["sql": "SELECT _key FROM notes ORDER BY _key", "fetch": .boolean(fetch), "timeout": "1m"])
    return rows["rows"]?.arrayValue?.compactMap { $0.objectValue?["_key"]?.stringValue } ?? []
  }

  private func failure(_ body: () async throws -> Void) async -> ActionError? {
    do {
      try await body()
      return nil
    } catch {
      return error as? ActionError
    }
  }

  /// Creates a note on Ada's phone in her store, and one on Bob's Mac in his.
  private func prepare() async throws {
    for (device, store) in [("phone", "ada"), ("mac", "bob")] {
      let host = try await connected(device, ["store": .string(store + ".sqlite")])
      try await put(host, store)
      try host.closeHandles()
    }
  }

  private func notes(of store: String) async throws -> [String] {
    let host = try await connected(
      "reader-\(store)-\(UUID().uuidString.prefix(8))", ["store": .string(store + ".sqlite")])
    defer { try? host.closeHandles() }
    return try await keys(host)
  }

  @Test func `a device that connects to another store is refused, and neither store receives data of the other`()
    async throws
  {
    try await prepare()
    let error = await failure { _ = try await connected("phone", ["store": "bob.sqlite"]) }
    #expect(error?.code == "sync-other-store")
    #expect(error?.message.contains("belongs to another store") == true)
    #expect(error?.message.contains("on-other-store: keep-apart") == true)
    #expect(error?.message.contains("on-other-store: merge") == true)
    #expect(try await notes(of: "bob") == ["bob"])
    let back = try await connected("phone", ["store": "ada.sqlite"])
    #expect(try await keys(back) == ["ada"])
    try back.closeHandles()
  }

  @Test func `with keep-apart, the device has a file per store, and finds its data when it returns to a store`()
    async throws
  {
    try await prepare()
    for (store, note) in [("bob", "of-phone"), ("ada", "more"), ("bob", "again")] {
      let host = try await connected("phone", ["store": .string(store + ".sqlite")], "keep-apart")
      try await put(host, note)
      try host.closeHandles()
    }
    #expect(try await notes(of: "ada") == ["ada", "more"])
    #expect(try await notes(of: "bob") == ["again", "bob", "of-phone"])
    let files = SyncReports.files(in: folder, device: "phone").map { ($0 as NSString).lastPathComponent }
    #expect(files == ["sync-phone.sqlite", "sync-phone~2.sqlite"])
  }

  @Test func `with keep-apart, the device finds the file of a store even if another file was removed`()
    async throws
  {
    try await prepare()
    for store in ["bob", "cleo"] {
      let host = try await connected("phone", ["store": .string(store + ".sqlite")], "keep-apart")
      try await put(host, "of-phone")
      try host.closeHandles()
    }
    try FileManager.default.removeItem(atPath: folder + "/sync-phone~2.sqlite")
    let host = try await connected("phone", ["store": "cleo.sqlite"], "keep-apart")
    #expect(try await keys(host) == ["of-phone"])
    try host.closeHandles()
    let files = SyncReports.files(in: folder, device: "phone").map { ($0 as NSString).lastPathComponent }
    #expect(files == ["sync-phone.sqlite", "sync-phone~3.sqlite"])
  }

  @Test func `an account that is too long is refused before anything is written`() async throws {
    let long = String(repeating: "a", count: 4097)
    let error = await failure {
      _ = try await connected("phone", ["store": "ada.sqlite", "account": .string(long)])
    }
    #expect(error?.code == "sync-input" && error?.message.contains("'account' has 4097 bytes") == true)
    #expect(!FileManager.default.fileExists(atPath: folder + "/sync-phone.sqlite"))
  }

  @Test func `a device refuses a different store at the same address and suggests remedies`() async throws {
    try await prepare()
    try FileManager.default.removeItem(atPath: folder + "/ada.sqlite")
    try FileManager.default.moveItem(atPath: folder + "/bob.sqlite", toPath: folder + "/ada.sqlite")
    // The address is known, so the step detects the other store either before or after the connection is made.
    for _ in 0..<2 {
      let error = await failure {
        let host = try await connected("phone", ["store": "ada.sqlite"])
        defer { try? host.closeHandles() }
        _ = try await keys(host)
      }
      #expect(error?.code == "sync-other-store")
      #expect(error?.message.contains("on-other-store: keep-apart") == true, "\(error?.message ?? "")")
      #expect(error?.message.contains("on-other-store: merge") == true)
    }
  }

  @Test func `with keep-apart, a run switches to a second file if another store answers at a known address`()
    async throws
  {
    let (cloud, plugin) = cloud()
    let place: ValueObject = ["server": "https://home", "wait": "1m"]
    let first = try await connected("phone", place, "keep-apart", plugin)
    try await put(first, "ada")
    try first.closeHandles()
    cloud.replaceStore(at: "https://home")
    let other = try await connected("phone", place, "keep-apart", plugin)
    #expect(try await keys(other, fetch: false) == [])
    try await put(other, "bob")
    #expect(try await keys(other) == ["bob"])
    try other.closeHandles()
    let names = SyncReports.files(in: folder, device: "phone").map { ($0 as NSString).lastPathComponent }
    #expect(names == ["sync-phone.sqlite", "sync-phone~2.sqlite"])
  }

  @Test(arguments: ["fail", "keep-apart"])
  func `after another store has answered, a connection neither shows nor changes data of the first store`(
    mode: String
  ) async throws {
    let (cloud, plugin) = cloud()
    let place: ValueObject = ["server": "https://home", "wait": "1m"]
    let first = try await connected("phone", place, .string(mode), plugin)
    try await put(first, "ada")
    try first.closeHandles()
    cloud.isOffline = true
    // Without a network, the data of the store that this address had last is shown.
    let late = try await connected("phone", place, .string(mode), plugin)
    #expect(try await keys(late, fetch: false) == ["ada"])
    cloud.replaceStore(at: "https://home")
    cloud.isOffline = false
    let remedy = mode == "fail" ? "'on-other-store: keep-apart' opens" : "connect again to use the file of that store"
    let attempts: [(String, () async throws -> Void)] = [
      ("fetch", { _ = try await keys(late) }), ("read", { _ = try await keys(late, fetch: false) }),
      ("get", { _ = try await late.call(Get.self, with: ["collection": "notes", "key": "ada", "fetch": false]) }),
      ("write", { try await put(late, "new", wait: false) }),
      (
        "delete",
        { _ = try await late.call(Delete.self, with: ["collection": "notes", "key": "ada", "wait": false]) }
      ),
    ]
    for (name, attempt) in attempts {
      let error = await failure(attempt)
      #expect(error?.code == "sync-other-store", "\(name)")
      #expect(error?.message.contains(remedy) == true, "\(name): \(error?.message ?? "")")
    }
    try late.closeHandles()
    if mode == "keep-apart" {
      let next = try await connected("phone", place, .string(mode), plugin)
      #expect(try await keys(next) == [])
      try next.closeHandles()
    }
  }

  @Test func `with merge, the device and the other store have the data of both stores`() async throws {
    try await prepare()
    let host = try await connected("phone", ["store": "bob.sqlite"], "merge")
    _ = try await host.call(Flush.self)
    #expect(try await keys(host) == ["ada", "bob"])
    try host.closeHandles()
    #expect(try await notes(of: "bob") == ["ada", "bob"])
  }

  @Test func `a copied store is recognized as the same store`() async throws {
    try await prepare()
    let copy = folder + "/elsewhere.sqlite"
    try FileManager.default.copyItem(atPath: folder + "/ada.sqlite", toPath: copy)
    let host = try await connected("phone", ["store": "elsewhere.sqlite"])
    #expect(try await keys(host) == ["ada"])
    try host.closeHandles()
  }

  /// Returns a network that can be switched off, and a plugin that connects to its stores.
  private func cloud() -> (Cloud, SyncPlugin) {
    let cloud = Cloud()
    return (cloud, SyncPlugin(reader: YAMLSchemas()) { address in Offline(cloud: cloud, address: address) })
  }

  @Test func `with keep-apart, a device that connects to a new address while offline starts with an empty file`()
    async throws
  {
    let (cloud, plugin) = cloud()
    let (ada, bob): (ValueObject, ValueObject) = (
      ["server": "https://ada"], ["server": "https://bob", "wait": "200ms"]
    )
    let first = try await connected("phone", ada, "keep-apart", plugin)
    try await put(first, "ada")
    try first.closeHandles()
    cloud.isOffline = true
    let refused = await failure { _ = try await connected("phone", bob, "fail", plugin) }
    #expect(refused?.code == "sync-other-store")
    let offline = try await connected("phone", bob, "keep-apart", plugin)
    let rows = try await offline.call(Query.self, with: ["sql": "SELECT _key FROM notes", "fetch": false])
    #expect(rows["rows"] == [])
    try await put(offline, "bob", wait: false)
    try offline.closeHandles()
    cloud.isOffline = false
    let joined = try await connected("phone", bob, "keep-apart", plugin)
    _ = try await joined.call(Flush.self)
    #expect(try await keys(joined) == ["bob"])
    try joined.closeHandles()
    let back = try await connected("phone", ada, "keep-apart", plugin)
    #expect(try await keys(back) == ["ada"])
    try back.closeHandles()
  }

  @Test func `the status includes the identity and the address of the store`() async throws {
    try await prepare()
    let report = try #require(try await SyncReports.status(file: folder + "/sync-phone.sqlite"))
    let store = try #require(report.value["store"]?.objectValue)
    #expect(store["identity"]?.stringValue?.count == 32)
    #expect(store["address"] == .string(folder + "/ada.sqlite"))
    #expect(report.text.contains("store      \(store["identity"]?.stringValue ?? "?") at \(folder)/ada.sqlite"))
  }
}
