import FlowModel
import FlowPluginKit
import FlowTestKit
import Foundation
import SyncEngine
import SyncDevice
import Testing

@testable import SyncPlugin

/// Devices that subscribe to a part of a zone, on real files.
@Suite(.timeLimit(.minutes(10))) struct SubscribeTests {
  private static let schema = """
    schema: notes
    collections:
      folders:
        fields:
          name: { type: string }
      notes:
        fields:
          title: { type: string }
          likes: { type: integer, merge: counter }
          stars: { type: integer }
          kind: { type: string, enum: [short, long] }
          folder: { type: reference, to: folders, on-delete: clear }
    """
  private let folder: String

  init() throws {
    folder = NSTemporaryDirectory() + "sync-part-\(UUID().uuidString)"
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    try Self.schema.write(toFile: folder + "/notes.sync.yaml", atomically: true, encoding: .utf8)
  }

  private func connected(
    _ device: String, _ subscribe: Value = .null, schema: Value = "notes.sync.yaml"
  ) async throws -> TestHost {
    let host = TestHost(dataFolder: folder, workflowFolder: folder, handles: .readingSchemas)
    _ = try await host.call(
      Connect.self,
      with: ["device": .string(device), "store": "shared.sqlite", "schema": schema, "subscribe": subscribe])
    return host
  }

  private func put(_ host: TestHost, _ collection: String, _ key: String, _ fields: ValueObject) async throws {
    _ = try await host.call(
      Put.self, with: ["collection": .string(collection), "key": .string(key), "fields": .object(fields)])
  }

  private func keys(_ host: TestHost) async throws -> [Value] {
    let rows = try await host.call(Query.self, with: ["sql": "SELECT _key FROM notes ORDER BY _key"])["rows"]
    return rows?.arrayValue?.compactMap { $0.objectValue?["_key"] } ?? []
  }

  private func message(_ body: () async throws -> Void) async -> String {
    do {
      try await body()
      return "no error"
    } catch {
      return (error as? ActionError).map { "\($0.code): \($0.message)" } ?? "\(error)"
    }
  }

  @Test func `a device has a record only while the record belongs to its subscription`() async throws {
    let mac = try await connected("mac")
    try await put(mac, "folders", "inbox", ["name": "Inbox"])
    try await put(mac, "notes", "a", ["title": "one", "folder": "inbox"])
    try await put(mac, "notes", "b", ["title": "two", "folder": "attic"])
    let phone = try await connected("phone", ["notes": ["folder": "inbox"]])
    #expect(try await keys(phone) == ["a"])
    try await put(mac, "notes", "a", ["folder": "attic"])
    try await put(mac, "notes", "b", ["folder": "inbox"])
    #expect(try await keys(phone) == ["b"])
    try await put(phone, "notes", "b", ["folder": "attic"])
    #expect(try await keys(phone) == [])
    #expect(try await keys(mac) == ["a", "b"])
  }

  @Test func `a reference to an unsubscribed record always shows its key, even if the record is deleted`() async throws
  {
    let (mac, phone) = (try await connected("mac"), try await connected("phone", ["notes": [:]]))
    try await put(mac, "folders", "inbox", ["name": "Inbox"])
    try await put(mac, "notes", "a", ["title": "one", "folder": "inbox"])
    _ = try await mac.call(Delete.self, with: ["collection": "folders", "key": "inbox"])
    func folderOfA(_ host: TestHost) async throws -> Value? {
      try await host.call(Get.self, with: ["collection": "notes", "key": "a"])["record"]?.objectValue?["folder"]
    }
    #expect(try await folderOfA(mac) == .null)
    #expect(try await folderOfA(phone) == "inbox")
  }

  @Test func `unsubscribed records can be written, but reading them causes an error that explains why`() async throws {
    let (mac, phone) = (try await connected("mac"), try await connected("phone", ["notes": ["folder": "inbox"]]))
    _ = try await phone.call(
      Transaction.self,
      with: [
        "writes": [
          ["collection": "folders", "key": "inbox", "fields": ["name": "Inbox"]],
          ["collection": "notes", "key": "a", "fields": ["title": "one", "folder": "inbox"]],
          ["collection": "notes", "key": "b", "fields": ["title": "two", "folder": "attic"]],
        ]
      ])
    #expect(try await keys(phone) == ["a"])
    let get = try await mac.call(Get.self, with: ["collection": "folders", "key": "inbox"])
    #expect(get["record"] == ["name": "Inbox"])
    let sentence =
      "sync-record: this device has no records of 'folders': it is not in 'subscribe' of sync.connect; add 'folders: {}' there to read it"
    #expect(
      await message { _ = try await phone.call(Get.self, with: ["collection": "folders", "key": "inbox"]) } == sentence)
    #expect(
      await message { _ = try await phone.call(Delete.self, with: ["collection": "folders", "key": "inbox"]) }
        == sentence)
    #expect(await message { _ = try await phone.call(Watch.self, with: ["collection": "folders"]) } == sentence)
    #expect(
      await message { _ = try await phone.call(Query.self, with: ["sql": "SELECT name FROM folders"]) } == sentence)
  }

  @Test(
    arguments: [
      (["note": [:]], "the schema 'notes' has no collection 'note'; did you mean 'notes'?"),
      (["notes": ["foldr": "x"]], "'notes' has no field 'foldr'; did you mean 'folder'?"),
      (
        ["notes": ["likes": 1]],
        "'likes' of 'notes' is merged by counter, and only fields merged by newest can be asked for; there are title, stars, kind, folder"
      ),
      (["notes": ["stars": "many"]], "'stars' takes a whole number of at most 53 bits, found the string \"many\""),
      (["notes": ["kind": "shrt"]], "'kind' cannot be 'shrt'; did you mean 'short'?"),
      (
        ["notes": "inbox"],
        "'notes' takes a mapping from field to value such as { folder: inbox }, or {} for all records, found the string \"inbox\""
      ),
      ([:], "it names no collection; leave it out to have all records"),
    ] as [(Value, String)])
  func `a subscription that does not match the schema is refused, and the error lists the valid names`(
    _ subscribe: Value, _ sentence: String
  ) async throws {
    #expect(
      await message { _ = try await connected("mac", subscribe) } == "sync-input: 'subscribe': \(sentence)")
  }

  @Test func `a subscription requires a schema, and a device with a subscription cannot retire others`() async throws {
    #expect(
      await message { _ = try await connected("mac", ["notes": [:]], schema: .null) }
        == "sync-input: 'subscribe' needs a 'schema', the file that names the collections")
    let phone = try await connected("phone", ["notes": [:]])
    let connection: Connection? = phone.handle(.syncConnection)
    #expect(await message { _ = try await connection?.retire("mac") }.contains("holds a part of the zone"))
  }
}
