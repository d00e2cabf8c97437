/// Finds the country whose outline contains a point. Uses a grid of half-degree cells.
///
/// Most cells contain no border and belong to one country or to the sea. For other cells, the country of the center is
/// stored. To find the country of a point, the line from the point to the center is followed, and each border that it
/// crosses changes the country.
struct CountryBorders: Sendable {
  /// The number of a country, which is its row in the country table.
  typealias CountryNumber = UInt8
  /// The number that means no country: the sea, or land that is too small for the map.
  static let none: CountryNumber = 0xFF
  /// The largest distance at which borders are searched for.
  static let reachKilometers = 10.0

  /// The size of a cell in thousandths of a degree.
  private static let cellSize = 500
  private static let rows = 180_000 / cellSize
  private static let columns = 360_000 / cellSize
  /// The smallest value of a cell with a border. Smaller values are the number of the cell's country plus one, or zero
  /// for the sea.
  private static let firstCrossing: UInt16 = 256
  /// The bit of a cell that is set if a border to another country may be within reach.
  private static let nearBorder: UInt16 = 1 << 15

  /// A corner of an outline, in thousandths of a degree.
  struct Corner {
    var x: Double
    var y: Double

    /// True if this point is on the line from `a` to `b` or to the left of it. The result is exact for corners, so a
    /// point on a common border always belongs to one of the two countries.
    @inline(__always)
    func isLeft(of a: Corner, _ b: Corner) -> Bool { (b.x - a.x) * (y - a.y) - (x - a.x) * (b.y - a.y) >= 0 }
  }

  /// A corner of an outline, with the countries on both sides of the segment that starts there.
  private struct PackedCorner: BitwiseCopyable, Sendable {
    var bits: UInt64

    /// The number plus one of the outline's country, or zero for none. The countries of all crossings are combined by
    /// exclusive or.
    @inline(__always) var country: UInt8 { UInt8(truncatingIfNeeded: bits) }
    /// The number plus one of the country across the segment, or zero for the sea.
    @inline(__always) var opposite: UInt8 { UInt8(truncatingIfNeeded: bits >> 8) }
    @inline(__always) var position: Corner {
      Corner(x: Double(Int(bits >> 16 & 0xFF_FFFF) - 180_000), y: Double(Int(bits >> 40) - 90_000))
    }
  }

  private let index: TableIndex
  private let cells: MappedArray<UInt16>
  private let crossings: MappedArray<UInt32>
  private let runs: MappedArray<UInt32>
  private let corners: MappedArray<PackedCorner>
  /// For each country number, true if it has an outline.
  let isOutlined: [Bool]

  init(_ index: TableIndex) throws(TableError) {
    self.index = index
    cells = try index.array(.borderCells, of: UInt16.self, count: Self.rows * Self.columns)
    crossings = try index.array(.borderCrossings, of: UInt32.self)
    runs = try index.array(.borderRuns, of: UInt32.self)
    corners = try index.array(.borderCorners, of: PackedCorner.self)
    var isOutlined = [Bool](repeating: false, count: 256)
    for corner in 0..<corners.count { isOutlined[Int(corners[corner].country &- 1)] = true }
    self.isOutlined = isOutlined
  }

  struct Finding {
    /// The country whose outline contains the point, or `none`.
    var country: CountryNumber
    /// True if a border to another country may be within reach.
    var isNearBorder: Bool
  }

  /// Returns the country whose outline contains the coordinate.
  @inline(__always)
  func find(_ coordinate: Coordinate) -> Finding {
    // The map is cut at the antimeridian and ends at the poles, so a point on its edge is moved slightly inside.
    let point = Corner(
      x: max(-179_999, min(179_999, coordinate.longitude * 1000)),
      y: max(-89_999, min(89_999, coordinate.latitude * 1000)))
    let row = Int(point.y + 90_000) / Self.cellSize
    let column = Int(point.x + 180_000) / Self.cellSize
    let bits = cells[row * Self.columns + column]
    let cell = bits & ~Self.nearBorder
    let isNear = bits != cell
    if cell < Self.firstCrossing { return Finding(country: UInt8(truncatingIfNeeded: cell) &- 1, isNearBorder: isNear) }
    let middle = Corner(
      x: Double(column * Self.cellSize - 180_000 + Self.cellSize / 2),
      y: Double(row * Self.cellSize - 90_000 + Self.cellSize / 2))
    return Finding(country: follow(Int(cell - Self.firstCrossing), from: point, to: middle), isNearBorder: isNear)
  }

  private func follow(_ crossing: Int, from point: Corner, to middle: Corner) -> CountryNumber {
    var inside = UInt8(crossings[crossing] >> 24)
    for run in runPositions(crossing) {
      var edge = Int(runs[run] & 0xFF_FFFF)
      let end = edge + Int(runs[run] >> 24)
      var start = corners[edge]
      while edge < end {
        let next = corners[edge + 1]
        let (a, b) = (start.position, next.position)
        // A corner that is exactly on the line is counted on one side only.
        if a.isLeft(of: point, middle) != b.isLeft(of: point, middle), point.isLeft(of: a, b) != middle.isLeft(of: a, b)
        {
          inside ^= start.country
        }
        start = next
        edge += 1
      }
    }
    // If outlines overlap, the combined number may not be the number of a country.
    return inside == 0 || !isOutlined[Int(inside &- 1)] ? Self.none : inside &- 1
  }

  /// Returns the country with the nearest outline within `reach` kilometers, or `none`. The coordinate must be outside
  /// all outlines.
  func nearestCountry(to coordinate: Coordinate, within reach: Double) -> CountryNumber {
    nearestSide(to: coordinate, within: reach) { _ in true }.map { corners[$0.edge].country &- 1 } ?? Self.none
  }

  /// Returns the distance in kilometers to the nearest border between two countries, or infinity beyond
  /// `reachKilometers`.
  ///
  /// - Parameter country: the country whose borders are considered, or nil for those of all countries.
  func distanceToBorder(from coordinate: Coordinate, of country: CountryNumber? = nil) -> Double {
    let side = nearestSide(to: coordinate, within: Self.reachKilometers) { corner in
      corner.opposite != 0 && (country == nil || corner.country &- 1 == country)
    }
    return side?.kilometers ?? .infinity
  }

  private static let kilometersPerDegree = UnitVectors.earthRadiusKilometers * .pi / 180

  /// Returns the nearest segment of an outline within `reach` kilometers that satisfies `isWanted`, with its distance,
  /// or nil if there is none.
  @inline(__always)
  private func nearestSide(
    to coordinate: Coordinate, within reach: Double, where isWanted: (PackedCorner) -> Bool
  ) -> (edge: Int, kilometers: Double)? {
    // Distances are computed in the tangent plane at this point, in thousandths of a degree of latitude. This is
    // accurate enough for such short distances.
    let shrink = max(0.01, UnitVectors.cosine(degrees: coordinate.latitude))
    let height = reach / Self.kilometersPerDegree * 1000
    let width = min(180_000, height / shrink)
    let (x, y) = (coordinate.longitude * 1000, coordinate.latitude * 1000)
    let rows = row(y - height)...row(y + height)
    let firstColumn = Int(((x - width + 180_000) / Double(Self.cellSize)).rounded(.down))
    let lastColumn = min(
      firstColumn + Self.columns - 1, Int(((x + width + 180_000) / Double(Self.cellSize)).rounded(.down)))
    var nearest = height * height
    var found: Int?
    for row in rows {
      for column in firstColumn...lastColumn {
        let wrapped = (column + Self.columns) % Self.columns
        let cell = cells[row * Self.columns + wrapped] & ~Self.nearBorder
        guard cell >= Self.firstCrossing else { continue }
        let offset = Double((column - wrapped) * Self.cellSize) - x
        for run in runPositions(Int(cell - Self.firstCrossing)) {
          var edge = Int(runs[run] & 0xFF_FFFF)
          let end = edge + Int(runs[run] >> 24)
          while edge < end {
            if isWanted(corners[edge]) {
              let (a, b) = (corners[edge].position, corners[edge + 1].position)
              let distance = Self.squaredDistance(
                Corner(x: (a.x + offset) * shrink, y: a.y - y), Corner(x: (b.x + offset) * shrink, y: b.y - y))
              if distance < nearest { (nearest, found) = (distance, edge) }
            }
            edge += 1
          }
        }
      }
    }
    return found.map { ($0, nearest.squareRoot() / 1000 * Self.kilometersPerDegree) }
  }

  /// Returns the squared distance from the origin to a segment.
  @inline(__always)
  private static func squaredDistance(_ a: Corner, _ b: Corner) -> Double {
    let (x, y) = (b.x - a.x, b.y - a.y)
    let length = x * x + y * y
    let along = length > 0 ? max(0, min(1, -(a.x * x + a.y * y) / length)) : 0
    let (nearX, nearY) = (a.x + along * x, a.y + along * y)
    return nearX * nearX + nearY * nearY
  }

  private func row(_ thousandths: Double) -> Int {
    max(0, min(Self.rows - 1, Int(((thousandths + 90_000) / Double(Self.cellSize)).rounded(.down))))
  }

  @inline(__always)
  private func runPositions(_ crossing: Int) -> Range<Int> {
    Int(crossings[crossing] & 0xFF_FFFF)..<Int(crossings[crossing + 1] & 0xFF_FFFF)
  }
}
