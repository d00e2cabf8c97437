import Synchronization
import Testing

@testable import FlowPlatform

@Suite(.serialized) struct DetachedThreadTests {
  /// The stack address at each start of a thread.
  private static let depths = Mutex<[Int]>([])

  @Test func `starting the thousandth thread uses no more stack than starting the first`() throws {
    DetachedThread.surroundStarts { start in
      var here: UInt8 = 0
      withUnsafePointer(to: &here) { here in Self.depths.withLock { $0.append(Int(bitPattern: here)) } }
      return start()
    }
    defer { DetachedThread.surroundStarts { $0() } }
    for _ in 0..<1_000 { try DetachedThread.start {} }
    let depths = Self.depths.withLock { $0 }
    #expect(abs(depths[0] - depths[999]) < 1_024)
  }
}
