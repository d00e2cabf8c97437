/// The city that a person would name for a point, and the part of the city.
struct Locality {
  /// The city's place.
  var place: Int
  /// The place of a part of the city, if the point is in or near it.
  var part: Int?

  /// The squared chord of a city's radius per inhabitant, because the area grows with the population. A city of a
  /// million inhabitants has a radius of 7.2 km. `localities.py` uses the same value.
  private static let squaredChordPerInhabitant = UnitVectors.squaredChord(kilometers: 7.2) / 1_000_000
  /// The minimum population from which a radius is computed.
  private static let smallestPopulation: UInt32 = 200
  /// The distance up to which a part is named, unless its radius is larger.
  static let partReach = UnitVectors.squaredChord(kilometers: 2)

  /// Returns the squared chord of a city's radius.
  @inline(__always)
  static func squaredRadius(_ population: UInt32) -> Float {
    Float(max(population, smallestPopulation)) * squaredChordPerInhabitant
  }
}

extension GeocodeTables {
  /// Returns the locality of a point.
  ///
  /// A place that is a part of a city is replaced by the city. Otherwise the nearest place competes with the larger
  /// city near it: the one whose radius covers more of the way to the point wins, but a city only if its radius covers
  /// the whole way.
  ///
  /// - Parameter nearest: the nearest place, and its squared chord from the point.
  @inline(__always)
  func locality(of point: SIMD3<Float>, nearest: (place: Int, squaredChord: Float)) -> Locality {
    guard let city = cities.city(ofPlace: nearest.place) else { return Locality(place: nearest.place) }
    let ownReach = Locality.squaredRadius(places.population(nearest.place))
    if city.isPart {
      let isNear = nearest.squaredChord <= max(Locality.partReach, ownReach)
      return Locality(place: city.place, part: isNear ? nearest.place : nil)
    }
    let way = squaredChord(point, toPlace: city.place)
    let reach = Locality.squaredRadius(places.population(city.place))
    let isCity = way <= reach && way * ownReach <= nearest.squaredChord * reach
    return Locality(place: isCity ? city.place : nearest.place)
  }

  /// The squared chord from a point to a place. The tree's points are up to 50 m off in sparsely populated areas.
  @inline(__always)
  func squaredChord(_ point: SIMD3<Float>, toPlace place: Int) -> Float {
    let position = places.position(place)
    let d = vectors.point(latitudeSteps: Int(position.x), longitudeSteps: Int(position.y)) - point
    return (d * d).sum()
  }
}
