/// The city that a person would name for a point, and the part of it.
struct Locality {
  /// The city's place.
  var place: Int
  /// The place that is a part of the city, if the point is in or next to it.
  var part: Int?

  /// The squared chord of the radius of a city, divided by its population: the area grows with the population. A city of a
  /// million inhabitants has a radius of 7.2 km; `localities.py` computes with the same one.
  private static let squaredChordPerInhabitant = UnitVectors.squaredChord(kilometers: 7.2) / 1_000_000
  /// The least population that a radius is computed from.
  private static let smallestPopulation: UInt32 = 200
  /// A part is named up to this far away, or within its radius.
  static let partReach = UnitVectors.squaredChord(kilometers: 2)

  /// The squared chord of a city's radius.
  @inline(__always)
  static func squaredRadius(_ population: UInt32) -> Float {
    Float(max(population, smallestPopulation)) * squaredChordPerInhabitant
  }
}

extension GeocodeTables {
  /// The locality of a point.
  ///
  /// A place that is a part of a city stands for the city. Otherwise the nearest place competes with the larger city near it: the
  /// one wins whose radius covers more of the way to the point, and a city only if its radius covers the whole way.
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

  /// The squared chord from a point to a place; the tree's points are up to 50 m off in the emptiest parts.
  @inline(__always)
  func squaredChord(_ point: SIMD3<Float>, toPlace place: Int) -> Float {
    let position = places.position(place)
    let d = vectors.point(latitudeSteps: Int(position.x), longitudeSteps: Int(position.y)) - point
    return (d * d).sum()
  }
}
