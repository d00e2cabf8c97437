/// Produces the stamps of a device. Each stamp is later than all earlier ones and than every stamp that the device has
/// received (M2).
package struct HybridLogicalClock: Hashable, Sendable {
  /// The last instant stamped or received, in milliseconds since 1970.
  package private(set) var milliseconds: Int64
  /// The counter within that instant.
  package private(set) var counter: UInt32

  /// Creates a clock. The arguments continue a saved clock.
  package init(milliseconds: Int64 = 0, counter: UInt32 = 0) {
    self.milliseconds = milliseconds
    self.counter = counter
  }

  /// Returns the device's next stamp. `nowMilliseconds` is the time of its clock after correction.
  package mutating func stamp(_ device: DeviceID, nowMilliseconds: Int64) -> Stamp {
    let last = Stamp(milliseconds: milliseconds, counter: counter, device: device)
    let now = min(max(nowMilliseconds, 0), Stamp.latestMilliseconds)
    let next = Stamp(milliseconds: now, counter: 0, device: device).raised(above: last)
    (milliseconds, counter) = (next.milliseconds, next.counter)
    return next
  }

  /// Records a received stamp. The next stamp of this clock will be later.
  package mutating func receive(_ stamp: Stamp) {
    let isNewer =
      stamp.milliseconds != milliseconds ? stamp.milliseconds > milliseconds : stamp.counter > counter
    if isNewer { (milliseconds, counter) = (stamp.milliseconds, stamp.counter) }
  }
}
