/// How far each device's writes have been seen: the causal context of a cell or of a write (M3).
///
/// A dot is covered when its number is at most the one that stands here for its device. Devices are kept sorted, so two
/// equal vectors are equal bytes.
public struct VersionVector: Hashable, Sendable {
  /// The highest number seen of each device, sorted by device.
  public private(set) var dots: [Dot]

  /// The vector that has seen nothing.
  public init() { dots = [] }

  /// A vector of these dots; of two for one device the higher counts.
  public init(_ dots: [Dot]) {
    self.dots = []
    for dot in dots { observe(dot) }
  }

  /// Takes dots that are sorted by device already, each device once.
  init(sorted dots: [Dot]) { self.dots = dots }

  /// How many devices have been seen.
  public var count: Int { dots.count }

  /// The highest number seen of a device, 0 when none.
  public subscript(device: DeviceID) -> Int64 {
    for dot in dots where dot.device == device { return dot.number }
    return 0
  }

  /// Whether a write has been seen.
  public func covers(_ dot: Dot) -> Bool { dot.number <= self[dot.device] }

  /// Notes that a write has been seen.
  public mutating func observe(_ dot: Dot) {
    let place = dots.firstIndex { $0.device >= dot.device } ?? dots.endIndex
    if place < dots.endIndex, dots[place].device == dot.device {
      if dots[place].number < dot.number { dots[place].number = dot.number }
    } else {
      dots.insert(dot, at: place)
    }
  }

  /// Forgets a device's writes after this number, all of them for 0.
  public mutating func limit(_ device: DeviceID, to number: Int64) {
    guard let place = dots.firstIndex(where: { $0.device == device }), dots[place].number > number else { return }
    if number > 0 { dots[place].number = number } else { dots.remove(at: place) }
  }

  /// Takes over everything that another vector has seen.
  public mutating func formUnion(_ other: VersionVector) {
    if dots.isEmpty {
      dots = other.dots
      return
    }
    for dot in other.dots { observe(dot) }
  }

  /// Whether every write that the other has seen is covered here.
  public func includes(_ other: VersionVector) -> Bool { other.dots.allSatisfy(covers) }
}
