import CPlantedFault
import Dispatch
import Foundation
import Testing

/// Deliberate faults that a sanitizer must find. `scripts/sanitize` enables one of them at a time; otherwise none is
/// enabled.
struct PlantedFaultTests {
  private static let fault = ProcessInfo.processInfo.environment["FLOWRUN_PLANTED_FAULT"]

  /// Proof of safety: there is deliberately none, because a sanitizer must find the race. The tests run only under a
  /// sanitizer.
  private nonisolated(unsafe) static var shared = 0

  @Test(.enabled(if: fault == "thread")) func `the thread sanitizer finds a race`() {
    // Tasks could run on the same thread one after another, which is not a race.
    let end = DispatchSemaphore(value: 0)
    for _ in 0..<2 {
      Thread.detachNewThread {
        Self.shared += 1
        end.signal()
      }
    }
    for _ in 0..<2 { end.wait() }
  }

  @Test(.enabled(if: fault == "address")) func `the address sanitizer finds a read past the end`() {
    let bytes = UnsafeMutablePointer<UInt8>.allocate(capacity: 8)
    defer { bytes.deallocate() }
    bytes.initialize(repeating: 1, count: 8)
    #expect(bytes[Int(bytes[0]) * 8] != 1)
  }

  @Test(.enabled(if: fault == "undefined")) func `the undefined behavior sanitizer finds an overflowing sum in C`() {
    #expect(planted_overflow(.max) != 0)
  }
}
