import Foundation
import Testing

/// `flowrun notifications` lists, delivers and removes scheduled notifications.
struct NotificationsSubcommandTests {
  private let tool: CommandLineTool

  init() throws {
    tool = try CommandLineTool()
    try tool.write("name: reminders\nsteps:\n  a: { uses: flow.noop }\n", to: "w.yaml")
  }

  /// Writes the file of a scheduled notification, like a run that ends before the notification is due.
  private func schedule(_ id: String, dueAt: Int = 4_102_444_800_000, every interval: Int? = nil) throws {
    let name = id.utf8.map { String(format: "%02x", $0) }.joined()
    let rhythm = interval.map { #", "interval": \#($0)"# } ?? ""
    try tool.write(
      #"{"id": "\#(id)", "due-at": \#(dueAt), "payload": {"aps": {"alert": {"title": "About \#(id)"}}}\#(rhythm)}"#,
      to: ".flowrun/reminders/notifications/\(name).json")
  }

  private func listed() throws -> [String] {
    try tool.run("notifications", "w.yaml").standardOutput.split(separator: "\n").map {
      String($0.split(separator: " ")[0])
    }
  }

  @Test func `notifications remove cancels only the named notifications`() throws {
    defer { tool.remove() }
    for id in ["timer", "über/mittag", "tea"] { try schedule(id) }
    try schedule("daily", every: 86_400_000)
    let one = try tool.run("notifications", "remove", "w.yaml", "über/mittag", "daily")
    #expect(one.exitCode == 0 && one.standardOutput == "removed über/mittag\nremoved daily\n", "\(one)")
    #expect(try listed() == ["tea", "timer"])
    let missing = try tool.run("notifications", "remove", "w.yaml", "daily", "tea")
    #expect(missing.exitCode == 1 && missing.standardOutput == "removed tea\n", "\(missing)")
    #expect(missing.standardError == "flowrun: no notification 'daily' is pending\n")
    #expect(try listed() == ["timer"])
  }

  @Test func `notifications remove --all cancels every notification, and reports if none was pending`() throws {
    defer { tool.remove() }
    try schedule("a")
    try schedule("b", dueAt: 0)
    let all = try tool.run("notifications", "remove", "w.yaml", "--all")
    #expect(all.exitCode == 0 && all.standardOutput == "removed b\nremoved a\n", "\(all)")
    let none = try tool.run("notifications", "remove", "w.yaml", "--all")
    #expect(none.exitCode == 0 && none.standardOutput == "no notification is pending\n", "\(none)")
    #expect(try tool.run("notifications", "deliver", "w.yaml").standardOutput == "no notification is due\n")
  }

  @Test func `notifications remove requires names or --all, and --data selects the folder`() throws {
    defer { tool.remove() }
    try schedule("a")
    for arguments in [[], ["a", "--all"]] {
      let refused = try tool.run(["notifications", "remove", "w.yaml"] + arguments)
      #expect(refused.exitCode == 64 && refused.standardError.contains("or write --all"), "\(refused)")
    }
    #expect(try tool.run("notifications", "remove", "w.yaml", "a", "--data", "other").exitCode == 1)
    let empty = try tool.run("notifications", "remove", "w.yaml", "--all", "--data", "")
    #expect(empty.exitCode == 64 && empty.standardError.contains("--data is empty"), "\(empty)")
    #expect(try tool.run("notifications", "remove", "w.yaml", "a", "--data", ".flowrun/reminders").exitCode == 0)
    #expect(try tool.run("notifications", "w.yaml").standardOutput == "no notification is pending\n")
  }

  @Test func `a repeating notification is due again after its interval and can be removed`() throws {
    defer { tool.remove() }
    try schedule("daily", dueAt: 0, every: 86_400_000)
    let first = try tool.run("notifications", "deliver", "w.yaml")
    #expect(first.standardOutput == "notification received daily: About daily\n", "\(first)")
    #expect(try tool.run("notifications", "deliver", "w.yaml").standardOutput == "no notification is due\n")
    let list = try tool.run("notifications", "w.yaml").standardOutput
    #expect(list.hasPrefix("daily  due in ") && list.contains(", every 1d") || list.contains(", every 24h"), "\(list)")
    #expect(try tool.run("notifications", "remove", "w.yaml", "daily").exitCode == 0)
  }
}
