/// A hybrid logical time: milliseconds since 1970 on the server's clock, a counter for equal times, and the device
/// (M2).
///
/// The order is total: milliseconds, then counter, then device. Source: Kulkarni et al., "Logical Physical Clocks",
/// 2014.
package struct Stamp: Hashable, Sendable, Comparable {
  /// Milliseconds since 1970 on the server's clock.
  package var milliseconds: Int64
  /// The order within one millisecond.
  package var counter: UInt32
  /// The device that made the stamp.
  package var device: DeviceID

  /// The latest time of a stamp: 2^53 − 1 ms, the largest integer that every JSON reader supports.
  package static let latestMilliseconds: Int64 = (1 << 53) - 1

  package init(milliseconds: Int64, counter: UInt32, device: DeviceID) {
    self.milliseconds = milliseconds
    self.counter = counter
    self.device = device
  }

  /// Orders by milliseconds, then counter, then device.
  package static func < (left: Stamp, right: Stamp) -> Bool {
    if left.milliseconds != right.milliseconds { return left.milliseconds < right.milliseconds }
    if left.counter != right.counter { return left.counter < right.counter }
    return left.device < right.device
  }

  /// True if this time is later than the other one. Devices are not compared.
  package func isLater(than other: Stamp) -> Bool {
    milliseconds != other.milliseconds ? milliseconds > other.milliseconds : counter > other.counter
  }

  /// Returns this stamp if it is later than `seen`, and otherwise the smallest stamp of the same device that is later
  /// than `seen`.
  package func raised(above seen: Stamp) -> Stamp {
    if isLater(than: seen) { return self }
    if seen.counter == .max { return Stamp(milliseconds: seen.milliseconds + 1, counter: 0, device: device) }
    return Stamp(milliseconds: seen.milliseconds, counter: seen.counter + 1, device: device)
  }
}
