import SyncCore
import SyncEngine
import Testing

/// A device's file of a version before the first that was published.
@Suite struct RemovedFormatTests {
  @Test(arguments: [1, 2, 3, 4] as [UInt8])
  func `a removed format is refused with its number`(_ format: UInt8) throws {
    var rig = Rig()
    rig.start()
    rig.act()
    rig.disk["identity"]?[0] = format
    let disk = rig.disk
    #expect(throws: ReplicaError.removedFormat(found: format, oldest: Replica.oldestFormat)) {
      try Replica(stored: disk)
    }
  }
}
