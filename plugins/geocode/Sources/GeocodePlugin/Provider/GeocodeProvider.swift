import FlowModel
import FlowPluginKit
import GeocodeCore

/// A source of places. The plugin contains an offline provider. An app can use the platform's geocoder or a web service
/// instead.
///
/// Calls may block, and several threads may call at the same time. A provider that uses a network must limit its rate
/// and combine equal requests. It throws `GeocodeError.rateLimited` or `.network` if it receives no answer.
public protocol GeocodeProvider: Sendable {
  /// Prepares for the first lookup. Later calls have no effect.
  func prepare() throws(GeocodeError) -> GeocodePreparation

  /// Returns the place at a coordinate. Throws `GeocodeError.noResult` on the open sea.
  func reverse(
    _ coordinate: Coordinate, options: ReverseGeocoder.Options
  ) throws(GeocodeError) -> ReverseAnswer

  /// Returns the records with a name, best first. The array is never empty: throws `GeocodeError.noResult` or
  /// `.partialResult` if there is no such record.
  func forward(
    _ query: String, near: Coordinate?, countryCode: String?, limit: Int
  ) throws(GeocodeError) -> [ForwardAnswer]

  /// Returns all countries and territories that the provider can find.
  func countries() throws(GeocodeError) -> [CountrySummary]
}

/// The numbers of records in the tables of a prepared provider.
public struct GeocodePreparation: Sendable, Equatable {
  /// The number of named places that can be found.
  public var places: Int
  /// The number of first-level divisions that can be found.
  public var regions: Int
  /// The number of countries and territories that can be found.
  public var countries: Int
  /// True if this call loaded the tables; false if they had been loaded before.
  public var loaded: Bool

  /// Creates a result. Its numbers are reported by the `geocode.prepare` step.
  public init(places: Int, regions: Int, countries: Int, loaded: Bool) {
    self.places = places
    self.regions = regions
    self.countries = countries
    self.loaded = loaded
  }
}

/// The place at a coordinate, with the evidence for its country.
public struct ReverseAnswer: Sendable, Equatable {
  /// The names and the position.
  public var place: NamedPlace
  /// The distance to the city in kilometers, or nil if there is no city.
  public var distanceKilometers: Double?
  /// The kind of evidence that decided the country.
  public var method: ReverseGeocoder.Method
  /// The measured probability that the country is right, 0 … 1.
  public var confidence: Double

  /// Creates an answer with the place and the certainty of its country.
  public init(
    place: NamedPlace, distanceKilometers: Double? = nil, method: ReverseGeocoder.Method, confidence: Double
  ) {
    self.place = place
    self.distanceKilometers = distanceKilometers
    self.method = method
    self.confidence = confidence
  }
}

/// One result of a lookup by name.
public struct ForwardAnswer: Sendable, Equatable {
  /// The kinds of records that a lookup can return.
  public enum Kind: String, Sendable, CaseIterable {
    case city, province, country, district
  }

  /// The names and the position of the record.
  public var place: NamedPlace
  /// The kind of the record.
  public var kind: Kind
  /// The similarity of the matching name to the query.
  public var closeness: ForwardGeocoder.Closeness
  /// The population of a city, or nil for other kinds.
  public var population: Int?
  /// The distance from `near` in kilometers, or nil if `near` is nil or the record has no position.
  public var distanceKilometers: Double?

  /// Creates an answer for one record.
  public init(
    place: NamedPlace, kind: Kind, closeness: ForwardGeocoder.Closeness, population: Int? = nil,
    distanceKilometers: Double? = nil
  ) {
    self.place = place
    self.kind = kind
    self.closeness = closeness
    self.population = population
    self.distanceKilometers = distanceKilometers
  }
}

extension HandleKey {
  /// The handle of the plugin's ``GeocodeProvider``.
  public static let geocodeProvider: HandleKey = "geocode-provider"
}
