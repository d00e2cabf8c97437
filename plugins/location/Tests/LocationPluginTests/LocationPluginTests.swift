import FlowModel
import FlowPluginKit
import FlowTestKit
import Synchronization
import Testing

@testable import LocationPlugin

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// A source that counts how often permission is requested.
final class CountingSource: LocationSource {
  let prompts = Mutex(0)
  func authorization() -> LocationAuthorization? { nil }
  nonisolated(nonsending) func requestAuthorization(
    simulatedAnswer: LocationAuthorization
  ) async throws -> LocationAuthorization {
    prompts.withLock { $0 += 1 }
    return simulatedAnswer
  }
  nonisolated(nonsending) func positions(
    for request: LocationRequest, in context: ActionContext, deliver: @Sendable (Position) throws -> Void
  ) async throws {
    try deliver(Position(latitude: 1, longitude: 2, elevationMeters: nil, elapsed: .zero))
  }
}

@Suite(.timeLimit(.minutes(10))) struct LocationPluginTests {
  let store = MemoryKeyValueStore()

  func host(_ plugin: LocationPlugin, launch: Launch = Launch(), folder: String = "/") -> TestHost {
    var handles: [HandleKey: any Sendable] = [.keyValueStore: store]
    for handle in plugin.handles { handles[handle.key] = handle.handle }
    return TestHost(workflowFolder: folder, launch: launch, handles: handles)
  }

  /// Calls `body` with a folder that contains a track: `text`, or three points at intervals of ten seconds.
  func withTrack(_ text: String? = nil, _ body: (String) async throws -> Void) async throws {
    let folder = FileManager.default.temporaryDirectory.path + "/location-" + UUID().uuidString
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let track =
      text ?? """
        <?xml version="1.0"?>
        <gpx version="1.1"><!-- a walk --><trk><trkseg>
        <trkpt lat="31.2400" lon="121.4900"><ele>4</ele><time>2026-05-01T08:00:00Z</time></trkpt>
        <trkpt lat="31.2410" lon="121.4910"><time>2026-05-01T08:00:10Z</time></trkpt>
        <trkpt lon='121.4920' lat='31.2420'><time>2026-05-01T08:00:20Z</time></trkpt>
        </trkseg></trk></gpx>
        """
    try Data(track.utf8).write(to: URL(fileURLWithPath: folder + "/walk.gpx"))
    try await body(folder)
  }

  /// Permission is requested only when the map is used for the first time (L3, L20).
  @Test func `prepares without requesting permission`() async throws {
    let source = CountingSource()
    let host = host(LocationPlugin(source: source))
    let outputs = try await host.call(PrepareLocation.self)
    #expect(outputs["authorization"] == .string("not-determined"))
    #expect(outputs["granted"] == .boolean(false))
    #expect(source.prompts.withLock { $0 } == 0)
  }

  /// The answer is valid for the whole installation (L21).
  @Test(arguments: [("when-in-use", true), ("always", true), ("denied", false)])
  func `requests permission once and stores the answer`(_ answer: String, granted: Bool) async throws {
    let source = CountingSource()
    let host = host(LocationPlugin(source: source))
    let first = try await host.call(RequestLocationPermission.self, with: ["answer": .string(answer)])
    #expect(first["asked"] == .boolean(true))
    #expect(first["granted"] == .boolean(granted))
    // Another run of the app uses the stored answer, even if the user would answer differently.
    let again = try await self.host(LocationPlugin(source: source)).call(
      RequestLocationPermission.self, with: ["answer": "always"])
    #expect(again["asked"] == .boolean(false))
    #expect(again["authorization"] == .string(answer))
    #expect(source.prompts.withLock { $0 } == 1)
    #expect(try await host.call(PrepareLocation.self)["granted"] == .boolean(granted))
  }

  @Test func `does not start without permission`() async throws {
    let host = host(LocationPlugin(source: CountingSource()))
    let error = await #expect(throws: ActionError.self) { try await host.call(StartLocation.self) }
    #expect(error?.code == "not-permitted")
    #expect(
      error?.message
        == "the location may not be used: not-determined; location.request-permission asks the user")
  }

  /// The system launches an app for a position only if the app has permission (R13, C11).
  @Test func `starts without a recorded permission if the system launched the app for a position`() async throws {
    let host = host(LocationPlugin(source: CountingSource()), launch: Launch(reason: .location))
    async let call = host.call(StartLocation.self)
    #expect(await host.readied()["latitude"] == .number(1))
    host.cancel()
    _ = try? await call
    #expect(host.posts == ["location.first-fix"])
  }

  /// The first position makes the step ready (L19).
  @Test(arguments: [1.0, 2.0]) func `simulates a track at its recorded speed or faster`(_ speed: Double)
    async throws
  {
    try await withTrack { folder in
      try store.put("always", for: "authorization", in: "location")
      let plugin = LocationPlugin()
      let host = host(plugin, folder: folder)
      async let call = host.call(StartLocation.self, with: ["track": "walk.gpx", "speed": .number(speed)])
      let ready = await host.readied()
      #expect(ready["latitude"] == .number(31.24))
      #expect(ready["elevation-meters"] == .number(4))
      while host.sleeperCount == 0 { await Task.yield() }
      host.advance(by: .milliseconds(Int64(9_999 / speed)))
      #expect(try await host.call(StopLocationProbe.self)["positions"] == .integer(1))
      host.advance(by: .milliseconds(2))
      while try await host.call(StopLocationProbe.self)["positions"] != .integer(2) { await Task.yield() }
      while host.sleeperCount == 0 { await Task.yield() }
      host.advance(by: .seconds(10))
      while try await host.call(StopLocationProbe.self)["positions"] != .integer(3) { await Task.yield() }
      let stopped = try await host.call(StopLocation.self)
      #expect(stopped["stopped"] == .boolean(true))
      #expect(stopped["positions"] == .integer(3))
      #expect(stopped["latitude"] == .number(31.242))
      #expect(try await call["latitude"] == .number(31.242))
      #expect(try await host.call(StopLocation.self)["stopped"] == .boolean(false))
    }
  }

  @Test(arguments: [
    ("<gpx></gpx>", 1, "no wpt, trkpt or rtept with lat and lon"),
    ("<gpx>\n<wpt lon=\"2\"/></gpx>", 2, "<wpt> needs 'lat'"),
    ("<gpx>\n\n<wpt lat=\"91\" lon=\"2\"/></gpx>", 3, "lat is '91', expected a number of -90 … 90"),
    ("<gpx><wpt lat=1 lon=\"2\"/></gpx>", 1, "the value of 'lat' in <wpt> needs quotes"),
    (
      "<gpx><wpt lat=\"1\" lon=\"2\"><time>noon</time></wpt></gpx>", 1,
      "'noon' is not a time; expected 2026-05-01T08:00:00Z"
    ),
    ("<gpx><!-- ", 1, "'-->' is missing"), ("<gpx><wpt lat=\"1", 1, "the value of 'lat' has no end"),
  ])
  func `reports the line of an error in a track`(_ text: String, line: Int, message: String) {
    #expect(throws: GPXProblem(line: line, message: message)) { try GPXTrack(bytes: Array(text.utf8)) }
  }

  @Test func `accepts a track of 16 MiB and refuses a larger one`() throws {
    let path = FileManager.default.temporaryDirectory.path + "/\(UUID().uuidString).gpx"
    defer { try? FileManager.default.removeItem(atPath: path) }
    var data = Data("<gpx><wpt lat=\"1\" lon=\"2\"/></gpx>".utf8)
    data.append(Data(repeating: UInt8(ascii: "\n"), count: GPXTrack.largestFile - data.count))
    try data.write(to: URL(fileURLWithPath: path))
    #expect(try GPXTrack(path: path).points.map(\.latitude) == [1])
    data.append(UInt8(ascii: "\n"))
    try data.write(to: URL(fileURLWithPath: path))
    let error = #expect(throws: ActionError.self) { try GPXTrack(path: path) }
    #expect(error?.message == "\(path): 16777217 bytes; a track may have 16777216")
  }

  @Test func `reports a track that is a folder or cannot be read, with its path`() throws {
    let folder = FileManager.default.temporaryDirectory.path + "/location-" + UUID().uuidString
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let error = #expect(throws: ActionError.self) { try GPXTrack(path: folder) }
    #expect(error?.code == "invalid-track" && error?.isRetryable == false)
    #expect(error?.message == "\(folder): this is a folder; expected a GPX file")
    #if os(Linux)
      // Even root cannot read the start of a process's memory.
      let path = "/proc/self/mem"
      let unreadable = #expect(throws: ActionError.self) { try GPXTrack(path: path) }
      #expect(unreadable?.code == "invalid-track" && unreadable?.isRetryable == false)
      #expect(
        unreadable?.message == "\(path): the file cannot be read; expected a GPX file that you have permission to read")
    #endif
  }

  @Test func `reads waypoints in Xcode's format, one second apart if they have no times`() throws {
    let track = try GPXTrack(
      bytes: Array("<gpx><wpt lat=\"1\" lon=\"2\"></wpt><wpt lat=\"1.5\" lon=\"2\"/></gpx>".utf8))
    #expect(track.points.map(\.latitude) == [1, 1.5])
    #expect(track.points.map(\.elapsed) == [.zero, .seconds(1)])
  }

  @Test func `requires an existing track on a system without a location service`() async throws {
    try store.put("always", for: "authorization", in: "location")
    let error = await #expect(throws: ActionError.self) { try await host(LocationPlugin()).call(StartLocation.self) }
    #expect(error?.code == "no-source")
    let missing = await #expect(throws: ActionError.self) {
      try await host(LocationPlugin()).call(StartLocation.self, with: ["track": "/nowhere.gpx"])
    }
    #expect(missing?.message == "/nowhere.gpx: there is no such file to read")
  }
}

/// Returns the number of positions that the service has received, without stopping the service.
struct StopLocationProbe: Action {
  static let name = "location.probe"
  static let summary = "Counts positions"
  struct Output: ActionOutput { var positions: Int }
  func run(_ input: NoInput, in context: ActionContext) throws -> Output {
    let center: LocationCenter = try context.handle(.locationCenter)
    return Output(positions: center.latest(run: context.run.id).count)
  }
}
