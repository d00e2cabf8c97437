import GeocodeCore
import Synchronization

/// A provider that uses the tables installed with the program, without a network.
///
/// The tables are loaded once, by `prepare` or by the first lookup, and shared by all runs of the process.
public final class OfflineGeocodeProvider: GeocodeProvider {
  private let folder: String?
  private let loaded: Mutex<GeocodeTables?>

  /// - Parameter folder: the folder of the tables, or nil to search for it next to the program (see `TableLocation`).
  public init(folder: String? = nil) {
    self.folder = folder
    loaded = Mutex(nil)
  }

  /// Returns the tables. The first call loads them, and later callers wait for it.
  private func tables() throws(GeocodeError) -> (tables: GeocodeTables, isNew: Bool) {
    let result = loaded.withLock { kept -> Result<(GeocodeTables, Bool), GeocodeError> in
      if let kept { return .success((kept, false)) }
      let result = Self.load(folder)
      kept = try? result.get()
      return result.map { ($0, true) }
    }
    return try result.get()
  }

  private static func load(_ folder: String?) -> Result<GeocodeTables, GeocodeError> {
    var path = ""
    do throws(GeocodeError) {
      if let folder { path = folder } else { path = try TableLocation.find() }
    } catch {
      return .failure(error)
    }
    do throws(TableError) {
      return .success(try GeocodeTables(folder: path))
    } catch {
      return .failure(.dataCorrupt("\(error)"))
    }
  }

  /// Loads the tables.
  public func prepare() throws(GeocodeError) -> GeocodePreparation {
    let (tables, isNew) = try tables()
    return GeocodePreparation(
      places: tables.placeCount, regions: tables.regionCount, countries: tables.countryCount, loaded: isNew)
  }

  /// Returns the place at a coordinate.
  public func reverse(
    _ coordinate: Coordinate, options: ReverseGeocoder.Options
  ) throws(GeocodeError) -> ReverseAnswer {
    let tables = try tables().tables
    guard let match = ReverseGeocoder(tables).match(coordinate, options: options) else {
      throw .noResult(
        "no country holds \(coordinate.latitude), \(coordinate.longitude), and no city is within "
          + "\(options.maximumDistanceKilometers) km")
    }
    return ReverseAnswer(
      place: tables.place(for: match, at: coordinate), distanceKilometers: match.distanceKilometers,
      method: match.method, confidence: match.confidence)
  }

  /// Returns the records with a name.
  public func forward(
    _ query: String, near: Coordinate?, countryCode: String?, limit: Int
  ) throws(GeocodeError) -> [ForwardAnswer] {
    let tables = try tables().tables
    var options = ForwardGeocoder.Options(near: near, limit: limit)
    if let countryCode {
      guard let country = tables.countryNumber(ofCode: countryCode) else {
        throw .noResult("'\(countryCode)' is not a country; expected an ISO 3166 code such as CN or CHN")
      }
      options.country = country
    }
    do throws(ForwardGeocoder.Failure) {
      return try ForwardGeocoder(tables).search(query, options: options).map { match in
        ForwardAnswer(
          place: tables.place(for: match.record), kind: Self.kind(of: match.record), closeness: match.closeness,
          population: Self.population(of: match), distanceKilometers: match.distanceKilometers)
      }
    } catch {
      throw Self.explain(error, query: query, tables)
    }
  }

  /// Returns the countries of the tables.
  public func countries() throws(GeocodeError) -> [CountrySummary] { try tables().tables.allCountries }

  private static func kind(of record: GeocodeRecord) -> ForwardAnswer.Kind {
    switch record {
    case .place: .city
    case .region: .province
    case .country: .country
    case .division: .district
    }
  }

  private static func population(of match: ForwardGeocoder.Match) -> Int? {
    if case .place = match.record { match.importance } else { nil }
  }

  private static func explain(
    _ failure: ForwardGeocoder.Failure, query: String, _ tables: GeocodeTables
  ) -> GeocodeError {
    switch failure {
    case .unusableQuery:
      .noResult("the query must hold a letter or a digit and at most \(ForwardGeocoder.longestQuery) bytes")
    case .noResult:
      .noResult("nothing is called '\(query)'")
    case .partialResult(let found, let missing):
      .partialResult("'\(missing)' is not known in \(name(of: tables.place(for: found)))")
    }
  }

  private static func name(of place: NamedPlace) -> String {
    place.city ?? place.divisionsChinese.last ?? place.admin1 ?? place.country
  }
}
