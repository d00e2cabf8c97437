/// The small circles in `overrides.tsv` in which the other tables are known to be wrong.
struct OverrideTable: Sendable {
  private struct Circle {
    var center: SIMD3<Float>
    var squaredChord: Float
    var region: RegionTable.Number
  }

  private var circles: [Circle] = []

  init(_ file: TableFile, regions: RegionTable, vectors: UnitVectors) throws(TableError) {
    var rows = try TableRows(file, columns: ["latitude", "longitude", "radius", "region", "why"])
    while rows.next() {
      let latitude = try rows.decimal("latitude", decimals: 4, limit: 900_000)
      let longitude = try rows.decimal("longitude", decimals: 4, limit: 1_800_000)
      let meters = try rows.integer("radius", in: 1...100_000)
      guard let region = regions.number(ofCode: rows.bytes(of: rows.field())) else {
        throw rows.error("expected a region code that admin1.tsv has")
      }
      circles.append(
        Circle(
          center: vectors.point(latitudeSteps: latitude, longitudeSteps: longitude),
          squaredChord: UnitVectors.squaredChord(kilometers: Double(meters) / 1000), region: region))
      rows.skipRow()
    }
  }

  /// Returns the region that applies at a point regardless of other evidence, or nil if no circle contains the point.
  @inline(__always)
  func region(at point: SIMD3<Float>) -> RegionTable.Number? {
    for circle in circles {
      let d = circle.center - point
      if (d * d).sum() <= circle.squaredChord { return circle.region }
    }
    return nil
  }
}
