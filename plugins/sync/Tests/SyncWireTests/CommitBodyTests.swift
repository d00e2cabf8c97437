import SyncCore
import SyncEngine
import SyncWire
import Testing

/// The body of a commit request.
@Suite struct CommitBodyTests {
  @Test(arguments: [nil, Cursor(generation: 5, sequence: 9, tag: 11)] as [Cursor?])
  func `a commit body contains the operations and the furthest cursor of the device, if any`(heard: Cursor?) throws {
    let operations = [
      RecordOperation(
        key: RecordKey(type: "notes", name: "a"), expectedVersion: 3, change: .retire(DeviceID(stem: "x", random: 1)),
        group: 7)
    ]
    let read = try Wire.commit(Wire.body(of: operations, heard: heard))
    #expect(read.operations == operations && read.heard == heard)
  }

  @Test(arguments: [
    (#"{"operations":[],"heard":7}"#, "heard"), (#"{"heard":"1.2.3"}"#, "operations"),
    (#"{"operations":[{}]}"#, "operations[0]"),
  ])
  func `an invalid commit body is refused with the path of the part that cannot be read`(body: String, path: String) {
    #expect { _ = try Wire.commit(Array(body.utf8)) } throws: { error in
      (error as? Wire.WireProblem)?.path.hasPrefix(path) == true
    }
  }
}
