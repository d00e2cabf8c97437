import SyncCore
import Testing

struct VersionVectorTests {
  @Test func `M3: a version vector includes another vector if and only if it covers all of its dots`() throws {
    let devices = try ["mac", "phone", "tablet", "watch"].map { try #require(DeviceID($0)) }
    // In base 3, each digit is the number of writes of one device that the vector contains.
    let all = (0..<81).map { number in
      var (vector, rest) = (VersionVector(), number)
      for device in devices {
        if rest % 3 > 0 { vector.observe(Dot(device: device, number: Int64(rest % 3))) }
        rest /= 3
      }
      return vector
    }
    for one in all {
      for other in all {
        #expect(one.includes(other) == other.dots.allSatisfy(one.covers), "\(one) and \(other)")
      }
    }
  }
}
