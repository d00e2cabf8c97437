import FlowModel
import FlowPluginKit
import FlowTestKit
import StoragePlugin
import Testing

@testable import FootprintPlugin

struct `Reading trips and places` {
  let folder: TemporaryFolder
  let host: TestHost

  init() async throws {
    folder = try TemporaryFolder()
    host = try await folder.opened()
    _ = try await host.call(Prepare.self, with: ["sample": true])
  }

  private func texts(_ values: Value?, _ key: String) -> [String] {
    values?.arrayValue?.compactMap { $0.objectValue?[key]?.stringValue } ?? []
  }

  private func code(_ action: any ActionType.Type, _ inputs: ValueObject) async -> String? {
    do {
      _ = try await host.call(action, with: inputs)
      return nil
    } catch {
      return (error as? ActionError)?.code ?? "\(error)"
    }
  }

  @Test func `L24: returns trips ordered by their first day, newest first`() async throws {
    let outputs = try await host.call(Trips.self)
    let days = texts(outputs["trips"], "startDate")
    #expect(outputs["count"] == 17)
    #expect(days == days.sorted(by: >))
    #expect(days.first == "2025-02-01" && days.last == "2012-04-02")
    #expect(outputs["trips"]?.arrayValue?.first?.objectValue?["destinationCount"] == 7)
  }

  @Test func `L29: returns the most recent destinations, up to the requested number`() async throws {
    let outputs = try await host.call(RecentDestinations.self, with: ["limit": 3])
    #expect(texts(outputs["destinations"], "name") == ["Mexico City", "Vancouver", "Hanoi"])
    #expect(outputs["destinations"]?.arrayValue?.first?.objectValue?["latitude"] == 19.4285)
  }

  @Test func `L29: returns the configuration stored at the first launch`() async throws {
    let outputs = try await host.call("storage.values", with: ["scope": "configuration"])
    #expect(outputs["entries"]?.objectValue?["trips.page-size"] == 20)
    #expect(outputs["count"] == 3)
    #expect(try await host.call("storage.values", with: ["scope": "nobody's"])["count"] == 0)
  }

  @Test func `L37: returns a trip's destinations in the order of travel`() async throws {
    let outputs = try await host.call(Destinations.self, with: ["trip": "2021-chuan-yu"])
    #expect(texts(outputs["destinations"], "name") == ["Chengdu", "Leshan", "Chongqing"])
    #expect(await code(Destinations.self, ["trip": "2077-mars"]) == "unknown-trip")
    #expect(try await host.call(Destinations.self, with: ["limit": 5, "offset": 134])["count"] == 2)
  }

  @Test func `returns the numbers of places and trips, and the first and the last visit`() async throws {
    let outputs = try await host.call(Statistics.self)
    #expect(outputs["destinations"] == 136 && outputs["trips"] == 17)
    #expect(outputs["first-visit"] == "2011-10-02" && outputs["last-visit"] == "2025-05-23")
  }

  @Test func `L36: returns empty lists for an empty store`() async throws {
    let empty = try await folder.opened("empty.sqlite")
    _ = try await empty.call(Prepare.self)
    #expect(try await empty.call(Trips.self) == ["trips": [], "count": 0])
    #expect(try await empty.call(RecentDestinations.self)["count"] == 0)
    let statistics = try await empty.call(Statistics.self)
    #expect(statistics["destinations"] == 0 && statistics["first-visit"] == .null)
    try empty.closeHandles()
  }

  @Test(arguments: [0, 1001]) func `refuses a limit outside 1 to 1000 before and during the run`(_ limit: Int)
    async
  {
    for action in [Trips.self, RecentDestinations.self, Destinations.self] as [any ActionType.Type] {
      #expect(await code(action, ["limit": .integer(limit)]) == "limit-out-of-range")
      #expect(action.details.check(LiteralInput(["limit": .integer(limit)])).map(\.keyPath) == ["limit"])
      for limit in [1, 1000] { #expect(action.details.check(LiteralInput(["limit": .integer(limit)])).isEmpty) }
    }
  }

  @Test func `L16: fails with handle-missing if no step has prepared the tables`() async throws {
    let other = try await folder.opened("other.sqlite")
    for action in [Trips.self, Destinations.self, RecentDestinations.self, Statistics.self] as [any ActionType.Type] {
      await #expect {
        try await other.call(action)
      } throws: { ($0 as? ActionError)?.code == "handle-missing" }
    }
  }
}
