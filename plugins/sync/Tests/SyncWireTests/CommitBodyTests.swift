import SyncCore
import SyncEngine
import SyncWire
import Testing

/// The body of a commit request.
struct CommitBodyTests {
  private static let note = RecordKey(type: "notes", name: "a")

  @Test(arguments: [nil, Cursor(generation: 5, sequence: 9, tag: 11)] as [Cursor?])
  func `a commit body contains the operations and the furthest cursor of the device, if any`(heard: Cursor?) throws {
    let operations = [
      RecordOperation(key: Self.note, expectedVersion: 3, change: .retire(DeviceID(stem: "x", random: 1)), group: 7),
      RecordOperation(
        key: Self.note, expectedVersion: 4,
        change: .write(Write(dot: Dot(device: DeviceID(stem: "x", random: 1), number: 1), milliseconds: 5)), group: 0),
      RecordOperation(key: Self.note, expectedVersion: 5, change: .join(Cell())),
    ]
    let read = try Wire.commit(Wire.body(of: operations, heard: heard))
    #expect(read.operations == operations && read.heard == heard)
  }

  @Test(
    arguments: [
      ([], "heard"), ([1, 7], "heard"), ([0], "operations"), ([0, 1], "operations[0]"), ([0, 0, 0], ""),
      (Array(#"{"operations":[]}"#.utf8), "heard"),
    ] as [([UInt8], String)])
  func `an invalid commit body is refused with the path of the part that cannot be read`(body: [UInt8], path: String) {
    #expect { _ = try Wire.commit(body) } throws: { error in (error as? Wire.WireProblem)?.path == path }
  }
}
