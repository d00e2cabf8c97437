import GeocodeCore
import Testing

struct CoordinateTests {
  @Test(arguments: [
    (121.5, 31.2, InvalidCoordinate.Reason.swapped), (90.0001, 200, .latitudeOutOfRange), (-91, 10, .swapped),
    (200, 10, .latitudeOutOfRange), (10, 180.0001, .longitudeOutOfRange), (.nan, 0, .notFinite), (0, .nan, .notFinite),
    (.infinity, 0, .notFinite), (0, -.infinity, .notFinite),
  ])
  func `refuses invalid positions and reports the reason`(
    _ latitude: Double, _ longitude: Double, reason: InvalidCoordinate.Reason
  ) throws {
    let error = #expect(throws: InvalidCoordinate.self) { try Coordinate(latitude: latitude, longitude: longitude) }
    #expect(error?.reason == reason)
  }

  @Test func `suggests the correct order if latitude and longitude are swapped`() throws {
    let error = #expect(throws: InvalidCoordinate.self) { try Coordinate(latitude: 121.5, longitude: 31.2) }
    #expect(
      error?.description
        == "latitude 121.5 is outside -90 … 90; are the two swapped? latitude 31.2, longitude 121.5 is a position")
  }

  @Test(arguments: [(90.0, 180.0), (-90.0, -180.0), (0, 0)])
  func `accepts the largest and smallest latitudes and longitudes`(_ latitude: Double, _ longitude: Double) throws {
    let coordinate = try Coordinate(latitude: latitude, longitude: longitude)
    #expect(coordinate.latitude == latitude && coordinate.longitude == longitude)
  }

  @Test(arguments: [(190.0, -170.0), (-190, 170), (540, 180), (361, 1), (180, 180)])
  func `normalizes a longitude by whole turns on request`(_ given: Double, _ expected: Double) throws {
    #expect(abs(try Coordinate(latitude: 0, longitude: given, wrapping: true).longitude) == abs(expected))
  }
}
