import GeocodeCore
import Synchronization

/// A provider that works offline, with the tables installed with the program.
///
/// All runs of the process share the tables, which are loaded by `prepare` or by the first lookup.
public final class OfflineGeocodeProvider: GeocodeProvider {
  private let folder: String?
  private let loaded: Mutex<GeocodeTables?>

  /// - Parameter folder: the folder of the tables, or nil to find it automatically (see `TableLocation`).
  public init(folder: String? = nil) {
    self.folder = folder
    loaded = Mutex(nil)
  }

  /// Returns the tables. The first call loads them while later callers wait.
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

  /// Loads the tables if they have not been loaded.
  public func prepare() throws(GeocodeError) -> GeocodePreparation {
    let (tables, isNew) = try tables()
    return GeocodePreparation(
      places: tables.placeCount, regions: tables.regionCount, countries: tables.countryCount, loaded: isNew)
  }

  /// Returns the place at a coordinate. Throws `GeocodeError.noResult` on the open sea.
  public func reverse(
    _ coordinate: Coordinate, options: ReverseGeocoder.Options
  ) throws(GeocodeError) -> ReverseAnswer {
    let tables = try tables().tables
    guard let match = ReverseGeocoder(tables).match(coordinate, options: options) else {
      throw .noResult(
        "no country contains \(coordinate.latitude), \(coordinate.longitude), and no city is within "
          + "\(options.maximumDistanceKilometers) km")
    }
    return ReverseAnswer(
      place: tables.place(for: match, at: coordinate), distanceKilometers: match.distanceKilometers,
      method: match.method, confidence: match.confidence)
  }

  /// Returns the records with a name, best first.
  public func forward(
    _ query: String, near: Coordinate?, countryCode: String?, limit: Int
  ) throws(GeocodeError) -> [ForwardAnswer] {
    let tables = try tables().tables
    var options = ForwardGeocoder.Options(near: near, limit: limit)
    if let countryCode {
      guard let country = tables.countryNumber(ofCode: countryCode) else {
        throw .noResult("'\(countryCode)' is not a country code; expected one of ISO 3166, such as CN or CHN")
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

  /// Returns all countries in the tables, sorted by code.
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
      .noResult("the query must contain a letter or a digit and at most \(ForwardGeocoder.longestQuery) bytes")
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
