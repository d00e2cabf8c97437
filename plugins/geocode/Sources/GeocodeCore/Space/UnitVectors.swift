import FlowPlatform

/// Converts degrees to points on the unit sphere. To be fast, it adds a coarse and a fine part of the angle, whose
/// sines are in two small tables. Coordinates in tables are multiples of 0.0001°.
///
/// Distances are compared as squared chords. Points that are separated by an angle `a` have the chord `2 sin(a / 2)`.
/// It grows with the distance along the ground, even across the antimeridian and at the poles.
struct UnitVectors {
  /// The resolution of coordinates in tables: a step is 0.0001°.
  static let stepsPerDegree = 10_000
  /// The mean radius of the earth as defined by the IUGG.
  static let earthRadiusKilometers = 6371.0088

  private static let fineBits = 11
  private static let fineCount = 1 << fineBits
  private static let turn = 360 * stepsPerDegree

  private struct Angle {
    var cosine: Double
    var sine: Double
  }

  private let coarse: [Angle]
  private let fine: [Angle]

  init() {
    func angles(_ count: Int, stride: Int) -> [Angle] {
      (0..<count).map { index in
        let radians = Double(index * stride) * .pi / Double(180 * Self.stepsPerDegree)
        return Angle(cosine: cos(radians), sine: sin(radians))
      }
    }
    coarse = angles((Self.turn >> Self.fineBits) + 1, stride: Self.fineCount)
    fine = angles(Self.fineCount, stride: 1)
  }

  /// Returns the cosine and sine of an angle in steps, which must be between −180° and 360°.
  @inline(__always)
  private func angle(_ steps: Int) -> Angle {
    let positive = steps < 0 ? steps + Self.turn : steps
    let a = coarse[positive >> Self.fineBits]
    let b = fine[positive & (Self.fineCount - 1)]
    return Angle(cosine: a.cosine * b.cosine - a.sine * b.sine, sine: a.sine * b.cosine + a.cosine * b.sine)
  }

  /// Returns the point on the sphere for a coordinate in steps of 0.0001°.
  @inline(__always)
  func point(latitudeSteps: Int, longitudeSteps: Int) -> SIMD3<Float> {
    let latitude = angle(latitudeSteps)
    let longitude = angle(longitudeSteps)
    return SIMD3(
      Float(latitude.cosine * longitude.cosine), Float(latitude.cosine * longitude.sine), Float(latitude.sine))
  }

  /// Returns the point on the sphere for a coordinate in degrees: the point of the nearest step, rotated by the
  /// remaining angle. This angle is less than 10⁻⁶ rad, so its sine equals the angle.
  @inline(__always)
  func point(_ coordinate: Coordinate) -> SIMD3<Float> {
    func exact(_ degrees: Double) -> Angle {
      let steps = (degrees * Double(Self.stepsPerDegree)).rounded(.toNearestOrEven)
      let rest = degrees * (.pi / 180) - steps * (.pi / Double(180 * Self.stepsPerDegree))
      let near = angle(Int(steps))
      return Angle(cosine: near.cosine - near.sine * rest, sine: near.sine + near.cosine * rest)
    }
    let latitude = exact(coordinate.latitude)
    let longitude = exact(coordinate.longitude)
    return SIMD3(
      Float(latitude.cosine * longitude.cosine), Float(latitude.cosine * longitude.sine), Float(latitude.sine))
  }

  static func cosine(degrees: Double) -> Double { cos(degrees * .pi / 180) }

  /// Returns the distance along the ground, in kilometers, that corresponds to a squared chord.
  static func kilometers(squaredChord: Float) -> Double {
    2 * earthRadiusKilometers * asin(min(1, Double(squaredChord).squareRoot() / 2))
  }

  /// Returns the squared chord that corresponds to a distance along the ground. For half the circumference or more,
  /// this is 4.
  static func squaredChord(kilometers: Double) -> Float {
    guard kilometers < .pi * earthRadiusKilometers else { return 4 }
    let chord = 2 * sin(max(0, kilometers) / (2 * earthRadiusKilometers))
    return Float(chord * chord)
  }

  /// Returns the distance between two coordinates along the ground, computed in double precision (haversine).
  static func kilometers(from a: Coordinate, to b: Coordinate) -> Double {
    let radians = Double.pi / 180
    let latitude = sin((b.latitude - a.latitude) * radians / 2)
    let longitude = sin((b.longitude - a.longitude) * radians / 2)
    let h =
      latitude * latitude + cos(a.latitude * radians) * cos(b.latitude * radians) * longitude * longitude
    return 2 * earthRadiusKilometers * asin(min(1, h.squareRoot()))
  }
}
