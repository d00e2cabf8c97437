import ArgumentParser
import FlowCommandKit
import FlowDiagnostics
import FlowModel
import Synchronization
import SyncPlugin
import SyncRecords
import SyncSimulation
import SyncYAML

/// `flowrun sync …`: shows and repairs the state of a device's synchronization, and simulates a day on a virtual clock.
package struct SyncCommand: AsyncParsableCommand {
  package static let configuration = CommandConfiguration(
    commandName: "sync", abstract: "Inspects synchronization.",
    discussion: """
      Examples:
        flowrun sync status --device mac
        flowrun sync parked --retry all
        flowrun sync simulate --seed 3 --devices 3 --hours 24
        flowrun sync simulate --schema notes.sync.yaml --loss 0.4
        flowrun sync simulate --backend cloud-zone --loss 0.4
      """,
    subcommands: [
      SyncStatusCommand.self, SyncParkedCommand.self, SyncDevicesCommand.self, SyncSimulateCommand.self,
    ])

  package init() {}
}

/// `flowrun sync status`: reads the files of devices, even while a run uses them.
struct SyncStatusCommand: Subcommand {
  static let configuration = CommandConfiguration(
    commandName: "status",
    abstract: "Shows the changes waiting to be sent, the budget used, and what decided each conflict.",
    discussion: "With --json one object, or an array of them when the folder holds several devices.")

  @OptionGroup var devices: DeviceFiles

  @Flag(help: "Prints JSON.")
  var json = false

  func perform() async throws {
    var values: [Value] = []
    for file in try devices.files() {
      guard let status = try await failing({ try await SyncReports.status(file: file) }) else {
        StandardOutput.writeError("flowrun: \(DeviceFiles.unused(file))\n")
        continue
      }
      values.append(.object(status.value))
      if !json {
        if values.count > 1 { StandardOutput.write("\n") }
        StandardOutput.write(status.text + "\n")
      }
    }
    if json { StandardOutput.write(json: values.count == 1 ? values[0] : .array(values)) }
  }
}

extension SimulationPlan.Backend: ExpressibleByArgument {}

/// `flowrun sync simulate`: simulates a day of several devices and checks the result.
struct SyncSimulateCommand: Subcommand {
  static let configuration = CommandConfiguration(
    commandName: "simulate", abstract: "Simulates a day of several devices on a virtual clock.",
    discussion: """
      The simulated users do everything that the schema allows: write, delete and combine several changes. Every clock is \
      wrong. With --loss, messages also arrive late or twice, users go offline, processes are killed and cursors are \
      lost. An oracle that shares no code with the merge checks the result. Exit code 1 if the devices differ at the end or \
      a change was lost; the printed seed replays the run. Exit code 2 if the schema has an error.
      """)

  @Option(
    help: ArgumentHelp(
      "A schema file, *.sync.yaml: which records the devices share; default: the timer's.", valueName: "FILE"),
    completion: .file(extensions: ["sync.yaml"]))
  var schema: String?

  @Option(help: ArgumentHelp("The random seed.", valueName: "NUMBER"))
  var seed: UInt64 = 1

  @Option(help: ArgumentHelp("How many devices, 1 to 64.", valueName: "COUNT"))
  var devices = 3

  @Option(help: ArgumentHelp("How many hours, 1 to 720.", valueName: "COUNT"))
  var hours = 24

  @Option(help: ArgumentHelp("The share of messages that are lost, 0 to 0.9.", valueName: "SHARE"))
  var loss = 0.0

  @Option(
    help: "Where the records are stored: on a server, or in a cloud database such as CloudKit's, which is simulated.")
  var backend = SimulationPlan.Backend.server

  @Flag(help: "Prints one JSON object.")
  var json = false

  func perform() async throws {
    guard (1...64).contains(devices) else { throw UsageProblem("--devices is \(devices), expected 1 to 64") }
    guard (1...720).contains(hours) else { throw UsageProblem("--hours is \(hours), expected 1 to 720") }
    guard (0...0.9).contains(loss) else { throw UsageProblem("--loss is \(loss), expected 0 to 0.9") }
    let records = try schema.map(Self.read)
    let began = ContinuousClock.now
    let told = Mutex(began)
    // A long simulation prints its progress every 2 s.
    let report = SyncReports.simulate(
      schema: records, seed: seed, devices: devices, hours: hours, loss: loss, backend: backend
    ) { share in
      let isDue = told.withLock { told in
        guard told.duration(to: .now) >= .seconds(2) else { return false }
        told = .now
        return true
      }
      guard isDue else { return }
      let seconds = began.duration(to: .now).components.seconds
      StandardOutput.writeError("flowrun: \(Int(share * 100)) % simulated, \(seconds) s\n")
    }
    if json {
      StandardOutput.write(json: .object(report.value))
    } else {
      StandardOutput.write(report.text + "\n")
    }
    if !report.isGood { ExitStatus.failure.exit() }
  }

  private static func read(_ file: String) throws -> RecordSchema {
    let bytes: [UInt8]
    do throws(FileProblem) {
      bytes = try FileAccess.read(file)
    } catch {
      throw InvalidWorkflow(
        description: "flowrun: cannot read the schema \(error)\(Completions.question(file))\n")
    }
    let read = YAMLSchemas().read(bytes, file: file)
    if !read.diagnostics.isEmpty { StandardOutput.writeError(read.rendered()) }
    guard let schema = read.schema else { throw InvalidWorkflow(description: "") }
    return schema
  }
}
