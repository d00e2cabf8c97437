/// Which country's outline holds a point: a grid of one-degree cells over the outlines, from the index.
///
/// Most cells are crossed by no border and know their answer. In the others the line from the point to the middle of the
/// cell, whose country is known, is followed: every border it crosses changes the country.
struct CountryBorders: Sendable {
  /// A country's number in the country table; 0xFF is none.
  typealias CountryNumber = UInt8
  /// No country: the sea, or land too small for the map.
  static let none: CountryNumber = 0xFF

  private static let rows = 180
  private static let columns = 360
  /// Cells with a smaller value hold one country, by its number plus one, or none.
  private static let firstCrossing: UInt16 = 256

  /// A position in thousandths of a degree.
  private struct Corner {
    var x: Double
    var y: Double

    /// On which side of the line from `a` to `b` it lies; exact for corners, so that neighbors do not both miss a point.
    @inline(__always)
    func isLeft(of a: Corner, _ b: Corner) -> Bool { (b.x - a.x) * (y - a.y) - (x - a.x) * (b.y - a.y) >= 0 }
  }

  private let index: TableIndex
  private let cells: MappedArray<UInt16>
  private let crossings: MappedArray<UInt32>
  private let edges: MappedArray<UInt16>
  private let corners: MappedArray<SIMD2<Int32>>
  /// The number plus one of the country that each corner's ring belongs to: nothing is zero, and crossings are added by
  /// exclusive or.
  private let countries: MappedArray<UInt8>
  /// For each country number, whether it has an outline at all.
  let isOutlined: [Bool]

  init(_ index: TableIndex) throws(TableError) {
    self.index = index
    cells = try index.array(.borderCells, of: UInt16.self, count: Self.rows * Self.columns)
    crossings = try index.array(.borderCrossings, of: UInt32.self)
    edges = try index.array(.borderEdges, of: UInt16.self)
    countries = try index.array(.borderCountries, of: UInt8.self)
    corners = try index.array(.borderCorners, of: SIMD2<Int32>.self, count: countries.count)
    var isOutlined = [Bool](repeating: false, count: 256)
    for corner in 0..<countries.count { isOutlined[Int(countries[corner] &- 1)] = true }
    self.isOutlined = isOutlined
  }

  /// The country whose outline holds the coordinate, or `none`.
  @inline(__always)
  func country(at coordinate: Coordinate) -> CountryNumber {
    // The map is cut along the antimeridian and ends at the poles: a point on the edge is taken for one just inside.
    let point = Corner(
      x: max(-179_999, min(179_999, coordinate.longitude * 1000)),
      y: max(-89_999, min(89_999, coordinate.latitude * 1000)))
    let row = Int((point.y + 90_000) / 1000)
    let column = Int((point.x + 180_000) / 1000)
    let cell = cells[row * Self.columns + column]
    if cell < Self.firstCrossing { return UInt8(truncatingIfNeeded: cell) &- 1 }
    let middle = Corner(x: Double(column * 1000 - 179_500), y: Double(row * 1000 - 89_500))
    return follow(Int(cell - Self.firstCrossing), from: point, to: middle)
  }

  private func follow(_ crossing: Int, from point: Corner, to middle: Corner) -> CountryNumber {
    var inside = UInt8(crossings[crossing] >> 24)
    for position in edgePositions(crossing) {
      let edge = Int(edges[position])
      let a = corner(edge)
      let b = corner(edge + 1)
      // An end that lies on the line counts to one side of it only.
      if a.isLeft(of: point, middle) != b.isLeft(of: point, middle), point.isLeft(of: a, b) != middle.isLeft(of: a, b) {
        inside ^= countries[edge]
      }
    }
    // Where the map overlaps itself, more than one country remains and the sum is none of them.
    return inside == 0 || !isOutlined[Int(inside &- 1)] ? Self.none : inside &- 1
  }

  /// The country whose outline is nearest to a coordinate outside all of them, up to `reach` kilometers away, or `none`.
  func nearestCountry(to coordinate: Coordinate, within reach: Double) -> CountryNumber {
    let kilometersPerDegree = UnitVectors.earthRadiusKilometers * .pi / 180
    // The plane that touches the globe here, in thousandths of a degree of latitude; near enough over such distances.
    let shrink = max(0.01, UnitVectors.cosine(degrees: coordinate.latitude))
    let height = reach / kilometersPerDegree
    let width = min(180, height / shrink)
    let rows = row(coordinate.latitude - height)...row(coordinate.latitude + height)
    let firstColumn = Int((coordinate.longitude - width + 180).rounded(.down))
    let lastColumn = min(firstColumn + Self.columns - 1, Int((coordinate.longitude + width + 180).rounded(.down)))
    var nearest = (height * 1000) * (height * 1000)
    var country = Self.none
    for row in rows {
      for column in firstColumn...lastColumn {
        let wrapped = (column + Self.columns) % Self.columns
        let cell = cells[row * Self.columns + wrapped]
        guard cell >= Self.firstCrossing else { continue }
        let turn = Double(column - wrapped) * 1000
        for position in edgePositions(Int(cell - Self.firstCrossing)) {
          let edge = Int(edges[position])
          func offset(_ number: Int) -> Corner {
            let corner = corner(number)
            return Corner(
              x: (corner.x + turn - coordinate.longitude * 1000) * shrink, y: corner.y - coordinate.latitude * 1000)
          }
          let distance = Self.squaredDistance(offset(edge), offset(edge + 1))
          if distance < nearest { (nearest, country) = (distance, countries[edge] &- 1) }
        }
      }
    }
    return country
  }

  /// The squared distance of the origin from a segment.
  private static func squaredDistance(_ a: Corner, _ b: Corner) -> Double {
    let (x, y) = (b.x - a.x, b.y - a.y)
    let length = x * x + y * y
    let along = length > 0 ? max(0, min(1, -(a.x * x + a.y * y) / length)) : 0
    let (nearX, nearY) = (a.x + along * x, a.y + along * y)
    return nearX * nearX + nearY * nearY
  }

  private func row(_ latitude: Double) -> Int { max(0, min(Self.rows - 1, Int((latitude + 90).rounded(.down)))) }

  @inline(__always)
  private func edgePositions(_ crossing: Int) -> Range<Int> {
    Int(crossings[crossing] & 0xFF_FFFF)..<Int(crossings[crossing + 1] & 0xFF_FFFF)
  }

  @inline(__always)
  private func corner(_ number: Int) -> Corner {
    let corner = corners[number]
    return Corner(x: Double(corner.x), y: Double(corner.y))
  }
}
