/// Everything the geocoder knows, read from a folder of tables.
///
/// Loading maps the files, checks their sums, reads the numbers into columns and computes bounding boxes: no tree and no
/// dictionary of names is built. The value never changes afterwards and may be used from any thread.
///
/// ```swift
/// let tables = try GeocodeTables(folder: "/usr/share/flowrun/geocode")
/// let match = try ReverseGeocoder(tables).match(Coordinate(latitude: 22.54, longitude: 114.06))
/// ```
public final class GeocodeTables: Sendable {
  /// The files a folder of tables holds, besides the manifest.
  public static let fileNames = [
    "places.tsv", "admin1.tsv", "countries.tsv", "divisions.tsv", "search.bin", "cloud.bin", "borders.tsv",
    "overrides.tsv",
  ]
  /// The manifest: sizes and checksums of the others.
  public static let manifestName = "manifest.tsv"

  let vectors: UnitVectors
  let countries: CountryTable
  let regions: RegionTable
  let places: PlaceTable
  let cloud: CloudTable
  let divisions: DivisionTable
  let borders: CountryBorders
  let overrides: OverrideTable
  let search: SearchTable
  /// The named places, with the nameless as followers; the labels are countries.
  let tree: PointTree
  /// The districts of China; the labels are the first two digits of their codes.
  let districtTree: PointTree
  /// The two digits with which the codes of a Chinese region's divisions begin; 0 elsewhere.
  let provinceDigits: [UInt8]
  /// Whether any place of a country is known, named or not.
  let isPopulated: [Bool]
  /// The most populous named place of each region; nil where there is none.
  let seats: [Int32?]

  /// Loads the tables.
  ///
  /// - Parameter folder: the path of the folder that holds them.
  /// - Throws: `TableError`: `unreadable` when a file is missing, `corrupt` with file and line when one is damaged.
  public init(folder: String) throws(TableError) {
    let manifest = try TableManifest(TableFile(name: Self.manifestName, in: folder))
    func file(_ name: String) throws(TableError) -> TableFile {
      let file = try TableFile(name: name, in: folder)
      try file.verify(manifest.entry(for: name), isText: name.hasSuffix(".tsv"))
      return file
    }
    let vectors = UnitVectors()
    self.vectors = vectors
    countries = try CountryTable(file("countries.tsv"))
    regions = try RegionTable(file("admin1.tsv"), countries: countries)
    let places = try PlaceTable(file("places.tsv"), regions: regions)
    self.places = places
    let cloud = try CloudTable(file("cloud.bin"), regions: regions, placeCount: places.count)
    self.cloud = cloud
    let divisions = try DivisionTable(file("divisions.tsv"))
    self.divisions = divisions
    borders = try CountryBorders(rings: Self.rings(file("borders.tsv"), countries))
    overrides = try OverrideTable(file("overrides.tsv"), regions: regions, vectors: vectors)
    let countryOfRegion = regions.countries
    tree = PointTree(
      .init(count: places.count, label: { countryOfRegion[Int(places.regions[$0])] }) {
        let position = places.positions[$0]
        return vectors.point(latitudeSteps: Int(position.x), longitudeSteps: Int(position.y))
      },
      followers: .init(count: cloud.count, label: { countryOfRegion[Int(cloud.region($0))] }) {
        vectors.point(latitudeSteps: cloud.latitudeSteps($0), longitudeSteps: cloud.longitudeSteps($0))
      }, followerCount: cloud.followerCount)
    // Labelled with the two digits of the province.
    let first = divisions.firstDistrict
    districtTree = PointTree(
      .init(count: divisions.count - first, label: { UInt8(divisions.codes[first + $0] / 10_000) }) {
        let position = divisions.positions[first + $0]
        return vectors.point(latitudeSteps: Int(position.x), longitudeSteps: Int(position.y))
      })
    provinceDigits = Self.provinceDigits(regions, divisions)
    seats = Self.seats(regions, places)
    var isPopulated = [Bool](repeating: false, count: countries.rows.count)
    for country in countryOfRegion { isPopulated[Int(country)] = true }
    self.isPopulated = isPopulated
    search = try SearchTable(
      file("search.bin"), recordCount: places.count + regions.count + countries.rows.count + divisions.count)
  }

  private static func rings(_ file: TableFile, _ countries: CountryTable) throws(TableError) -> [CountryBorders.Ring] {
    var rings: [CountryBorders.Ring] = []
    var rows = try TableRows(file, columns: ["iso2", "ring"])
    while rows.next() {
      guard let country = countries.number(ofCode: rows.bytes(of: rows.field())) else {
        throw rows.error("expected a country code that countries.tsv has")
      }
      let field = rows.field()
      let text = rows.bytes(of: field)
      var corners: [Int32] = []
      corners.reserveCapacity(text.count / 6)
      var offset = 0
      while offset < text.count {
        let isNegative = text[offset] == UInt8(ascii: "-")
        if isNegative { offset += 1 }
        let start = offset
        var value: Int32 = 0
        while offset < text.count, text[offset] &- 48 < 10, offset - start < 6 {
          value = value * 10 + Int32(text[offset] - 48)
          offset += 1
        }
        guard offset > start, offset == text.count || text[offset] == 32, value <= 180_000 else {
          throw rows.error("expected longitudes and latitudes in thousandths of a degree")
        }
        offset += 1
        corners.append(isNegative ? -value : value)
      }
      guard corners.count >= 6, corners.count % 2 == 0 else { throw rows.error("a ring has three corners or more") }
      try rows.endOfRow()
      rings.append(CountryBorders.Ring(country: country, corners: corners))
    }
    return rings
  }

  private static func provinceDigits(_ regions: RegionTable, _ divisions: DivisionTable) -> [UInt8] {
    var digits: [String: UInt8] = [:]
    for row in 0..<divisions.firstDistrict where divisions.codes[row] % 10_000 == 0 {
      digits[divisions.name(row)] = UInt8(divisions.codes[row] / 10_000)
    }
    return (0..<regions.count).map { region in
      let name = regions.chineseName(RegionTable.Number(region))
      return name.isEmpty ? 0 : digits[name] ?? 0
    }
  }

  private static func seats(_ regions: RegionTable, _ places: PlaceTable) -> [Int32?] {
    var seats = [Int32?](repeating: nil, count: regions.count)
    for place in 0..<places.count {
      let region = Int(places.regions[place])
      if let seat = seats[region], places.populations[Int(seat)] >= places.populations[place] { continue }
      seats[region] = Int32(place)
    }
    return seats
  }
}
