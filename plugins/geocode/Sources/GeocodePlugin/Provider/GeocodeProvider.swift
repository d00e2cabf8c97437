import FlowModel
import FlowPluginKit
import GeocodeCore

/// A source of answers. The plugin brings an offline one; an app may bring the platform's geocoder or a web service.
///
/// Calls may block, and come from any thread at the same time. A provider that asks a network limits its rate, answers
/// equal requests once, and throws `GeocodeError.rateLimited` or `.network` where it cannot answer.
public protocol GeocodeProvider: Sendable {
  /// Gets ready for the first lookup; does nothing when that was done.
  func prepare() throws(GeocodeError) -> GeocodePreparation

  /// Where a coordinate is; throws `no-result` on the open sea.
  func reverse(
    _ coordinate: Coordinate, options: ReverseGeocoder.Options
  ) throws(GeocodeError) -> ReverseAnswer

  /// The bearers of a name, best first and never empty.
  func forward(
    _ query: String, near: Coordinate?, countryCode: String?, limit: Int
  ) throws(GeocodeError) -> [ForwardAnswer]

  /// The countries it knows.
  func countries() throws(GeocodeError) -> [CountrySummary]
}

/// What preparing found.
public struct GeocodePreparation: Sendable, Equatable {
  /// Named places.
  public var places: Int
  /// First-level divisions.
  public var regions: Int
  /// Countries and territories.
  public var countries: Int
  /// Whether this call did the work; false when it was done before.
  public var loaded: Bool

  /// So many places, divisions and countries.
  public init(places: Int, regions: Int, countries: Int, loaded: Bool) {
    self.places = places
    self.regions = regions
    self.countries = countries
    self.loaded = loaded
  }
}

/// The answer to a reverse lookup.
public struct ReverseAnswer: Sendable, Equatable {
  /// The names.
  public var place: NamedPlace
  /// Kilometers to the city; nil without one.
  public var distanceKilometers: Double?
  /// How the country was decided.
  public var method: ReverseGeocoder.Method
  /// How sure the country is, 0 … 1.
  public var confidence: Double

  /// An answer.
  public init(
    place: NamedPlace, distanceKilometers: Double? = nil, method: ReverseGeocoder.Method, confidence: Double
  ) {
    self.place = place
    self.distanceKilometers = distanceKilometers
    self.method = method
    self.confidence = confidence
  }
}

/// One answer to a search by name.
public struct ForwardAnswer: Sendable, Equatable {
  /// What it is.
  public enum Kind: String, Sendable, CaseIterable {
    case city, province, country, district
  }

  /// The names and the position.
  public var place: NamedPlace
  /// What it is.
  public var kind: Kind
  /// How well the name fits.
  public var closeness: ForwardGeocoder.Closeness
  /// Inhabitants of a city; nil for the rest.
  public var population: Int?
  /// Kilometers from where the search asked for; nil when it did not.
  public var distanceKilometers: Double?

  /// An answer.
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
  /// The ``GeocodeProvider`` behind the plugin.
  public static let geocodeProvider: HandleKey = "geocode-provider"
}
