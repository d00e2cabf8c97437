/// The city that a person would name for a point, and a part of that city.
struct Locality {
  /// The city's place.
  var place: Int
  /// The place of a part of the city, if the point is in or near it.
  var part: Int?

  /// The squared chord of a city's radius per inhabitant, since the area of a city grows with its population. A city of
  /// a million inhabitants has a radius of 7.2 km. `localities.py` uses the same value.
  private static let squaredChordPerInhabitant = UnitVectors.squaredChord(kilometers: 7.2) / 1_000_000
  /// The population that smaller places are assumed to have.
  private static let smallestPopulation: UInt32 = 200
  /// The minimum distance up to which a part of a city is named.
  static let partReach = UnitVectors.squaredChord(kilometers: 2)

  /// Returns the squared chord of the radius of a city with this population.
  @inline(__always)
  static func squaredRadius(_ population: UInt32) -> Float {
    Float(max(population, smallestPopulation)) * squaredChordPerInhabitant
  }
}

extension GeocodeTables {
  /// Returns the locality of a point.
  ///
  /// If the nearest place is a part of a city, the city is used instead. Otherwise the nearest place competes with the
  /// larger city near it. The city wins if the point is within its radius and the city's radius, relative to its
  /// distance, is larger than that of the place.
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

  /// Returns the squared chord from a point to a place. Points of the tree are not used, because in sparsely populated
  /// areas they are up to 50 m off.
  @inline(__always)
  func squaredChord(_ point: SIMD3<Float>, toPlace place: Int) -> Float {
    let position = places.position(place)
    let d = vectors.point(latitudeSteps: Int(position.x), longitudeSteps: Int(position.y)) - point
    return (d * d).sum()
  }
}
