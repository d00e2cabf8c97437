/// The geocoder's data, read from a folder of tables.
///
/// Loading maps the files and verifies their checksums. Nothing is parsed, copied or built. The tables are immutable,
/// and any thread may use them.
///
/// ```swift
/// let tables = try GeocodeTables(folder: "/usr/share/flowrun/geocode")
/// let match = try ReverseGeocoder(tables).match(Coordinate(latitude: 22.54, longitude: 114.06))
/// ```
public final class GeocodeTables: Sendable {
  /// The files in the folder, without the manifest.
  public static let fileNames = [
    "places.tsv", "admin1.tsv", "countries.tsv", "divisions.tsv", "overrides.tsv", "zones.tsv", "index.bin",
  ]
  /// The file with the sizes and checksums of the other files.
  public static let manifestName = "manifest.tsv"

  let vectors: UnitVectors
  let countries: CountryTable
  let regions: RegionTable
  let places: PlaceTable
  let areas: AreaTable
  let cities: CityTable
  let divisions: DivisionTable
  let borders: CountryBorders
  let overrides: OverrideTable
  let search: SearchTable
  let typos: TypoTable
  let folding: Folding
  /// The tree of places. The number of a point is that of its area, and the label is its country.
  let tree: PointTree
  /// The tree of the districts of China. The number of a point is the first two digits of the district's code, which
  /// are also its label.
  let districtTree: PointTree
  /// For each country number, true if the tables have a place in the country.
  let isPopulated: [Bool]

  /// Loads the tables.
  ///
  /// - Parameter folder: the path of the folder that contains the tables.
  /// - Throws: `TableError.unreadable` if a file is missing, `TableError.corrupt` if one is damaged.
  public init(folder: String) throws(TableError) {
    let manifest = try TableManifest(TableFile(name: Self.manifestName, in: folder))
    func file(_ name: String) throws(TableError) -> TableFile {
      let file = try TableFile(name: name, in: folder)
      try file.verify(manifest.entry(for: name), isText: name.hasSuffix(".tsv"))
      return file
    }
    vectors = UnitVectors()
    let index = try TableIndex(file("index.bin"))
    countries = try CountryTable(file("countries.tsv"), index)
    regions = try RegionTable(file("admin1.tsv"), index)
    places = try PlaceTable(file("places.tsv"), index)
    areas = try AreaTable(file("zones.tsv"), index)
    cities = try CityTable(index, placeCount: places.count)
    divisions = try DivisionTable(file("divisions.tsv"), index)
    overrides = try OverrideTable(file("overrides.tsv"), regions: regions, vectors: vectors)
    borders = try CountryBorders(index)
    tree = try PointTree(
      index, .init(leaves: .placeLeaves, nodes: .placeNodes, points: .placePoints), count: places.count,
      labels: areas.countries)
    districtTree = try PointTree(
      index, .init(leaves: .districtLeaves, nodes: .districtNodes, points: .districtPoints),
      count: divisions.count - divisions.firstDistrict)
    search = try SearchTable(index)
    typos = try TypoTable(index)
    folding = try Folding(index)
    var isPopulated = [Bool](repeating: false, count: 256)
    for area in 0..<areas.countries.count { isPopulated[Int(areas.countries[area])] = true }
    self.isPopulated = isPopulated
  }

  @inline(__always)
  func region(ofPlace row: Int) -> RegionTable.Number { areas.regions[Int(tree.carried(byPlace: row))] }
}
