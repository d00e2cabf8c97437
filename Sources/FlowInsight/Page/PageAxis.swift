/// The time axis of a timeline. It shortens long intervals in which nothing runs, such as the wait for the gate's
/// minimum.
struct PageAxis {
  /// Times in nanoseconds and their positions as a share of the width. The axis is linear between neighboring points.
  private(set) var points: [(time: Int, share: Double)] = [(0, 0)]
  /// The indices of the points at which shortened intervals start.
  private(set) var breaks: [Int] = []

  /// The share of the whole time that an interval must exceed to be shortened.
  private static let cutShare = 0.35
  /// The minimum total time, in nanoseconds, in which steps run. If they run less, nothing is shortened.
  private static let leastWork = 100_000
  /// The width of a shortened interval, as a share of the whole width.
  private static let cutWidth = 0.05

  /// Creates an axis from 0 to `end` nanoseconds. `busy` contains the intervals in which a step ran.
  init(end: Int, busy: [Range<Int>]) {
    let whole = max(1, end)
    var gaps: [Range<Int>] = []
    var cursor = 0
    for stretch in busy.sorted(by: { $0.lowerBound < $1.lowerBound }) {
      if stretch.lowerBound > cursor { gaps.append(cursor..<stretch.lowerBound) }
      cursor = max(cursor, stretch.upperBound)
    }
    if cursor < whole { gaps.append(cursor..<whole) }
    var long = gaps.filter { Double($0.count) > Self.cutShare * Double(whole) }
    // If steps take no time, as in a forecast without estimates, nothing is shortened.
    if whole - long.reduce(0, { $0 + $1.count }) < Self.leastWork { long = [] }
    let margin = (whole - long.reduce(0) { $0 + $1.count }) / 25
    let cuts = long.map { $0.lowerBound + margin..<max($0.lowerBound + margin, $0.upperBound - margin) }
    let shown = max(1, whole - cuts.reduce(0) { $0 + $1.count })
    let width = (1 - Self.cutWidth * Double(cuts.count)) / Double(shown)
    for cut in cuts {
      append(cut.lowerBound, width)
      breaks.append(points.count - 1)
      points.append((cut.upperBound, points[points.count - 1].share + Self.cutWidth))
    }
    append(whole, width)
  }

  private mutating func append(_ time: Int, _ width: Double) {
    let last = points[points.count - 1]
    guard time > last.time else { return }
    points.append((time, last.share + Double(time - last.time) * width))
  }

  /// Returns the position of a time, from 0 to 1.
  func share(of time: Int) -> Double {
    guard let next = points.firstIndex(where: { $0.time >= time }) else { return 1 }
    guard next > 0 else { return 0 }
    let (from, to) = (points[next - 1], points[next])
    return from.share + (to.share - from.share) * Double(time - from.time) / Double(to.time - from.time)
  }

  /// Returns round times for labels. They keep a distance from each other and from the times in `kept`.
  func ticks(around kept: [Int] = []) -> [Int] {
    let cut = Set(breaks)
    let shown = points.indices.dropLast().filter { !cut.contains($0) }
    let total = shown.reduce(0) { $0 + points[$1 + 1].time - points[$1].time }
    let step = Self.step(total)
    var places = kept.map { share(of: $0) }
    var ticks: [Int] = []
    for segment in shown {
      var time = (points[segment].time + step - 1) / step * step
      while time <= points[segment + 1].time {
        let place = share(of: time)
        if places.allSatisfy({ abs($0 - place) > 0.09 }) {
          ticks.append(time)
          places.append(place)
        }
        time += step
      }
    }
    return ticks
  }

  /// Returns the shortest round interval (1, 2 or 5 times a power of ten, at least 1 µs) that divides `total`
  /// nanoseconds into at most six parts.
  static func step(_ total: Int) -> Int {
    var step = 1_000
    while true {
      for factor in [1, 2, 5] where step * factor * 6 >= total { return step * factor }
      guard step < Int.max / 100 else { return step }
      step *= 10
    }
  }
}
