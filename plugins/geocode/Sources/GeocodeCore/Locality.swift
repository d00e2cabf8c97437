/// The city that a person would name for a point and, if known, the part of the city.
struct Locality {
  /// The row of the city in the table of places.
  var place: Int
  /// The row of the part in the table of places, or nil if the point is not in or near a part.
  var part: Int?

  /// The squared chord of a city's radius per inhabitant. The area of a city grows with its population, and a city of a
  /// million inhabitants has a radius of 7.2 km. `localities.py` uses the same value.
  private static let squaredChordPerInhabitant = UnitVectors.squaredChord(kilometers: 7.2) / 1_000_000
  /// The assumed population of smaller places.
  private static let smallestPopulation: UInt32 = 200
  /// The distance within which a part of a city is always named. Large parts are named at larger distances, too.
  static let partReach = UnitVectors.squaredChord(kilometers: 2)

  /// Returns the squared chord of the radius of a city with this population.
  @inline(__always)
  static func squaredRadius(_ population: UInt32) -> Float {
    Float(max(population, smallestPopulation)) * squaredChordPerInhabitant
  }
}

extension GeocodeTables {
  /// Returns the city that a person would name for a point, with its part if there is one.
  ///
  /// If the nearest place is a part of a city, returns that city. Otherwise the nearest place competes with the larger
  /// city near it. The city wins if the point is within its radius, and if its radius relative to its distance is
  /// larger than that of the place.
  ///
  /// - Parameter nearest: the nearest place, with its squared chord from the point.
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

  /// Returns the squared chord from a point to a place. The points of the tree cannot be used for this, because in
  /// sparsely populated areas they are up to 50 m off.
  @inline(__always)
  func squaredChord(_ point: SIMD3<Float>, toPlace place: Int) -> Float {
    let position = places.position(place)
    let d = vectors.point(latitudeSteps: Int(position.x), longitudeSteps: Int(position.y)) - point
    return (d * d).sum()
  }
}
