import Foundation
import GeocodeCore

/// Measures the geocoder: loading, memory use, reverse lookups near cities and at random points, and searches by name.
///
///     GeocodeBenchmark [--tables FOLDER] [--points FILE]
///
/// Prints one line of JSON per figure: `work`, `value`, `unit` and, if there is a limit, `bar`. Lookups are measured in
/// processor time of one thread, in the fastest of several rounds. With `--points`, only writes 200,000 points near
/// cities to a file, which `geocode/peers.py` reads.
@main enum GeocodeBenchmark {
  static func main() throws {
    var arguments = Array(CommandLine.arguments.dropFirst())
    func option(_ name: String) -> String? {
      guard let place = arguments.firstIndex(of: name), place + 1 < arguments.count else { return nil }
      defer { arguments.removeSubrange(place...place + 1) }
      return arguments[place + 1]
    }
    let source = URL(fileURLWithPath: #filePath).deletingLastPathComponent().path
    let folder = option("--tables") ?? source + "/../../../../plugins/geocode/Sources/GeocodePlugin/Tables"

    let before = residentMegabytes()
    let clock = ContinuousClock()
    let start = clock.now
    let tables: GeocodeTables
    do {
      tables = try GeocodeTables(folder: folder)
    } catch {
      FileHandle.standardError.write(Data("GeocodeBenchmark: \(error)\n".utf8))
      exit(1)
    }
    let load = (clock.now - start) / .milliseconds(1)
    var chance = Chance(state: 88_172_645_463_325_252)
    if let file = option("--points") {
      let lines = (0..<200_000).map { _ in chance.nearCity(tables) }.map { "\($0.latitude) \($0.longitude)\n" }
      return try lines.joined().write(toFile: file, atomically: true, encoding: .utf8)
    }
    let reverse = ReverseGeocoder(tables)
    let forward = ForwardGeocoder(tables)
    let first = clock.now
    keep(reverse.match(try Coordinate(latitude: 22.5431, longitude: 114.0579))?.country ?? 0)
    let firstLookup = (clock.now - first) / .milliseconds(1)

    show("load the tables, first in the process", load, "ms", bar: "≤ 10")
    show("the first reverse lookup after it", firstLookup, "ms", bar: nil)
    show(
      "load the tables again", best(of: 20) { keep((try? GeocodeTables(folder: folder))?.placeCount ?? 0) } * 1000, "ms"
    )

    let cities = (0..<100_000).map { _ in chance.nearCity(tables) }
    let anywhere = (0..<100_000).map { _ in chance.anywhere() }
    for (name, points, bar) in [("near cities", cities, "≥ 1.5"), ("at random points", anywhere, "≥ 0.4")] {
      let time = best(of: 9) { for point in points { keep(reverse.match(point)?.country ?? 0) } }
      show("reverse lookups \(name)", Double(points.count) / time / 1e6, "M/s", bar: bar)
    }
    let names = (0..<20_000).compactMap { _ in tables.place(for: .place(chance.below(tables.placeCount))).city }
    let time = best(of: 9) {
      for name in names { keep((try? forward.search(name, options: .init(limit: 1)))?.count ?? 0) }
    }
    show("search by exact name, over 20,000 names", time / Double(names.count) * 1e6, "µs", bar: "≤ 2")
    let misspelled = names.filter { $0.utf8.count > 5 }.prefix(4_000).map { name in
      var letters = Array(name)
      letters.swapAt(letters.count / 2, letters.count / 2 + 1)
      return String(letters)
    }
    let forgiving = best(of: 3) {
      for name in misspelled { keep((try? forward.search(name, options: .init(limit: 5)))?.count ?? 0) }
    }
    show("search by misspelled name", forgiving / Double(misspelled.count) * 1e6, "µs", bar: "≤ 50")
    show(
      "resident for the tables, after all of this", residentMegabytes() - before - ownMegabytes(cities, names), "MB",
      bar: "≤ 15")
  }

  /// Returns the memory that the benchmark's own data uses.
  private static func ownMegabytes(_ points: [Coordinate], _ names: [String]) -> Double {
    Double(2 * points.count * MemoryLayout<Coordinate>.stride + names.count * MemoryLayout<String>.stride) / 1e6
  }

  private static func show(_ name: String, _ value: Double, _ unit: String, bar: String? = nil) {
    let rounded = (value * 1000).rounded() / 1000
    print(#"{"work":"\#(name)","value":\#(rounded),"unit":"\#(unit)"\#(bar.map { #","bar":"\#($0)""# } ?? "")}"#)
  }

  /// Returns the processor time of the fastest round, in seconds of this thread.
  private static func best(of rounds: Int, _ body: () -> Void) -> Double {
    (0..<rounds).map { _ in
      let start = threadSeconds()
      body()
      return threadSeconds() - start
    }.min()!
  }

  private static func threadSeconds() -> Double {
    var time = timespec()
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
    return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
  }

  /// Uses a result, so that the compiler cannot remove the work.
  @inline(never) private static func keep(_ value: Int) {}

  private static func residentMegabytes() -> Double {
    guard let text = try? String(contentsOfFile: "/proc/self/statm", encoding: .utf8) else { return 0 }
    return Double(text.split(separator: " ")[1])! * Double(sysconf(Int32(_SC_PAGESIZE))) / 1e6
  }
}

/// A random number generator with a fixed seed.
struct Chance {
  var state: UInt64

  mutating func next() -> Double {
    state ^= state << 13
    state ^= state >> 7
    state ^= state << 17
    return Double(state >> 11) / Double(1 << 53)
  }

  mutating func below(_ limit: Int) -> Int { Int(next() * Double(limit)) }

  /// Returns a point whose latitude and longitude differ from those of a random city by at most 0.05°.
  mutating func nearCity(_ tables: GeocodeTables) -> Coordinate {
    let city = tables.coordinate(ofPlace: below(tables.placeCount))
    let latitude = max(-90, min(90, city.latitude + (next() - 0.5) / 10))
    return (try? Coordinate(latitude: latitude, longitude: city.longitude + (next() - 0.5) / 10, wrapping: true))
      ?? city
  }

  /// Returns a point that is uniformly distributed on the sphere.
  mutating func anywhere() -> Coordinate {
    let latitude = asin(2 * next() - 1) * 180 / .pi
    let longitude = next() * 360 - 180
    return (try? Coordinate(latitude: latitude, longitude: longitude)) ?? anywhere()
  }
}
