import FlowModel
import FlowPluginKit
import FlowTestKit
import Foundation
import SyncCore
import SyncDevice
import SyncEngine
import Testing

@testable import PomodoroPlugin
@testable import SyncPlugin

/// Records of a schema on real files, used by the actions of a run.
@Suite(.timeLimit(.minutes(10))) struct RecordsTests {
  private static let schema = """
    schema: notes
    collections:
      folders:
        fields:
          name: { type: string, required: true }
      shelves:
        fields:
          folder: { type: reference, to: folders, on-delete: delete }
      notes:
        fields:
          title: { type: string }
          tags: { type: array, items: string, merge: set }
          lines: { type: array, items: string, merge: list }
          likes: { type: integer, merge: counter }
          best: { type: number, merge: largest }
          open: { type: boolean }
          length: { type: duration }
          folder: { type: reference, to: folders, on-delete: clear }
          shelf: { type: reference, to: shelves, on-delete: delete }
      few:
        fields:
          text: { type: string }
        delete: delete-wins
        limit: 2
    """

  private let folder: String

  init() throws {
    folder = NSTemporaryDirectory() + "sync-records-\(UUID().uuidString)"
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    try Self.schema.write(toFile: folder + "/notes.sync.yaml", atomically: true, encoding: .utf8)
  }

  private func connected(_ device: String, schema: String = "notes.sync.yaml") async throws -> TestHost {
    let host = TestHost(dataFolder: folder, workflowFolder: folder, handles: .readingSchemas)
    _ = try await host.call(
      Connect.self, with: ["device": .string(device), "store": "shared.sqlite", "schema": .string(schema)])
    return host
  }

  private func put(
    _ host: TestHost, _ collection: String, _ key: String, _ fields: ValueObject, wait: Bool = true
  ) async throws {
    _ = try await host.call(
      Put.self,
      with: [
        "collection": .string(collection), "key": .string(key), "fields": .object(fields), "wait": .boolean(wait),
      ])
  }

  private func get(_ host: TestHost, _ collection: String, _ key: String) async throws -> ValueObject? {
    try await host.call(Get.self, with: ["collection": .string(collection), "key": .string(key)])["record"]?.objectValue
  }

  private func rows(_ host: TestHost, _ sql: String, _ values: Value = .null) async throws -> [Value] {
    try await host.call(Query.self, with: ["sql": .string(sql), "values": values])["rows"]?.arrayValue ?? []
  }

  private func error(_ body: () async throws -> Void) async -> ActionError? {
    do {
      try await body()
      return nil
    } catch {
      return error as? ActionError
    }
  }

  private func offline(_ hosts: TestHost..., while body: () async throws -> Void) async throws {
    let connections: [Connection] = hosts.compactMap { $0.handle(.syncConnection) }
    for connection in connections { await connection.session.setOnline(false) }
    try await body()
    for connection in connections { await connection.session.setOnline(true) }
    for host in hosts { _ = try await host.call(Flush.self) }
  }

  @Test func `concurrent changes to a record by two devices are merged field by field`() async throws {
    let (mac, phone) = (try await connected("mac"), try await connected("phone"))
    try await put(
      mac, "notes", "a",
      [
        "title": "one", "tags": ["add": ["x", "y"]], "likes": ["add": 1], "best": 2, "open": true, "length": "1m30s",
        "lines": ["insert": [["value": "first"], ["value": "last"]]],
      ])
    #expect(try await get(phone, "notes", "a")?["length"] == "1m30s")
    try await offline(mac, phone) {
      try await put(
        mac, "notes", "a",
        [
          "title": "mac", "tags": ["remove": ["x"]], "likes": ["add": 2], "best": 9.5,
          "lines": ["insert": [["after": .null, "value": "top"]]],
        ],
        wait: false)
      try await put(
        phone, "notes", "a",
        ["tags": ["add": ["x", "z"]], "likes": ["add": 5], "best": 3, "lines": ["insert": [["value": "end"]]]],
        wait: false)
      try await put(phone, "notes", "a", ["open": false], wait: false)
    }
    for host in [mac, phone] {
      let note = try #require(try await get(host, "notes", "a"))
      #expect(note["title"] == "mac")
      // The phone added the value that the mac removed without having seen it.
      #expect(note["tags"] == ["x", "y", "z"])
      #expect(note["likes"] == 8)
      #expect(note["best"] == 9.5)
      #expect(note["open"] == false)
      #expect(note["lines"] == ["top", "first", "last", "end"])
      try host.closeHandles()
    }
  }

  @Test func `sync.put replaces a list, set or counter only with replace: true, and moves list elements by id`()
    async throws
  {
    let mac = try await connected("mac")
    try await put(mac, "notes", "a", ["lines": ["insert": [["value": "a"], ["value": "b"]]], "likes": ["add": 3]])
    let problem = await error { try await put(mac, "notes", "a", ["lines": ["b", "c"]]) }
    #expect(problem?.code == "sync-record")
    #expect(problem?.message.contains("replace: true") == true)
    _ = try await mac.call(
      Put.self,
      with: [
        "collection": "notes", "key": "a", "replace": true,
        "fields": ["lines": ["b", "c", "b"], "likes": 10, "tags": ["t"]],
      ])
    let got = try await mac.call(Get.self, with: ["collection": "notes", "key": "a"])
    #expect(got["record"]?.objectValue?["lines"] == ["b", "c", "b"])
    #expect(got["record"]?.objectValue?["likes"] == 10)
    // The ids of elements are used to insert after an element and to remove one.
    let ids = try #require(got["ids"]?.objectValue?["lines"]?.arrayValue)
    #expect(ids.count == 3)
    try await put(
      mac, "notes", "a", ["lines": ["insert": [["after": ids[0], "value": "new"]], "remove": [ids[2]]]])
    #expect(try await get(mac, "notes", "a")?["lines"] == ["b", "new", "c"])
    // A move keeps the element's id.
    try await put(mac, "notes", "a", ["lines": ["move": ["element": ids[0]]]])
    #expect(try await get(mac, "notes", "a")?["lines"] == ["new", "c", "b"])
    try await put(
      mac, "notes", "a",
      ["lines": ["move": [["element": ids[1], "after": .null], ["element": ids[0], "after": ids[1]]]]])
    #expect(try await get(mac, "notes", "a")?["lines"] == ["c", "b", "new"])
    for (wrong, message): (Value, String) in [
      (["after": ids[0]], "is { element: ID, after: ID }"), (["element": ids[0], "after": ids[0]], "behind itself"),
      (["element": "x"], "is not an element of 'lines'"), ("x", "move of 'lines' is a list"),
      ([1], "is { element: ID, after: ID }"), (["element": ids[0], "to": 1], "'to' is not an operation"),
    ] {
      let problem = await error { try await put(mac, "notes", "a", ["lines": ["move": wrong]]) }
      #expect(problem?.message.contains(message) == true, "\(problem?.message ?? "accepted")")
    }
    try mac.closeHandles()
  }

  @Test func `an edit whose author had not seen a deletion wins or loses, depending on the schema's delete rule`()
    async throws
  {
    let (mac, phone) = (try await connected("mac"), try await connected("phone"))
    for collection in ["notes", "few"] {
      let field = collection == "notes" ? "title" : "text"
      try await put(mac, collection, "a", [field: "one"])
      #expect(try await get(phone, collection, "a") != nil)
      try await offline(mac, phone) {
        _ = try await mac.call(
          Delete.self, with: ["collection": .string(collection), "key": "a", "wait": false])
        try await put(phone, collection, "a", [field: "two"], wait: false)
      }
      for host in [mac, phone] {
        #expect(try await get(host, collection, "a")?[field] == (collection == "notes" ? "two" : nil))
      }
    }
    // A record created again contains nothing from the deleted one.
    try await put(mac, "few", "a", [:])
    #expect(try await get(phone, "few", "a") == ["text": .null])
    for host in [mac, phone] { try host.closeHandles() }
  }

  @Test func `deleting a record clears references to it or hides their records, until it exists again`()
    async throws
  {
    let mac = try await connected("mac")
    try await put(mac, "folders", "f", ["name": "F"])
    try await put(mac, "shelves", "s", ["folder": "f"])
    try await put(mac, "notes", "n", ["folder": "f"])
    try await put(mac, "notes", "m", ["shelf": "s", "folder": "unknown"])
    #expect(try await get(mac, "notes", "m")?["folder"] == "unknown")
    _ = try await mac.call(Delete.self, with: ["collection": "folders", "key": "f"])
    #expect(try await get(mac, "notes", "n")?["folder"] == .null)
    // The shelf is hidden with its folder, and its notes are hidden with the shelf.
    #expect(try await rows(mac, "SELECT _key FROM notes") == [["_key": "n"]])
    #expect(try await rows(mac, "SELECT _key FROM shelves").isEmpty)
    try await put(mac, "folders", "f", ["name": "again"])
    #expect(try await get(mac, "notes", "n")?["folder"] == "f")
    #expect(try await rows(mac, "SELECT count(*) AS n FROM notes") == [["n": 2]])
    try mac.closeHandles()
  }

  @Test func `a query can read only the views of the schema's collections`() async throws {
    let mac = try await connected("mac")
    try await put(mac, "notes", "a", ["title": "one", "likes": ["add": 2]])
    #expect(
      try await rows(mac, "SELECT title, likes FROM notes WHERE _key = :key", ["key": "a"]) == [
        ["title": "one", "likes": 2]
      ])
    #expect(
      try await rows(mac, "WITH n AS (SELECT * FROM notes) SELECT count(*) AS c FROM n WHERE likes > ?", [1]) == [
        ["c": 1]
      ])
    #expect(
      try await rows(mac, "SELECT _by FROM notes").first?.objectValue?["_by"]?.stringValue?.hasPrefix("mac-") == true)
    for (sql, words) in [
      ("SELECT * FROM replica", "'replica' may not be read; there are devices, few, folders, notes, shelves"),
      ("WITH notes AS (SELECT * FROM replica) SELECT * FROM notes", "may not be read"),
      ("SELECT * FROM _notes", "may not be read"), ("SELECT count(*) FROM replica", "may not be read"),
      ("SELECT name FROM sqlite_master", "may not be read"),
      ("DELETE FROM notes", "it is a view"), ("DELETE FROM _notes", "a query only reads"),
      ("PRAGMA user_version = 5", "a query only reads"),
      ("ATTACH 'x' AS x", "a query only reads"), ("SELECT 1; SELECT 2", "one statement"), ("SELEC", "syntax error"),
      ("SELECT title FROM note", "no such table"), ("SELECT :x", "no value is given for ':x'"), ("", "no statement"),
    ] {
      let problem = await error { _ = try await rows(mac, sql) }
      #expect(problem?.code == "sync-query", "\(sql)")
      #expect(problem?.message.contains(words) == true, "\(sql): \(problem?.message ?? "")")
    }
    let endless = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n"
    let late = await error {
      _ = try await mac.call(Query.self, with: ["sql": .string(endless), "timeout": "200ms", "fetch": false])
    }
    #expect(late?.message.contains("took longer than 200 ms") == true)
    try mac.closeHandles()
  }

  @Test func `a transaction is applied completely or not at all`() async throws {
    let (mac, phone) = (try await connected("mac"), try await connected("phone"))
    func transact(_ writes: [Value]) async throws {
      _ = try await mac.call(Transaction.self, with: ["writes": .array(writes)])
    }
    try await transact([
      ["collection": "folders", "key": "f", "fields": ["name": "F"]],
      ["collection": "notes", "key": "a", "fields": ["folder": "f"]],
    ])
    #expect(try await get(phone, "notes", "a")?["folder"] == "f")
    for (writes, words) in [
      (
        [
          ["collection": "folders", "key": "g", "fields": ["name": "G"]],
          ["collection": "notes", "key": "b", "fields": ["titel": "x"]],
        ], "writes[1]: 'notes' has no field 'titel'; did you mean 'title'?"
      ),
      (
        [
          ["collection": "notes", "key": "b", "fields": ["title": "x"]],
          ["collection": "notes", "key": "b", "fields": ["title": "y"]],
        ], "appears twice"
      ),
      ((0...200).map { ["collection": "notes", "key": .string("k\($0)"), "fields": [:]] }, "at most 200"),
      (
        (0..<60).map {
          [
            "collection": "notes", "key": .string("k\($0)"),
            "fields": ["title": .string(String(repeating: "x", count: 10_000))],
          ]
        }, "at most 524288"
      ),
    ] as [([Value], String)] {
      let problem = await error { try await transact(writes) }
      #expect(problem?.message.contains(words) == true, "\(problem?.message ?? "")")
    }
    #expect(try await rows(phone, "SELECT _key FROM notes") == [["_key": "a"]])
    #expect(try await rows(mac, "SELECT _key FROM folders") == [["_key": "f"]])
    // Both devices change the same records concurrently. Both transactions are applied, one after the other.
    try await offline(mac, phone) {
      for (host, text) in [(mac, "mac"), (phone, "phone")] {
        _ = try await host.call(
          Transaction.self,
          with: [
            "wait": false,
            "writes": [
              ["collection": "folders", "key": "f", "fields": ["name": .string(text)]],
              ["collection": "notes", "key": "a", "fields": ["title": .string(text), "likes": ["add": 1]]],
            ],
          ])
      }
    }
    for host in [mac, phone] {
      let note = try #require(try await get(host, "notes", "a"))
      #expect(note["likes"] == 2)
      #expect(try await get(host, "folders", "f")?["name"] == note["title"])
      try host.closeHandles()
    }
  }

  @Test func `deleting a record makes room in a full collection on every device`() async throws {
    let (mac, phone) = (try await connected("mac"), try await connected("phone"))
    for key in ["1", "2"] { try await put(mac, "few", key, ["text": .string(key)]) }
    let full = await error { try await put(mac, "few", "3", ["text": "3"]) }
    #expect(full?.message.contains("'few' has 2 records, which is the limit") == true)
    _ = try await mac.call(Delete.self, with: ["collection": "few", "key": "1"])
    try await put(mac, "few", "3", ["text": "3"])
    _ = try await phone.call(Pull.self)
    _ = try await phone.call(Delete.self, with: ["collection": "few", "key": "3"])
    try await put(phone, "few", "4", ["text": "4"])
    _ = try await mac.call(Pull.self)
    for host in [mac, phone] {
      #expect(await error { try await put(host, "few", "5", ["text": "5"]) } != nil)
      #expect(try await get(host, "few", "4")?["text"] == "4")
      #expect(try await get(host, "few", "2")?["text"] == "2")
      #expect(try await get(host, "few", "3") == nil)
    }
  }

  @Test func `a change that exceeds a limit is refused before it is saved`() async throws {
    let mac = try await connected("mac")
    try await put(mac, "few", "a", ["text": "1"])
    try await put(mac, "few", "b", ["text": "2"])
    let third = await error { try await put(mac, "few", "c", ["text": "3"]) }
    #expect(third?.code == "sync-refused")
    #expect(third?.message.contains("'few' has 2 records") == true)
    let text = String(repeating: "x", count: RecordLimits.valueBytes - 1)
    try await put(mac, "notes", "a", ["title": .string(text)])
    let long = await error { try await put(mac, "notes", "a", ["title": .string(text + "x")]) }
    #expect(long?.message.contains("at most \(RecordLimits.valueBytes) are allowed") == true)
    let missing = await error { try await put(mac, "folders", "f", [:]) }
    #expect(missing?.message.contains("needs 'name'") == true)
    try mac.closeHandles()
    // The next run can read the saved records.
    let again = try await connected("mac")
    #expect(try await get(again, "notes", "a")?["title"]?.stringValue?.utf8.count == text.utf8.count)
    try again.closeHandles()
  }

  @Test func `a zone refuses a different rule for an existing field, and accepts new fields`()
    async throws
  {
    let mac = try await connected("mac")
    try await put(mac, "notes", "a", ["likes": ["add": 1]])
    try mac.closeHandles()
    try Self.schema.replacing("merge: counter", with: "merge: largest")
      .write(toFile: folder + "/other.sync.yaml", atomically: true, encoding: .utf8)
    for device in ["mac", "phone"] {
      let problem = await error {
        let host = try await connected(device, schema: "other.sync.yaml")
        defer { try? host.closeHandles() }
        try await put(host, "notes", "a", ["likes": 5])
      }
      #expect(
        problem?.message.contains("keeps 'likes' of 'notes' as 'integer counter'") == true, "\(problem?.message ?? "")")
    }
    try Self.schema.replacing("      title:", with: "      subtitle: { type: string }\n      title:")
      .write(toFile: folder + "/more.sync.yaml", atomically: true, encoding: .utf8)
    let tablet = try await connected("tablet", schema: "more.sync.yaml")
    try await put(tablet, "notes", "a", ["subtitle": "s", "title": "t"])
    // A device with the older schema preserves fields that are not in its schema.
    let older = try await connected("mac")
    try await put(older, "notes", "a", ["title": "u"])
    let note = try #require(try await get(tablet, "notes", "a"))
    #expect(note["subtitle"] == "s")
    #expect(note["title"] == "u")
    for host in [tablet, older] { try host.closeHandles() }
  }

  @Test func `if two devices open an empty zone with different rules, the second is refused with the difference`()
    async throws
  {
    let other = folder + "/other.sync.yaml"
    try Self.schema.replacing("merge: counter", with: "merge: largest")
      .write(toFile: other, atomically: true, encoding: .utf8)
    // The phone declares its rules and writes under them before it reads the zone.
    let phone = TestHost(dataFolder: folder, workflowFolder: folder, handles: .readingSchemas)
    _ = try await phone.call(
      Connect.self,
      with: ["device": "phone", "server": "http://127.0.0.1:1", "schema": "other.sync.yaml", "wait": "10ms"])
    try await put(phone, "notes", "b", ["likes": 7], wait: false)
    let connection: Connection = try #require(phone.handle(.syncConnection))
    let file = connection.file
    try phone.closeHandles()
    let mac = try await connected("mac")
    try await put(mac, "notes", "a", ["likes": ["add": 1]])
    for attempt in 1...2 {
      let host = TestHost(dataFolder: folder, workflowFolder: folder, handles: .readingSchemas)
      let problem = await error {
        _ = try await host.call(
          Connect.self,
          with: [
            "device": "phone", "store": "shared.sqlite", "schema": "other.sync.yaml", "on-other-store": "merge",
          ])
        try await put(host, "notes", "c", ["likes": 5])
      }
      try host.closeHandles()
      #expect(problem?.code == "sync-schema", "\(attempt): \(problem?.message ?? "")")
      #expect(problem?.message.contains("keeps 'likes' of 'notes' as 'integer counter'") == true)
    }
    // The phone's changes remain parked, and the zone contains none of them.
    let parked = try #require(try await SyncReports.parked(file: file))
    let records = parked.compactMap { $0.value["record"]?.stringValue }
    #expect(records.contains("_schema/notes") && records.contains("notes/b"), "\(records)")
    #expect(try await rows(mac, "SELECT _key, likes FROM notes") == [["_key": "a", "likes": 1]])
    try mac.closeHandles()
  }

  @Test func `a parked transaction stays visible as a whole, and later puts on its records report their own results`()
    async throws
  {
    let (mac, phone) = (try await connected("mac"), try await connected("phone"))
    try await put(mac, "notes", "a", ["likes": ["add": 1]])
    try await put(phone, "notes", "a", ["likes": ["add": 1]])
    // The collection allows two records. The phone fills it while the mac is offline.
    let connection: Connection = try #require(mac.handle(.syncConnection))
    await connection.session.setOnline(false)
    let writes: Value = [
      ["collection": "few", "key": "x", "fields": ["text": "mac"]],
      ["collection": "notes", "key": "a", "fields": ["likes": ["add": 10]]],
    ]
    _ = try await mac.call(Transaction.self, with: ["writes": writes, "wait": false])
    for key in ["1", "2"] { try await put(phone, "few", key, ["text": "phone"]) }
    await connection.session.setOnline(true)
    #expect(await connection.session.wait(milliseconds: 60_000) { $0.status(atMilliseconds: 0).parked.count == 2 })
    // A new transaction reports that it is parked.
    let refused = await error { _ = try await mac.call(Transaction.self, with: ["writes": writes]) }
    #expect(refused?.code == "sync-parked", "\(refused?.message ?? "")")
    // Later puts on the same record are acknowledged.
    for _ in 1...2 {
      let output = try await mac.call(
        Put.self, with: ["collection": "notes", "key": "a", "fields": ["likes": ["add": 100]]])
      #expect(output["acknowledged"] == true)
    }
    #expect(try await get(phone, "notes", "a")?["likes"] == 202)
    // Both writes of the parked transaction are still visible on the mac.
    #expect(try await get(mac, "few", "x")?["text"] == "mac")
    #expect(try await get(mac, "notes", "a")?["likes"] == 222)
    // Flushing still reports the parked change.
    #expect(await error { _ = try await mac.call(Flush.self) }?.code == "sync-parked")
    for host in [mac, phone] { try host.closeHandles() }
  }

  @Test func `changes that are unsent at the end of a run are sent before the connection closes`() async throws {
    let (mac, phone) = (try await connected("mac"), try await connected("phone"))
    for number in 1...5 {
      try await put(mac, "notes", "n\(number)", ["likes": ["add": 1]], wait: false)
    }
    let connection: Connection = try #require(mac.handle(.syncConnection))
    try connection.close(handingOverFor: 20_000)
    #expect(try await SyncReports.status(file: connection.file)?.value["outbox"]?.objectValue?["depth"] == 0)
    #expect(try await rows(phone, "SELECT count(*) AS n FROM notes") == [["n": 5]])
    try phone.closeHandles()
  }

  @Test func `connect counts a workflow's waiting changes, but not the device's own description`() async throws {
    func connect() async throws -> (TestHost, Value?) {
      let host = TestHost(dataFolder: folder, workflowFolder: folder, handles: .readingSchemas)
      let output = try await host.call(
        Connect.self,
        with: ["device": "away", "server": "http://127.0.0.1:1", "schema": "notes.sync.yaml", "wait": "10ms"])
      return (host, output["waiting"])
    }
    let (first, none) = try await connect()
    #expect(none == 0)
    try first.closeHandles()
    // The device's own record and the rules of its schema are still unsent.
    let (second, still) = try await connect()
    #expect(still == 0)
    try await put(second, "notes", "a", ["title": "t"], wait: false)
    let connection: Connection = try #require(second.handle(.syncConnection))
    #expect(await connection.session.status().outboxDepth > 1)
    try second.closeHandles()
    let (third, one) = try await connect()
    #expect(one == 1)
    try third.closeHandles()
  }

  @Test func `the status finds the file of a device under any file name`() async throws {
    let host = TestHost(dataFolder: folder, workflowFolder: folder, handles: .readingSchemas)
    _ = try await host.call(
      Connect.self, with: ["device": "mac pro", "store": "shared.sqlite", "file": "dev.sqlite"])
    try host.closeHandles()
    try await connected("phone").closeHandles()
    let (named, usual) = (folder + "/dev.sqlite", folder + "/sync-phone.sqlite")
    #expect(SyncReports.files(in: folder, device: nil) == [named, usual])
    #expect(SyncReports.files(in: folder, device: "mac pro") == [named])
    #expect(SyncReports.files(in: folder, device: "phone") == [usual])
    #expect(SyncReports.files(in: folder, device: "tablet").isEmpty)
    #expect(SyncReports.files(in: named, device: nil) == [named])
    #expect(SyncReports.files(in: folder + "/shared.sqlite", device: nil).isEmpty)
    #expect(try await SyncReports.status(file: named)?.text.contains("device     mac-pro-") == true)
  }

  @Test func `watching posts an event and logs a line with the old and new values for each change`() async throws {
    let (mac, phone) = (try await connected("mac"), try await connected("phone"))
    let watching = Task { try await phone.call(Watch.self, with: ["collection": "notes"]) }
    _ = await phone.readied()
    try await put(mac, "notes", "a", ["title": "one"])
    try await put(mac, "folders", "f", ["name": "F"])
    try await put(mac, "notes", "a", ["title": "two"])
    let connection: Connection = try #require(phone.handle(.syncConnection))
    _ = await connection.session.wait(milliseconds: 5000) { machine in
      machine.view(of: .init(type: "notes", name: "a")).fields.first?.value == Scalar.text("two").bytes
    }
    // Requests are answered in order, so this one waits for the earlier ones.
    await connection.session.foreground()
    try phone.closeHandles()
    _ = try await watching.value
    let changes = phone.logs.compactMap { try? JSONText.parse(Array($0.utf8)).objectValue }
    #expect(changes.allSatisfy { $0["collection"] == "notes" && $0["isRemote"] == true })
    #expect(changes.last?["new"]?.objectValue?["title"] == "two")
    #expect(changes.first?["old"] == .null)
    #expect(phone.posts.filter { $0 == "sync.record-changed" }.count == changes.count)
    try mac.closeHandles()
  }

  @Test func `a missing schema causes an error with advice, and errors in a schema have a location`()
    async throws
  {
    let host = TestHost(dataFolder: folder, workflowFolder: folder, handles: .readingSchemas)
    _ = try await host.call(Connect.self, with: ["device": "plain", "store": "shared.sqlite"])
    let none = await error { try await put(host, "notes", "a", [:]) }
    #expect(none?.code == "sync-schema")
    #expect(none?.message.contains("schema: notes.sync.yaml") == true)
    try host.closeHandles()
    try "schema: x\ncollections: { notes: { fields: { a: { type: strin } } } }"
      .write(toFile: folder + "/wrong.sync.yaml", atomically: true, encoding: .utf8)
    let wrong = await error { _ = try await connected("mac", schema: "wrong.sync.yaml") }
    #expect(wrong?.message.contains("did you mean 'string'?") == true)
    #expect(wrong?.message.contains("wrong.sync.yaml:2:") == true)
    let missing = await error { _ = try await connected("mac", schema: "missing.sync.yaml") }
    #expect(missing?.message.contains("cannot be read") == true)
  }
}
