import FlowModel
import FlowPluginKit
import FlowTestKit
import GeocodeCore
import GeocodePlugin
import Testing

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

struct GeocodePluginTests {
  static let plugin = GeocodePlugin()
  var registry: [String: RegisteredAction] {
    Dictionary(uniqueKeysWithValues: Self.plugin.actions.map { ($0.name, RegisteredAction($0)) })
  }

  func host(_ plugin: GeocodePlugin = GeocodePluginTests.plugin) -> TestHost {
    TestHost(handles: Dictionary(uniqueKeysWithValues: plugin.handles.map { ($0.key, $0.handle) }))
  }

  func call(
    _ action: String, _ inputs: ValueObject = [:], plugin: GeocodePlugin = GeocodePluginTests.plugin
  ) async throws -> ValueObject {
    try await host(plugin).call(try #require(registry[action]), with: inputs)
  }

  /// The tables can be loaded early, so that the first lookup is fast (L22).
  @Test func `loads its tables once, whichever action is called first`() async throws {
    let plugin = GeocodePlugin()
    let first = try await call("geocode.prepare", plugin: plugin)
    #expect(first["loaded"] == .boolean(true))
    #expect(first["countries"] == .integer(250))
    #expect(try await call("geocode.prepare", plugin: plugin)["loaded"] == .boolean(false))
    let unprepared = GeocodePlugin()
    _ = try await call("geocode.reverse", ["latitude": 48.8566, "longitude": 2.3522], plugin: unprepared)
    #expect(try await call("geocode.prepare", plugin: unprepared)["loaded"] == .boolean(false))
  }

  /// Names are returned in English and Chinese (L42).
  @Test func `returns the names of a place in English and Chinese`() async throws {
    let place = try await call(
      "geocode.reverse", ["latitude": 22.5431, "longitude": 114.0579, "minimum-population": 1_000_000])
    #expect(place["city"] == .string("Shenzhen"))
    #expect(place["city-zh"] == .string("深圳"))
    #expect(place["admin1"] == .string("Guangdong"))
    #expect(place["admin1-zh"] == .string("广东省"))
    #expect(place["country-code"] == .string("CN"))
    #expect(place["country-zh"] == .string("中国"))
    #expect(place["method"] == .string("override"))
    #expect(try #require(place["distance-kilometers"]?.numberValue) < 5)
  }

  @Test func `returns lines in English for an unsupported language, and warns`() async throws {
    let host = host()
    let action = try #require(registry["geocode.reverse-all"])
    let places: Value = [["latitude": 48.8566, "longitude": 2.3522]]
    for (language, used, country) in [("fr-FR", "en", "France"), ("zh_CN", "zh", "法国"), ("en", "en", "France")] {
      let outputs = try await host.call(action, with: ["places": places, "language": .string(language)])
      #expect(outputs["language"] == .string(used))
      #expect(outputs["lines"]?.arrayValue?.first?.stringValue?.hasSuffix(country) == true)
    }
    let warnings = host.logLines.filter { $0.level == .warning }.map(\.message)
    #expect(warnings == ["names are not known in the language 'fr-FR', only in en or zh; using en"])
    let error = await #expect(throws: ActionError.self) {
      try await host.call(action, with: ["places": places, "language": "French"])
    }
    #expect(error?.code == "language-invalid")
    #expect(error?.message == "'French' is not a language tag; write en or zh")
  }

  @Test func `returns every declared output, with null for missing values`() async throws {
    let declared = try #require(registry["geocode.reverse"]).declaration.outputs.map(\.name)
    let greenland = try await call("geocode.reverse", ["latitude": 75, "longitude": -40])
    #expect(greenland.keys == declared)
    #expect(greenland["city"] == .null)
    #expect(greenland["country"] == .string("Greenland"))
  }

  @Test func `finds the places with a name, up to the requested number and in the requested country`() async throws {
    let found = try await call("geocode.forward", ["query": "Springfield", "limit": 5])
    #expect(found["count"] == .integer(5))
    guard case .object(let best)? = found["best"] else { throw try #require(nil as (any Error)?) }
    #expect(best["country-code"] == .string("US"))
    let canada = try await call("geocode.forward", ["query": "London", "country": "CAN"])
    guard case .object(let london)? = canada["best"] else { throw try #require(nil as (any Error)?) }
    #expect(london["admin1"] == .string("Ontario"))
  }

  /// The list contains the 249 countries of ISO 3166-1 and Kosovo (L12, C19).
  @Test func `lists the countries of the world or of a continent`() async throws {
    #expect(try await call("geocode.countries")["count"] == .integer(250))
    let europe = try await call("geocode.countries", ["continent": "EU"])
    #expect(try #require(europe["count"]?.integerValue) > 40)
  }

  @Test(arguments: [
    (121.5, 31.2, "are the two swapped? latitude 31.2, longitude 121.5 is a position"),
    (10, 181, "longitude 181.0 is outside -180 … 180"), (200, 200, "latitude 200.0 is outside -90 … 90"),
  ])
  func `refuses invalid positions`(_ latitude: Double, _ longitude: Double, _ text: String) async throws {
    let error = await #expect(throws: ActionError.self) {
      try await call("geocode.reverse", ["latitude": .number(latitude), "longitude": .number(longitude)])
    }
    #expect(error?.code == "invalid-coordinate")
    #expect(error?.message.contains(text) == true)
    #expect(try await call("geocode.reverse", ["latitude": 10, "longitude": 437.4, "wrap": true])["country"] != nil)
  }

  @Test func `returns 1 to 100 results, and accepts queries of up to 200 bytes`() async throws {
    #expect(try await call("geocode.forward", ["query": "San", "limit": 100])["count"] == .integer(100))
    #expect(try await call("geocode.forward", ["query": "San", "limit": 1])["count"] == .integer(1))
    let action = try #require(registry["geocode.forward"])
    for (limit, problems) in [(0, 1), (1, 0), (100, 0), (101, 1)] {
      #expect(action.check(LiteralInput(["query": "San", "limit": .integer(limit)])).count == problems)
    }
    let name = "Paris"
    let long = name + String(repeating: " ", count: 200 - name.utf8.count)
    #expect(try await call("geocode.forward", ["query": .string(long)])["count"] != nil)
    let error = await #expect(throws: ActionError.self) {
      try await call("geocode.forward", ["query": .string(long + " ")])
    }
    #expect(error?.message == "the query must contain a letter or a digit and at most 200 bytes")
  }

  @Test(arguments: [
    ("geocode.forward", "limit", Value.integer(0), "limit: 0 results; expected 1 … 100"),
    ("geocode.forward", "limit", .integer(101), "limit: 101 results; expected 1 … 100"),
    (
      "geocode.reverse", "maximum-distance-kilometers", .number(-1),
      "maximum-distance-kilometers: -1.0 is not a distance; expected 0 … 20040 kilometers"
    ),
    (
      "geocode.reverse", "maximum-distance-kilometers", .number(20_041),
      "maximum-distance-kilometers: 20041.0 is not a distance; expected 0 … 20040 kilometers"
    ),
    (
      "geocode.reverse", "minimum-population", .integer(-1),
      "minimum-population: -1 is not a population; expected 0 … 100000000"
    ),
    (
      "geocode.reverse-all", "minimum-population", .integer(100_000_001),
      "minimum-population: 100000001 is not a population; expected 0 … 100000000"
    ),
  ])
  func `refuses literal and computed numbers that are out of range`(
    _ action: String, _ input: String, _ value: Value, _ message: String
  ) async throws {
    var inputs: ValueObject =
      switch action {
      case "geocode.forward": ["query": "San"]
      case "geocode.reverse": ["latitude": 1, "longitude": 1]
      default: ["places": .array([])]
      }
    inputs[input] = value
    let error = await #expect(throws: ActionError.self) { try await call(action, inputs) }
    #expect(error?.code == "out-of-range")
    #expect(error?.message == message)
    #expect(try #require(registry[action]).check(LiteralInput(inputs)).count == 1)
  }

  @Test func `fails for a point on the open sea and names its coordinates`() async throws {
    let error = await #expect(throws: ActionError.self) {
      try await call("geocode.reverse", ["latitude": -30, "longitude": -140])
    }
    #expect(error?.code == "no-result")
    #expect(error?.message == "no country contains -30.0, -140.0, and no city is within 100.0 km")
  }

  @Test func `reports an unknown name in a known country, and an unknown country`() async throws {
    let partial = await #expect(throws: ActionError.self) {
      try await call("geocode.forward", ["query": "Xyzzyville, France"])
    }
    #expect(partial?.code == "partial-result")
    #expect(partial?.message == "'Xyzzyville' is not known in France")
    let unknown = await #expect(throws: ActionError.self) {
      try await call("geocode.forward", ["query": "Paris", "country": "ZZ"])
    }
    #expect(unknown?.message == "'ZZ' is not a country code; expected one of ISO 3166, such as CN or CHN")
  }

  @Test func `stops if the step has been cancelled`() async throws {
    let host = host()
    host.cancel()
    let error = await #expect(throws: ActionError.self) {
      try await host.call(try #require(registry["geocode.reverse"]), with: ["latitude": 1, "longitude": 1])
    }
    #expect(error?.code == "cancelled")
  }

  @Test func `reports a missing table with its path`() async throws {
    let plugin = GeocodePlugin(provider: OfflineGeocodeProvider(folder: "/nowhere"))
    let error = await #expect(throws: ActionError.self) { try await call("geocode.prepare", plugin: plugin) }
    #expect(error?.code == "data-corrupt")
    #expect(error?.message == "cannot read /nowhere/manifest.tsv: No such file or directory")
  }

  @Test func `maps errors to Core Location errors`() {
    #expect(GeocodeError.partialResult("").coreLocationName == "geocodeFoundPartialResult")
    #expect(GeocodeError.noResult("").coreLocationName == "geocodeFoundNoResult")
    #expect(GeocodeError.cancelled.coreLocationName == "geocodeCanceled")
    #expect(GeocodeError.rateLimited(retryAfter: .seconds(3)).coreLocationName == "network")
  }
}
