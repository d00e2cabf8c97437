import SyncCore
import SyncEngine
import Testing

/// Files of devices in the formats of earlier versions.
struct RemovedFormatTests {
  @Test(arguments: [1, 2, 3, 4] as [UInt8])
  func `a device's file in an unsupported format is refused, and the error names the format`(_ format: UInt8) throws {
    var rig = Rig()
    rig.start()
    rig.act()
    rig.disk["identity"]?[0] = format
    let disk = rig.disk
    #expect(throws: ReplicaError.removedFormat(found: format, oldest: Replica.oldestFormat)) {
      try Replica(stored: disk)
    }
  }

  @Test(arguments: [5, 6] as [UInt8])
  func `a device's file in format 5 or 6, without moved list elements, can be opened`(_ format: UInt8) throws {
    var rig = Rig()
    rig.start()
    rig.act()
    rig.disk["identity"]?[0] = format
    #expect(format < Replica.storageFormat && Replica.storageFormat == 7)
    let disk = rig.disk
    #expect(try Replica(stored: disk) != nil)
  }
}
