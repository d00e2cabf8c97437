#if Network
  import FlowModel
  import Foundation
  import Testing

  /// Records of a schema in real processes. Each device is a `flowrun` process.
  @Suite(.timeLimit(.minutes(10))) struct RecordProcessesTests {
    private static let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
    private static let flowrun = URL(fileURLWithPath: CommandLine.arguments[0]).deletingLastPathComponent()
      .appendingPathComponent("flowrun").path

    private func add(_ line: String, device: String, _ place: String, _ folder: TestFolder) throws -> ValueObject {
      let workflow = Self.root.appendingPathComponent("workflows/notes.yaml").path
      let (status, output) = try Shell.run(
        "'\(Self.flowrun)' '\(workflow)' -i device=\(device) -i \(place) -i line=\(line) --data '\(folder.path)'")
      #expect(status == 0, "\(output)")
      return ValueObject(
        ["note", "folders"].map { name in
          let line = output.split(separator: "\n").last { $0.hasPrefix("\(name): ") } ?? ""
          return (name, (try? JSONText.parse(Array(line.utf8.dropFirst(name.utf8.count + 2)))) ?? .null)
        })
    }

    private func check(_ place: String, in folder: TestFolder) throws {
      _ = try add("milk", device: "mac", place, folder)
      _ = try add("bread", device: "phone", place, folder)
      let outputs = try add("eggs", device: "mac", place, folder)
      let note = try #require(outputs["note"]?.objectValue)
      #expect(note["lines"] == ["milk", "bread", "eggs"])
      #expect(note["likes"] == 3)
      #expect(note["tags"] == ["notes"])
      #expect(outputs["folders"] == [["folder": "Home", "notes": 1]])
    }

    @Test func `a note in a shared file contains the changes of two devices`() throws {
      let folder = try TestFolder()
      try check("store='\(folder.file("notes.sqlite"))'", in: folder)
    }

    @Test func `a note on a server with a SQLite file contains the changes of two devices`() async throws {
      let folder = try TestFolder()
      let zones = folder.file("zones")
      let token = try ServerProcess.run("zones add notes --zones '\(zones)'").output.trimmingCharacters(
        in: .whitespacesAndNewlines)
      let tokenFile = try folder.write(token, to: "token")
      let server = try ServerProcess("--store", folder.file("zone.sqlite"), "--zones", zones, "--port", "0")
      try check("server=\(server.address) -i token=@\(tokenFile)", in: folder)
      #expect(server.stop() == 0)
    }
  }
#endif
