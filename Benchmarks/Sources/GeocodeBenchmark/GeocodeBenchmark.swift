import Foundation
import GeocodeCore

/// The geocoder's figures: loading, reverse lookups near cities and at random points, search by name, memory.
///
///     GeocodeBenchmark [--tables FOLDER] [--points FILE]
///
/// Prints a line of JSON for each figure with its bar. `--points` writes 200,000 points near cities to a file, for
/// `geocode/peers.py`, and measures nothing.
@main enum GeocodeBenchmark {
  static func main() throws {
    var arguments = Array(CommandLine.arguments.dropFirst())
    func option(_ name: String) -> String? {
      guard let place = arguments.firstIndex(of: name), place + 1 < arguments.count else { return nil }
      defer { arguments.removeSubrange(place...place + 1) }
      return arguments[place + 1]
    }
    let source = URL(fileURLWithPath: #filePath).deletingLastPathComponent().path
    let folder = option("--tables") ?? source + "/../../../plugins/geocode/Sources/GeocodePlugin/Tables"

    let before = residentMegabytes()
    var tables: GeocodeTables?
    let load = seconds { tables = try? GeocodeTables(folder: folder) }
    guard let tables else {
      _ = try GeocodeTables(folder: folder)
      return
    }
    let resident = residentMegabytes() - before
    var chance = Chance(state: 88_172_645_463_325_252)
    let cities = (0..<500_000).map { _ in chance.nearCity(tables) }
    if let file = option("--points") {
      let lines = cities.prefix(200_000).map { "\($0.latitude) \($0.longitude)\n" }.joined()
      return try lines.write(toFile: file, atomically: true, encoding: .utf8)
    }
    let anywhere = (0..<500_000).map { _ in chance.anywhere() }

    show("load the tables, cold", load * 1000, "ms", bar: "≤ 10")
    show("memory of the tables", resident, "MB", bar: "≤ 15")
    let reverse = ReverseGeocoder(tables)
    for (name, points, bar) in [("near cities", cities, "≥ 1.5"), ("at random points", anywhere, "≥ 0.4")] {
      let best = (0..<3).map { _ in seconds { for point in points { keep(reverse.match(point)?.country ?? 0) } } }
        .min()!
      show("reverse lookups \(name)", Double(points.count) / best / 1e6, "M/s", bar: bar)
    }
    let forward = ForwardGeocoder(tables)
    let names = (0..<20_000).compactMap { _ in tables.place(for: .place(chance.below(tables.placeCount))).city }
    let best = (0..<3).map { _ in
      seconds { for name in names { keep((try? forward.search(name, options: .init(limit: 1)))?.count ?? 0) } }
    }.min()!
    show("search by exact name", best / Double(names.count) * 1e6, "µs", bar: "≤ 2")
  }

  private static func show(_ name: String, _ value: Double, _ unit: String, bar: String) {
    let rounded = (value * 100).rounded() / 100
    print(#"{"work":"\#(name)","value":\#(rounded),"unit":"\#(unit)","bar":"\#(bar)"}"#)
  }

  private static func seconds(_ body: () -> Void) -> Double {
    let elapsed = ContinuousClock().measure(body).components
    return Double(elapsed.seconds) + Double(elapsed.attoseconds) / 1e18
  }

  /// Uses a result, so that no work is left out.
  @inline(never) private static func keep(_ value: Int) {}

  private static func residentMegabytes() -> Double {
    guard let text = try? String(contentsOfFile: "/proc/self/statm", encoding: .utf8) else { return 0 }
    return Double(text.split(separator: " ")[1])! * 4096 / 1e6
  }
}

/// Seeded chance.
struct Chance {
  var state: UInt64

  mutating func next() -> Double {
    state ^= state << 13
    state ^= state >> 7
    state ^= state << 17
    return Double(state >> 11) / Double(1 << 53)
  }

  mutating func below(_ limit: Int) -> Int { Int(next() * Double(limit)) }

  /// A point within about 5 km of a city.
  mutating func nearCity(_ tables: GeocodeTables) -> Coordinate {
    let city = tables.coordinate(ofPlace: below(tables.placeCount))
    let latitude = max(-90, min(90, city.latitude + (next() - 0.5) / 10))
    return (try? Coordinate(latitude: latitude, longitude: city.longitude + (next() - 0.5) / 10, wrapping: true))
      ?? city
  }

  /// A point anywhere on the sphere, evenly.
  mutating func anywhere() -> Coordinate {
    let latitude = asin(2 * next() - 1) * 180 / .pi
    let longitude = next() * 360 - 180
    return (try? Coordinate(latitude: latitude, longitude: longitude)) ?? anywhere()
  }
}
