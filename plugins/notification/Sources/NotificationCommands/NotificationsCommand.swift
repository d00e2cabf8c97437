import ArgumentParser
import FlowCommandKit
import FlowDiagnostics
import FlowModel
import FlowSystem
import NotificationPlugin

/// `flowrun notifications`: manages pending local notifications that the runs of a workflow have scheduled.
package struct NotificationsCommand: AsyncParsableCommand {
  package static let configuration = CommandConfiguration(
    commandName: "notifications",
    abstract: "Lists, delivers and removes the local notifications that a workflow scheduled.",
    discussion: """
      Examples:
        flowrun notifications workflows/reminder.yaml
        flowrun notifications deliver workflows/reminder.yaml --json
        flowrun notifications remove workflows/reminder.yaml timer
      """,
    subcommands: [List.self, Deliver.self, Remove.self], defaultSubcommand: List.self)

  /// Creates the command. Its arguments are parsed later.
  package init() {}

  /// The argument that selects the folder with the pending notifications of a workflow.
  struct Folder: ParsableArguments {
    @Argument(help: ArgumentHelp("The workflow file.", valueName: "FILE"), completion: Completions.files)
    var file: String

    @Option(
      help: ArgumentHelp(
        "The folder for data kept between runs; default: .flowrun/NAME next to the workflow.", valueName: "FOLDER"))
    var data: String?

    @OptionGroup var plugins: PluginArguments

    func scheduled() throws -> ScheduledNotifications {
      if data?.isEmpty == true { throw UsageProblem("--data is empty; name a folder, or leave it out") }
      let name = try WorkflowReader.workflow(in: file, plugins).name
      let beside = "\(FilePath.folder(of: FilePath.absolute(file)))/.flowrun/\(name)"
      return ScheduledNotifications(dataFolder: data.map(FilePath.absolute) ?? beside)
    }
  }

  /// `flowrun notifications FILE`: lists pending notifications and when they are due.
  struct List: Subcommand {
    static let configuration = CommandConfiguration(
      commandName: "list", abstract: "Lists the pending notifications (the default).")

    @OptionGroup var folder: Folder

    func perform() async throws {
      let (entries, unreadable) = try folder.scheduled().waiting()
      for entry in entries {
        let milliseconds = entry.dueAtMilliseconds - ScheduledNotifications.now()
        let when = milliseconds <= 0 ? "due" : "due in \(Self.wait(milliseconds))"
        let rhythm = entry.intervalMilliseconds.map { ", every \(Self.wait($0))" } ?? ""
        StandardOutput.write(
          "\(TerminalText.visible(entry.id))  \(when)\(rhythm)  \(TerminalText.visible(entry.title))\n")
      }
      for name in unreadable { StandardOutput.writeError("warning: '\(name)' holds no notification\n") }
      if entries.isEmpty { StandardOutput.write("no notification is pending\n") }
    }

    /// Returns a time in whole seconds, at least one: `59m54s`. From two days on, returns days and hours: `31d18h`.
    static func wait(_ milliseconds: Int) -> String {
      let seconds = max(1, milliseconds / 1_000)
      let (days, hours) = (seconds / 86_400, seconds % 86_400 / 3_600)
      guard days >= 2 else { return DurationText.format(.seconds(seconds)) }
      return hours == 0 ? "\(days)d" : "\(days)d\(hours)h"
    }
  }

  /// `flowrun notifications deliver FILE`: shows each due notification once, as the system does while the app is not
  /// running.
  struct Deliver: Subcommand {
    static let configuration = CommandConfiguration(
      commandName: "deliver",
      abstract: "Shows the notifications that are due, each once, as the system does while the app is not running.")

    @OptionGroup var folder: Folder

    @Flag(help: "Prints for each the launch options of a tap on it, for run --launch notification=@FILE.")
    var json = false

    func perform() async throws {
      let count = try folder.scheduled().deliverDue { entry in
        StandardOutput.write(
          json
            ? JSONText.write(.object(entry.launchOptions)) + "\n"
            : "notification received \(TerminalText.visible(entry.id)): \(TerminalText.visible(entry.title))\n")
      }
      if count == 0, !json { StandardOutput.write("no notification is due\n") }
    }
  }

  /// `flowrun notifications remove FILE ID…`: removes pending notifications by their identifiers.
  struct Remove: Subcommand {
    static let configuration = CommandConfiguration(
      commandName: "remove", abstract: "Removes pending notifications; exits 1 if one of them is not pending.")

    @OptionGroup var folder: Folder

    @Argument(help: ArgumentHelp("The identifiers, as list prints them.", valueName: "ID"))
    var ids: [String] = []

    @Flag(help: "Removes all of them.")
    var all = false

    func perform() async throws {
      guard ids.isEmpty == all else {
        throw UsageProblem(
          "name the notifications to remove, or write --all; see 'flowrun notifications \(folder.file)'")
      }
      let scheduled = try folder.scheduled()
      var isMissing = false
      let removed = all ? scheduled.waiting().entries.map(\.id) : ids
      if removed.isEmpty { StandardOutput.write("no notification is pending\n") }
      for id in removed {
        if scheduled.remove(id) {
          StandardOutput.write("removed \(TerminalText.visible(id))\n")
        } else {
          StandardOutput.writeError("flowrun: no notification '\(TerminalText.visible(id))' is pending\n")
          isMissing = true
        }
      }
      if isMissing { ExitStatus.failure.exit() }
    }
  }
}
