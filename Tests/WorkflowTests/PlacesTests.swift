import FlowModel
import Foundation
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(10))) struct `Naming the places of the sample` {
  let folders: DataFolders

  init() throws { folders = try DataFolders() }

  private func run(_ arguments: [String]) throws -> (result: FlowrunProcess.Result, logs: [String]) {
    let result = try FlowrunProcess.run(
      ["run", LaunchRun.folder + "/places.yaml", "--data", folders.folder("a"), "--json"] + arguments,
      environment: ["LANG": "C", "LC_ALL": "", "LANGUAGE": ""])
    let events = result.lines.compactMap { try? JSONText.parse($0) }
    return (result, events.filter { $0["event"] == "step.log" }.compactMap { $0["message"]?.stringValue })
  }

  @Test func `L12, L42: names at least 100 places, with the country in the user's language`() throws {
    let english = try run([])
    #expect(english.result.exitCode == 0, "\(english.result.errors)")
    #expect(english.logs.filter { $0.contains(": ") && $0.contains(", ") }.count >= 100)
    #expect(english.logs.contains { $0.hasSuffix("Japan") })
    #expect(!english.logs.contains { $0.contains("open sea") })
    let chinese = try run(["-i", "language=zh-Hans"])
    #expect(chinese.logs.contains { $0.hasSuffix("日本") })
  }
}

@Suite(.timeLimit(.minutes(10))) struct `Following the device` {
  let folders: DataFolders

  init() throws { folders = try DataFolders() }

  @Test func `R13, C11: if launched for a position, locates the device after did-finish-launching and before the gate`()
    throws
  {
    // In this copy, the content view needs the position. The gate waits for both, unless the position is deferred.
    let file = try LaunchRun.changed(
      in: folders, ("    needs: [restore, journeys,", "    needs: [locate-at-once, restore, journeys,"),
      ("\noutputs:\n", "\n  deferred-step: { uses: flow.noop, defer: true }\n\noutputs:\n"))
    let launch = try LaunchRun(["--launch", "location"], data: folders.folder("a"), file: file)
    #expect(launch.result.exitCode == 0, "\(launch.result.output)\(launch.result.errors)")
    let fix = try launch.place("the first position") {
      $0["event"] == "event.posted" && $0["name"] == "location.first-fix"
    }
    #expect(try fix > launch.place(ofPosted: "app.did-finish-launching"))
    #expect(try launch.outcome("locate-at-once") == "success")
    #expect(try launch.step("locate-at-once")["deferred"] == false)
    let begins = try launch.milliseconds("locate-at-once", "startedAt")
    #expect(launch.report["gate"]?["outcome"] == "ready")
    #expect(try begins <= launch.gateOpened())
    #expect(try begins <= launch.milliseconds("deferred-step", "startedAt"))
  }

  @Test func `L18, L42: asks for permission, locates the device and names the place at the first use of the map`()
    throws
  {
    let launch = try LaunchRun(["--event", "map.first-use@2100ms"], data: folders.folder("a"))
    #expect(launch.result.exitCode == 0, "\(launch.result.errors)")
    for id in ["prepare-location", "prepare-geocoder", "ask-for-location", "start-location", "start-geocoding"] {
      #expect(try launch.outcome(id) == "success", "\(id)")
    }
    #expect(try launch.milliseconds("start-geocoding", "startedAt") >= launch.milliseconds("start-location", "readyAt"))
  }
}

@Suite(.timeLimit(.minutes(10))) struct `Geocoding line by line` {
  @Test func `returns a result or an error for each line of a batch, and the same result for a single call`() throws {
    let folder = FileManager.default.temporaryDirectory.path + "/batch-\(UUID().uuidString)"
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let lines = [
      #"{"latitude":22.5431,"longitude":114.0579}"#, #"{"latitude":121.5,"longitude":31.2}"#, "nonsense",
      #"{"latitude":-30,"longitude":-140}"#, #"{"latitude":1.2897,"longitude":103.8501,"level":"country"}"#,
    ]
    let batch = try FlowrunProcess.run(
      ["call", "geocode.reverse", "--batch", "--data", folder], input: lines.joined(separator: "\n"))
    let answers = try batch.lines.map { try JSONText.parse($0) }
    #expect(answers.count == lines.count)
    #expect(answers[0]["outputs"]?["country-code"] == "CN")
    #expect(answers[1]["error"]?["code"] == "invalid-coordinate")
    #expect(answers[2]["error"]?["code"] == "input")
    #expect(answers[3]["error"]?["code"] == "no-result")
    #expect(answers[4]["outputs"]?["country"] == "Singapore")
    #expect(answers[4]["outputs"]?["city"] == .null)
    let one = try FlowrunProcess.run(["call", "geocode.reverse", "--with", lines[0], "--data", folder])
    #expect(one.lines == [batch.lines[0]])
  }
}
