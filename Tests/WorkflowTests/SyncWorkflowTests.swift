import Foundation
import FlowModel
import Testing
import TestSupport

/// Tests `workflows/sync.yaml` with the real binary, for two users at two terminals.
@Suite(.timeLimit(.minutes(10))) struct SyncWorkflowTests {
  private let folders: DataFolders
  private static let workflows = URL(fileURLWithPath: #filePath)
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
    .appendingPathComponent("workflows")
  private static let workflow = workflows.appendingPathComponent("sync.yaml").path

  init() throws { folders = try DataFolders() }

  private func arguments(_ device: String, _ place: String = "store=shared.sqlite") -> [String] {
    [Self.workflow, "-i", "device=\(device)", "-i", place, "--data", folders.path]
  }

  private func run(_ device: String, _ commands: String) throws -> FlowrunProcess.Result {
    try FlowrunProcess.run(arguments(device), in: folders.path, input: commands)
  }

  private func status(_ device: String) throws -> ValueObject {
    let result = try FlowrunProcess.run(["sync", "status", "--json", "--data", folders.path, "--device", device])
    return try #require(try JSONText.parse(result.output).objectValue)
  }

  @Test func `S14, S16, S35: a terminal shows changes that another terminal made while offline`() throws {
    let mac = try run("mac", "focus 25m\ndone\n")
    #expect(mac.exitCode == 0)
    #expect(mac.output.contains(/focus 2[45]:[0-9]{2}, 0 completed \(here\)/))
    let phone = try run("phone", "offline\nbreak 5m\nnonsense\nonline\n")
    #expect(phone.exitCode == 0)
    #expect(phone.output.contains("'nonsense' is not a command"))
    #expect(phone.output.contains("offline: your changes are kept and sent later"))
    let seen = try run("mac", "status\n")
    #expect(seen.output.contains("\"completedPomodoros\":1"))
    let status = try status("phone")
    #expect(status["outbox"]?.objectValue?["depth"] == 0)
    #expect(status["parked"] == [])
    #expect(status["conflicts"]?.objectValue?.count == 6)
    let devices = status["devices"]?.arrayValue?.compactMap { $0.objectValue?["name"]?.stringValue }
    #expect(devices == ["mac", "phone"])
  }

  @Test func `V15, S32: a device killed with -9 while its server is down sends its changes at the next start`() throws {
    let process = try FlowrunProcess(
      arguments("mac", "server=http://127.0.0.1:1"), in: folders.path, input: "focus 25m\ndone\n")
    #expect(process.waitForOutput("1 completed (here)"))
    process.send(SIGKILL)
    #expect(process.result().exitCode == 128 + SIGKILL)
    // Two changes to the timer, the rules of three collections and the description of the device (S8).
    #expect(try status("mac")["outbox"]?.objectValue?["depth"] == 6)
    let next = try FlowrunProcess.run(
      arguments("mac") + ["-i", "on-other-store=merge"], in: folders.path, input: "")
    #expect(next.output.contains("2 changes from earlier wait to be sent"))
    #expect(try status("mac")["outbox"]?.objectValue?["depth"] == 0)
    let phone = try run("phone", "snooze\n")
    #expect(phone.output.contains("\"completedPomodoros\":1"))
  }

  @Test func `S43: sync simulate prints its results, repeats them with the same seed and rejects invalid arguments`()
    throws
  {
    let arguments = ["sync", "simulate", "--seed", "7", "--devices", "3", "--hours", "6", "--loss", "0.4", "--json"]
    let (one, other) = (try FlowrunProcess.run(arguments), try FlowrunProcess.run(arguments))
    #expect(one.exitCode == 0)
    #expect(one.output == other.output)
    let day = try #require(try JSONText.parse(one.output).objectValue)
    #expect(day["converged"] == true)
    #expect(day["equalsOracle"] == true)
    #expect((day["requestsPerHourMax"]?.integerValue ?? 101) <= 100)
    #expect((day["bytesPerDayMax"]?.integerValue ?? .max) <= 1_000_000)
    #expect(day["latencyMilliseconds"]?.objectValue?.keys == ["p50", "p99", "max"])
    #expect(try FlowrunProcess.run(["sync", "simulate", "--loss", "2"]).exitCode == 64)
    #expect(try FlowrunProcess.run(["sync", "status", "--data", folders.folder("none")]).exitCode == 64)
  }

  @Test(arguments: ["notes", "pomodoro"])
  func `a simulated day of each schema matches the oracle and is repeatable with its seed`(_ name: String) throws {
    let schema = Self.workflows.appendingPathComponent("\(name).sync.yaml").path
    let arguments = ["sync", "simulate", "--schema", schema, "--seed", "5", "--hours", "6", "--loss", "0.3", "--json"]
    let (one, other) = (try FlowrunProcess.run(arguments), try FlowrunProcess.run(arguments))
    #expect(one.exitCode == 0)
    #expect(one.output == other.output)
    let day = try #require(try JSONText.parse(one.output).objectValue)
    #expect(day["schema"] == .string(name))
    #expect(day["converged"] == true)
    #expect(day["equalsOracle"] == true)
    #expect(day["lost"] == 0)
    #expect((day["requests"]?.integerValue ?? 0) > 50)
    #expect((day["bytes"]?.integerValue ?? 0) > 1000)
    let text = try FlowrunProcess.run(Array(arguments.dropLast()))
    #expect(text.output.contains("replicas    equal, as the oracle says"))
    #expect(text.output.contains("schema      \(name)"))
  }

  @Test func `sync simulate reports the location of an error in the schema`() throws {
    let file = folders.path + "/wrong.sync.yaml"
    let run = { try FlowrunProcess.run(["sync", "simulate", "--schema", file, "--hours", "1"]) }
    #expect(try run().exitCode == 2)
    #expect(try run().errors.contains("cannot read the schema"))
    try Data("schema: shop\ncollections:\n  notes:\n    fields:\n      likes: { type: string, merge: counter }\n".utf8)
      .write(to: URL(fileURLWithPath: file))
    #expect(try run().exitCode == 2)
    #expect(try run().errors.contains(".sync.yaml:5:"))
    try Data("name: a workflow\nsteps: {}\n".utf8).write(to: URL(fileURLWithPath: file))
    #expect(try run().exitCode == 2)
    #expect(try FlowrunProcess.run(["sync", "simulate", "--scheme", file]).exitCode == 64)
  }

  @Test func `F31, V20: subcommands list, retry and discard a parked change, reject wrong numbers and retire a device`()
    throws
  {
    func subcommand(_ words: [String], of device: String = "mac") throws -> FlowrunProcess.Result {
      try FlowrunProcess.run(["sync"] + words + ["--data", folders.path, "--device", device])
    }
    // The record has room for four of these values. The zone refuses the fifth, which its device set while offline.
    let value = String(repeating: "x", count: 16_000)
    #expect(try run("phone", "done\noffline\nset fifth \(value)\n").exitCode == 0)
    let settings = ["one", "two", "three", "four"].map { "set \($0) \(value)\n" }
    #expect(try run("mac", "focus 25m\n" + settings.joined()).exitCode == 0)
    #expect(try run("phone", "").exitCode == 0)
    let parked = try #require(try JSONText.parse(subcommand(["parked", "--json"], of: "phone").output).arrayValue)
    #expect(parked.count == 1)
    let change = try #require(parked.first?.objectValue)
    #expect(change["change"] == "set fifth")
    let reason = try #require(change["reason"]?.stringValue)
    #expect(reason.contains("at most 65536 are allowed"))
    let number = try #require(change["position"]?.integerValue)
    let line = try subcommand(["parked"], of: "phone").output
    #expect(line.hasPrefix("\(number)  settings/settings: set fifth: ") && line.hasSuffix(reason + "\n"), "\(line)")
    #expect(
      try subcommand(["parked", "--retry", "\(number)"], of: "phone").output == "1 change is sent by the next run\n")
    #expect(try subcommand(["parked"], of: "phone").output == "nothing is parked\n")
    // The record still has no room for the value, so the zone refuses it again.
    #expect(try run("phone", "").exitCode == 0)
    #expect(try subcommand(["parked", "--discard", "all"], of: "phone").output == "1 change was discarded\n")
    #expect(try subcommand(["parked", "--json"], of: "phone").output == "[]\n")
    // A run without commands may end before it has fetched what the phone sent.
    let fetched = try within(seconds: 60) {
      #expect(try run("mac", "").exitCode == 0)
      return try subcommand(["devices"]).lines.count == 2
    }
    #expect(fetched)
    #expect(try subcommand(["parked"]).output == "nothing is parked\n")
    #expect(try subcommand(["parked", "--json"]).output == "[]\n")
    #expect(try subcommand(["parked", "--retry", "x"]).exitCode == 64)
    #expect(try subcommand(["parked", "--discard", "5"]).errors.contains("no change with the number 5"))
    #expect(
      try subcommand(["devices", "retire", "tablet"]).errors.contains(
        "no other device is named 'tablet'; there are phone-"))
    #expect(try subcommand(["devices", "retire", "phone"]).exitCode == 0)
    #expect(try run("mac", "").exitCode == 0)
    #expect(try status("mac")["devices"]?.arrayValue?.map { $0.objectValue?["isRetired"] } == [false, true])
    // The device becomes active again as soon as it writes.
    #expect(try run("phone", "idle\n").exitCode == 0)
    #expect(try status("phone")["devices"]?.arrayValue?.map { $0.objectValue?["isRetired"] } == [false, false])
  }

  private static let words = [
    ["status"], ["parked"], ["devices"], ["parked", "--retry", "all"], ["devices", "retire", "x"],
  ]

  @Test(arguments: words)
  func `the subcommands report an empty file, left by a device that was killed while creating it`(_ words: [String])
    throws
  {
    let file = folders.path + "/sync-mac.sqlite"
    try Data().write(to: URL(fileURLWithPath: file))
    let result = try FlowrunProcess.run(["sync"] + words + ["--data", folders.path])
    #expect(result.errors.contains("sync-mac.sqlite' is empty: its device has not started yet"))
    #expect(result.exitCode == (words.count == 1 ? 0 : 1))
    #expect(try Data(contentsOf: URL(fileURLWithPath: file)).isEmpty)
    // The device can start again with this file.
    #expect(try run("mac", "focus 25m\n").exitCode == 0)
    #expect(try FlowrunProcess.run(["sync", "devices", "--data", folders.path]).output.hasPrefix("mac-"))
  }

  @Test(arguments: words)
  func `the subcommands report a file that does not belong to a device`(_ words: [String]) throws {
    let file = folders.path + "/sync-mac.sqlite"
    let said = { try FlowrunProcess.run(["sync"] + words + ["--data", self.folders.path]) }
    #expect(try said().exitCode == 64)
    try Data(repeating: 0x61, count: 5000).write(to: URL(fileURLWithPath: file))
    #expect(try said().exitCode == 1)
    #expect(try said().errors.contains("sync-mac.sqlite' is no SQLite file"))
    try FileManager.default.removeItem(atPath: file)
    try FileManager.default.createDirectory(atPath: file, withIntermediateDirectories: false)
    #expect(try said().errors.contains("sync-mac.sqlite' is a folder"))
    try FileManager.default.removeItem(atPath: file)
    // A shared file is also an SQLite file, but of another kind.
    #expect(try run("phone", "").exitCode == 0)
    try FileManager.default.removeItem(atPath: folders.path + "/sync-phone.sqlite")
    try FileManager.default.copyItem(atPath: folders.path + "/shared.sqlite", toPath: file)
    #expect(try said().exitCode == 1)
    #expect(try said().errors.contains("it is a SQLite file and no device's own"))
    let next = try run("mac", "")
    #expect((next.output + next.errors).contains("it is a SQLite file and no device's own"))
  }

  @Test func `a device without a name uses a default file, and reports its changes as synced`() throws {
    let result = try FlowrunProcess.run(
      [Self.workflow, "-i", "store=shared.sqlite", "--data", folders.path], in: folders.path, input: "focus 25m\n")
    #expect(result.exitCode == 0)
    #expect(FileManager.default.fileExists(atPath: folders.path + "/sync-device.sqlite"))
    #expect(result.output.contains("syncing…"))
    #expect(result.output.contains("synced"))
  }

  @Test func `a shared file that is not an SQLite file is reported`() throws {
    try Data("no database, but long enough to be taken for one at first sight".utf8).write(
      to: URL(fileURLWithPath: folders.path + "/shared.sqlite"))
    let result = try run("mac", "focus 25m\n")
    #expect(result.exitCode == 1)
    #expect((result.output + result.errors).contains("is no SQLite file"))
  }
}
