/// The highest write number seen from each device: the causal context of a cell or a write (M3).
///
/// A dot is covered if its number is not above the highest number of its device. Devices are sorted, so equal vectors
/// have equal bytes.
package struct VersionVector: Hashable, Sendable {
  /// The newest write seen from each device, sorted by device.
  package private(set) var seen: [Seen]

  /// The newest write seen from one device. All its earlier writes count as seen.
  package struct Seen: Hashable, Sendable {
    package var dot: Dot
    /// The checksum of the write with that number (`Write.check`), or 0 if it was not recorded.
    package var check: UInt32
    /// The day of that write, in days since 1970, or 0 if it was not recorded.
    package var day: UInt32
    /// True if the device has been retired since that write. It does not count as a device of the zone until it writes
    /// again.
    package var isRetired: Bool

    package init(dot: Dot, check: UInt32 = 0, day: UInt32 = 0, isRetired: Bool = false) {
      self.dot = dot
      self.check = check
      self.day = day
      self.isRetired = isRetired
    }

    /// Merges two entries of one device. The one with the higher number wins; entries with equal numbers are combined.
    func merged(with other: Seen) -> Seen {
      if dot.number != other.dot.number { return dot.number > other.dot.number ? self : other }
      return Seen(
        dot: dot, check: max(check, other.check), day: max(day, other.day), isRetired: isRetired || other.isRetired)
    }

    /// True if a write with this number and checksum may be the one recorded here. A checksum of 0 matches every other.
    package func mayBe(_ number: Int64, check other: UInt32) -> Bool {
      dot.number == number && (check == other || check == 0 || other == 0)
    }
  }

  package init() { seen = [] }

  /// Creates a vector of these dots. If a device has several, the highest number counts.
  package init(_ dots: [Dot]) {
    seen = []
    for dot in dots { observe(Seen(dot: dot)) }
  }

  /// Creates a vector from entries sorted by device, one per device.
  init(sorted seen: [Seen]) { self.seen = seen }

  /// The highest number seen from each device, sorted by device.
  package var dots: [Dot] { seen.map(\.dot) }

  /// The number of devices.
  package var count: Int { seen.count }

  /// The highest number seen from a device, or 0 if none of its writes was seen.
  package subscript(device: DeviceID) -> Int64 {
    for one in seen where one.dot.device == device { return one.dot.number }
    return 0
  }

  /// Returns the entry of a device, or nil if none of its writes was seen.
  package func note(of device: DeviceID) -> Seen? { seen.first { $0.dot.device == device } }

  /// True if the vector includes this write.
  package func covers(_ dot: Dot) -> Bool { dot.number <= self[dot.device] }

  /// Records a write as seen.
  package mutating func observe(_ dot: Dot) { observe(Seen(dot: dot)) }

  /// Records a write as seen, with its checksum.
  mutating func observe(_ one: Seen) {
    let index = seen.firstIndex { $0.dot.device >= one.dot.device } ?? seen.endIndex
    if index < seen.endIndex, seen[index].dot.device == one.dot.device {
      seen[index] = seen[index].merged(with: one)
    } else {
      seen.insert(one, at: index)
    }
  }

  /// Lowers the highest number of a device to `number` if that is smaller. 0 removes the device.
  package mutating func limit(_ device: DeviceID, to number: Int64) {
    guard let index = seen.firstIndex(where: { $0.dot.device == device }), seen[index].dot.number > number else {
      return
    }
    if number > 0 {
      seen[index] = Seen(dot: Dot(device: device, number: number))
    } else {
      seen.remove(at: index)
    }
  }

  /// Marks a device as retired. Returns false if it is already retired or has never written.
  mutating func retire(_ device: DeviceID) -> Bool {
    guard let index = seen.firstIndex(where: { $0.dot.device == device }), !seen[index].isRetired else { return false }
    seen[index].isRetired = true
    return true
  }

  /// Adds all writes that another vector has seen.
  package mutating func formUnion(_ other: VersionVector) {
    if seen.isEmpty {
      seen = other.seen
      return
    }
    for one in other.seen { observe(one) }
  }

  /// True if this vector covers every write that the other has seen.
  package func includes(_ other: VersionVector) -> Bool {
    // Both arrays are sorted and usually contain the same devices.
    var index = seen.startIndex
    return other.seen.allSatisfy { one in
      while index < seen.endIndex, seen[index].dot.device != one.dot.device, seen[index].dot.device < one.dot.device {
        index += 1
      }
      guard index < seen.endIndex, seen[index].dot.device == one.dot.device else { return one.dot.number <= 0 }
      return one.dot.number <= seen[index].dot.number
    }
  }

  /// Returns the devices that count as devices of the zone: not retired, and not silent for `RecordLimits.silentDays`.
  package func liveDevices(atMilliseconds now: Int64) -> [DeviceID] {
    let first = max(0, now / 86_400_000 - RecordLimits.silentDays)
    return seen.lazy.filter { !$0.isRetired && Int64($0.day) >= first }.map(\.dot.device)
  }
}
