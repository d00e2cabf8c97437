/// Which country's outline holds a point: rings of longitude and latitude, and a grid of one-degree cells over them.
///
/// Most cells are crossed by no border and know their answer. In the others the line from the point to the middle of the
/// cell, whose country is known, is followed: every border it crosses changes the country. The cells are found once,
/// by a sweep along the middle of each row.
struct CountryBorders: Sendable {
  /// A country's number in the country table; 0xFF is none.
  typealias CountryNumber = UInt8
  /// No country: the sea, or land too small for the map.
  static let none: CountryNumber = 0xFF

  private static let rows = 180
  private static let columns = 360

  /// A side of a ring, in degrees.
  private struct Edge {
    var x1: Float
    var y1: Float
    var x2: Float
    var y2: Float
    /// The country's number plus one, so that nothing is zero and crossings can be added by exclusive or.
    var country: UInt8

    /// Twice the signed area of the triangle with a point, in double precision: neighbours must not both miss it.
    @inline(__always)
    func side(x: Float, y: Float) -> Bool {
      let area =
        Double(x2 - x1) * (Double(y) - Double(y1)) - (Double(x) - Double(x1)) * Double(y2 - y1)
      return area >= 0
    }

    /// Whether the segment from `p` to `q` crosses this side, each end of which counts to one side of the segment only.
    @inline(__always)
    func isCrossed(byLineFrom px: Float, _ py: Float, to qx: Float, _ qy: Float) -> Bool {
      let line = Edge(x1: px, y1: py, x2: qx, y2: qy, country: 0)
      return line.side(x: x1, y: y1) != line.side(x: x2, y: y2) && side(x: px, y: py) != side(x: qx, y: qy)
    }
  }

  private struct Cell {
    /// Exclusive or of the numbers plus one of the countries that hold the middle: at most one does.
    var middle: UInt8 = 0
    var edgeStart: UInt32 = 0
    var edgeCount: UInt16 = 0
  }

  private var cells = [Cell](repeating: Cell(), count: rows * columns)
  private var edges: [Edge] = []
  /// For each country number, whether it has an outline at all.
  private(set) var isOutlined = [Bool](repeating: false, count: 256)

  /// A ring: corners in thousandths of a degree, the last joined to the first.
  struct Ring {
    /// The country it belongs to; a hole is a ring of the country too.
    var country: CountryNumber
    /// Longitude and latitude in turn.
    var corners: [Int32]
  }

  init(rings: [Ring]) {
    var sides: [Edge] = []
    for ring in rings {
      isOutlined[Int(ring.country)] = true
      let count = ring.corners.count / 2
      for index in 0..<count {
        let next = index + 1 == count ? 0 : index + 1
        sides.append(
          Edge(
            x1: Float(ring.corners[2 * index]) / 1000, y1: Float(ring.corners[2 * index + 1]) / 1000,
            x2: Float(ring.corners[2 * next]) / 1000, y2: Float(ring.corners[2 * next + 1]) / 1000,
            country: ring.country + 1))
      }
    }
    sweepMiddles(sides)
    fileEdges(sides)
  }

  /// Finds the country in the middle of every cell: along each row, borders are crossed from west to east.
  private mutating func sweepMiddles(_ sides: [Edge]) {
    var crossings = [[(x: Float, country: UInt8)]](repeating: [], count: Self.rows)
    for side in sides {
      let (low, high) = side.y1 < side.y2 ? (side.y1, side.y2) : (side.y2, side.y1)
      let first = max(0, Int((low + 89.5).rounded(.up)))
      let last = min(Self.rows - 1, Int((high + 89.5).rounded(.down)))
      guard first <= last else { continue }
      for row in first...last {
        let y = Float(row) - 89.5
        guard (side.y1 > y) != (side.y2 > y) else { continue }
        crossings[row].append((side.x1 + (y - side.y1) / (side.y2 - side.y1) * (side.x2 - side.x1), side.country))
      }
    }
    for row in 0..<Self.rows {
      let ordered = crossings[row].sorted { $0.x < $1.x }
      var next = 0
      var inside: UInt8 = 0
      for column in 0..<Self.columns {
        let x = Float(column) - 179.5
        while next < ordered.count, ordered[next].x < x {
          inside ^= ordered[next].country
          next += 1
        }
        cells[row * Self.columns + column].middle = inside
      }
    }
  }

  /// Gives every cell the sides that touch it.
  private mutating func fileEdges(_ sides: [Edge]) {
    var touched: [(cell: Int32, side: Int32)] = []
    touched.reserveCapacity(sides.count * 3)
    for (index, side) in sides.enumerated() {
      let (low, high) = side.y1 < side.y2 ? (side.y1, side.y2) : (side.y2, side.y1)
      for row in Self.row(low - 0.001)...Self.row(high + 0.001) {
        // The part of the side within this row, a little widened.
        let bottom = max(low, Float(row) - 90.001)
        let top = min(high, Float(row) - 88.999)
        var (west, east) = side.x1 < side.x2 ? (side.x1, side.x2) : (side.x2, side.x1)
        if high - low > 0.001 {
          let slope = (side.x2 - side.x1) / (side.y2 - side.y1)
          let a = side.x1 + (bottom - side.y1) * slope
          let b = side.x1 + (top - side.y1) * slope
          (west, east) = (max(west, min(a, b)), min(east, max(a, b)))
        }
        guard west <= east + 0.01 else { continue }
        let (first, last) = (Self.column(west - 0.01), Self.column(max(west, east) + 0.01))
        for column in first...last { touched.append((Int32(row * Self.columns + column), Int32(index))) }
      }
    }
    for entry in touched { cells[Int(entry.cell)].edgeCount += 1 }
    var start: UInt32 = 0
    for cell in cells.indices {
      cells[cell].edgeStart = start
      start += UInt32(cells[cell].edgeCount)
      cells[cell].edgeCount = 0
    }
    edges = [Edge](repeating: Edge(x1: 0, y1: 0, x2: 0, y2: 0, country: 0), count: Int(start))
    for entry in touched {
      let cell = Int(entry.cell)
      edges[Int(cells[cell].edgeStart) + Int(cells[cell].edgeCount)] = sides[Int(entry.side)]
      cells[cell].edgeCount += 1
    }
  }

  private static func row(_ latitude: Float) -> Int { max(0, min(rows - 1, Int((latitude + 90).rounded(.down)))) }
  private static func column(_ longitude: Float) -> Int {
    max(0, min(columns - 1, Int((longitude + 180).rounded(.down))))
  }

  /// The country whose outline holds the coordinate, or `none`.
  @inline(__always)
  func country(at coordinate: Coordinate) -> CountryNumber {
    // The map is cut along the antimeridian and ends at the poles: a point on the edge is taken for one just inside.
    let x = max(-179.999, min(179.999, Float(coordinate.longitude)))
    let y = max(-89.999, min(89.999, Float(coordinate.latitude)))
    let (row, column) = (Self.row(y), Self.column(x))
    let cell = cells[row * Self.columns + column]
    if cell.edgeCount == 0 { return cell.middle &- 1 }
    return follow(cell, x: x, y: y, middleX: Float(column) - 179.5, middleY: Float(row) - 89.5)
  }

  private func follow(_ cell: Cell, x: Float, y: Float, middleX: Float, middleY: Float) -> CountryNumber {
    var inside = cell.middle
    let start = Int(cell.edgeStart)
    for index in start..<start + Int(cell.edgeCount)
    where edges[index].isCrossed(byLineFrom: x, y, to: middleX, middleY) {
      inside ^= edges[index].country
    }
    // Where the map overlaps itself, more than one country remains and the sum is none of them.
    return inside == 0 || !isOutlined[Int(inside &- 1)] ? Self.none : inside &- 1
  }
}
