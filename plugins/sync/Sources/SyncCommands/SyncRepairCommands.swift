import ArgumentParser
import FlowCommandKit
import FlowDiagnostics
import FlowModel
import SyncPlugin

/// The options that select the files of devices.
struct DeviceFiles: ParsableArguments {
  @Option(help: ArgumentHelp("The data folder of the workflow that synchronizes.", valueName: "FOLDER"))
  var data = "workflows/.flowrun/sync"

  @Option(help: ArgumentHelp("Only this device, by the name that sync.connect was given.", valueName: "DEVICE"))
  var device: String?

  /// Returns the selected files. Throws if there are none.
  func files() throws -> [String] {
    let files = SyncReports.files(in: data, device: device)
    guard !files.isEmpty else {
      let whose = device.map { "of a device '\($0)' " } ?? ""
      throw UsageProblem("no file \(whose)in '\(data)'; --data names the folder of a workflow that has synchronized")
    }
    return files
  }

  /// Returns the message for a file without content, for example because the device was killed while it created the
  /// file.
  static func unused(_ file: String) -> String {
    "'\(TerminalText.visible(file))' is empty: its device has not started yet; its next run starts again"
  }

  /// Returns the only selected file. Throws if there is none or several.
  func file() throws -> String {
    let files = try files()
    guard files.count == 1 else {
      throw UsageProblem("'\(data)' holds \(files.count) devices; choose one with --device")
    }
    return files[0]
  }
}

/// Calls `body`. If it throws an error other than a `UsageProblem`, prints the error and exits.
func failing<Value>(_ body: () async throws -> Value) async throws -> Value {
  do {
    return try await body()
  } catch let problem as UsageProblem {
    throw problem
  } catch {
    StandardOutput.writeError("flowrun: \(error)\n")
    ExitStatus.failure.exit()
  }
}

/// `flowrun sync parked`: lists, retries and discards parked changes.
struct SyncParkedCommand: Subcommand {
  static let configuration = CommandConfiguration(
    commandName: "parked", abstract: "Lists parked changes; retries or discards them.",
    discussion:
      "The next run sends retried changes. On a running device, use its commands retry and discard.")

  @OptionGroup var devices: DeviceFiles

  @Option(help: ArgumentHelp("Retries this change, by its number, or 'all'.", valueName: "NUMBER"))
  var retry: String?

  @Option(help: ArgumentHelp("Discards this change, by its number, or 'all'.", valueName: "NUMBER"))
  var discard: String?

  @Flag(help: "Prints JSON.")
  var json = false

  func perform() async throws {
    switch (retry, discard) {
    case (nil, nil): try await list()
    case (let which?, nil):
      let count = try await failing { try await SyncReports.retry(file: devices.file(), position: position(which)) }
      StandardOutput.write("\(count) \(count == 1 ? "change is" : "changes are") sent by the next run\n")
    case (nil, let which?):
      let count = try await failing { try await SyncReports.discard(file: devices.file(), position: position(which)) }
      StandardOutput.write("\(count) \(count == 1 ? "change was" : "changes were") discarded\n")
    case (_?, _?): throw UsageProblem("--retry and --discard cannot be combined; use one of them")
    }
  }

  private func list() async throws {
    var values: [Value] = []
    for file in try devices.files() {
      guard let parked = try await failing({ try await SyncReports.parked(file: file) }) else {
        StandardOutput.writeError("flowrun: \(DeviceFiles.unused(file))\n")
        continue
      }
      for one in parked {
        values.append(.object(one.value))
        if !json { StandardOutput.write(one.line + "\n") }
      }
    }
    if json {
      StandardOutput.write(JSONText.write(.array(values)) + "\n")
    } else if values.isEmpty {
      StandardOutput.write("nothing is parked\n")
    }
  }

  private func position(_ text: String) throws -> Int64? {
    if text == "all" { return nil }
    guard let position = Int64(text), position > 0 else {
      throw UsageProblem(
        "'\(text)' is not a change number; 'flowrun sync parked' lists them, and 'all' means all of them")
    }
    return position
  }
}

/// `flowrun sync devices`: lists the devices of the zone or retires one.
struct SyncDevicesCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "devices", abstract: "Lists the devices of the zone, or retires one.",
    subcommands: [SyncDevicesListCommand.self, SyncDevicesRetireCommand.self],
    defaultSubcommand: SyncDevicesListCommand.self)
}

/// `flowrun sync devices list`, the default subcommand.
struct SyncDevicesListCommand: Subcommand {
  static let configuration = CommandConfiguration(commandName: "list", abstract: "Lists the devices of the zone.")

  @OptionGroup var devices: DeviceFiles

  @Flag(help: "Prints JSON.")
  var json = false

  func perform() async throws {
    let file = try devices.files()[0]
    let known = try await failing { try await SyncReports.devices(file: file) }
    if known == nil { StandardOutput.writeError("flowrun: \(DeviceFiles.unused(file))\n") }
    let all = known ?? []
    if json {
      StandardOutput.write(JSONText.write(.array(all.map { .object($0.value) })) + "\n")
    } else {
      for one in all { StandardOutput.write(one.line + "\n") }
    }
  }
}

/// `flowrun sync devices retire NAME`: retires a device until it writes again.
struct SyncDevicesRetireCommand: Subcommand {
  static let configuration = CommandConfiguration(
    commandName: "retire", abstract: "Removes a device from the zone until it writes again.",
    discussion: "The next run of the device whose file is used sends it.")

  @OptionGroup var devices: DeviceFiles

  @Argument(help: ArgumentHelp("The device, by its identity or its readable name.", valueName: "NAME"))
  var name: String

  func perform() async throws {
    let device = try await failing { try await SyncReports.retire(name, file: devices.files()[0]) }
    StandardOutput.write("\(device) is retired with the next run\n")
  }
}
