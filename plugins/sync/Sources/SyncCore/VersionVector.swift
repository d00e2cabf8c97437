/// How far each device's writes have been seen: the causal context of a cell or of a write (M3).
///
/// A dot is covered when its number is at most the one that is here for its device. Devices are kept sorted, so two
/// equal vectors are equal bytes.
public struct VersionVector: Hashable, Sendable {
  /// What has been seen of each device, sorted by device.
  public private(set) var seen: [Seen]

  /// What has been seen of one device.
  public struct Seen: Hashable, Sendable {
    /// The device and its highest number.
    public var dot: Dot
    /// What the write with that number held, as `Write.check`; 0 if it was not noted.
    public var check: UInt32
    /// The day of that write, in days since 1970; 0 if it was not noted.
    public var day: UInt32
    /// Whether the device has been retired since that write: it takes no place in the zone until it writes again.
    public var isRetired: Bool

    /// Notes a write.
    public init(dot: Dot, check: UInt32 = 0, day: UInt32 = 0, isRetired: Bool = false) {
      self.dot = dot
      self.check = check
      self.day = day
      self.isRetired = isRetired
    }

    /// Of two notes for one device the higher number counts; of equal numbers, everything that either knows.
    func merged(with other: Seen) -> Seen {
      if dot.number != other.dot.number { return dot.number > other.dot.number ? self : other }
      return Seen(
        dot: dot, check: max(check, other.check), day: max(day, other.day), isRetired: isRetired || other.isRetired)
    }

    /// Whether a write with this content may be the one that is noted here.
    public func mayBe(_ number: Int64, check other: UInt32) -> Bool {
      dot.number == number && (check == other || check == 0 || other == 0)
    }
  }

  /// The vector that has seen nothing.
  public init() { seen = [] }

  /// A vector of these dots; of two for one device the higher counts.
  public init(_ dots: [Dot]) {
    seen = []
    for dot in dots { observe(Seen(dot: dot)) }
  }

  /// Takes what is sorted by device already, each device once.
  init(sorted seen: [Seen]) { self.seen = seen }

  /// The highest number seen of each device, sorted by device.
  public var dots: [Dot] { seen.map(\.dot) }

  /// The number of devices that have been seen.
  public var count: Int { seen.count }

  /// The highest number seen of a device, 0 when none.
  public subscript(device: DeviceID) -> Int64 {
    for one in seen where one.dot.device == device { return one.dot.number }
    return 0
  }

  /// What has been seen of a device, nil for nothing.
  public func note(of device: DeviceID) -> Seen? { seen.first { $0.dot.device == device } }

  /// Whether a write has been seen.
  public func covers(_ dot: Dot) -> Bool { dot.number <= self[dot.device] }

  /// Notes that a write has been seen.
  public mutating func observe(_ dot: Dot) { observe(Seen(dot: dot)) }

  /// Notes that a write has been seen, and what it held.
  mutating func observe(_ one: Seen) {
    let index = seen.firstIndex { $0.dot.device >= one.dot.device } ?? seen.endIndex
    if index < seen.endIndex, seen[index].dot.device == one.dot.device {
      seen[index] = seen[index].merged(with: one)
    } else {
      seen.insert(one, at: index)
    }
  }

  /// Forgets a device's writes after this number, all of them for 0.
  public mutating func limit(_ device: DeviceID, to number: Int64) {
    guard let index = seen.firstIndex(where: { $0.dot.device == device }), seen[index].dot.number > number else {
      return
    }
    if number > 0 {
      seen[index] = Seen(dot: Dot(device: device, number: number))
    } else {
      seen.remove(at: index)
    }
  }

  /// Notes that a device has been retired; false when it has been, or has never written.
  mutating func retire(_ device: DeviceID) -> Bool {
    guard let index = seen.firstIndex(where: { $0.dot.device == device }), !seen[index].isRetired else { return false }
    seen[index].isRetired = true
    return true
  }

  /// Takes over everything that another vector has seen.
  public mutating func formUnion(_ other: VersionVector) {
    if seen.isEmpty {
      seen = other.seen
      return
    }
    for one in other.seen { observe(one) }
  }

  /// Whether every write that the other has seen is covered here.
  public func includes(_ other: VersionVector) -> Bool {
    // Both are sorted, and mostly of the same devices.
    var index = seen.startIndex
    return other.seen.allSatisfy { one in
      while index < seen.endIndex, seen[index].dot.device != one.dot.device, seen[index].dot.device < one.dot.device {
        index += 1
      }
      guard index < seen.endIndex, seen[index].dot.device == one.dot.device else { return one.dot.number <= 0 }
      return one.dot.number <= seen[index].dot.number
    }
  }

  /// The devices that take a place in the zone: neither retired nor silent for `RecordLimits.silentDays`.
  public func liveDevices(atMilliseconds now: Int64) -> [DeviceID] {
    let first = max(0, now / 86_400_000 - RecordLimits.silentDays)
    return seen.lazy.filter { !$0.isRetired && Int64($0.day) >= first }.map(\.dot.device)
  }
}
