#if Network
  import Foundation
  import Testing

  /// Restoring a zone's file from a backup, or a device's file with waiting changes, as a user would. Each action is a
  /// separate `flowrun` process.
  @Suite(.timeLimit(.minutes(10))) struct PutBackTests {
    private static let flowrun = URL(fileURLWithPath: CommandLine.arguments[0]).deletingLastPathComponent()
      .appendingPathComponent("flowrun").path

    private func prepare() throws -> TestFolder {
      let folder = try TestFolder()
      _ = try folder.write(
        """
        schema: notes
        collections:
          notes:
            fields:
              log: { type: array, items: string, merge: set }
              likes: { type: integer, merge: counter }
        """, to: "notes.sync.yaml")
      for (name, place) in [
        ("here", "store: '\(folder.file("zone.sqlite"))'"), ("away", "server: 'http://127.0.0.1:9', token: \(token)"),
      ] {
        _ = try folder.write(
          """
          name: \(name)
          inputs: { line: { type: string }, device: { type: string } }
          steps:
            connect:
              uses: sync.connect
              with: { device: "${{ inputs.device }}", \(place), on-other-store: merge, schema: notes.sync.yaml, zone: z }
            put:
              uses: sync.put
              needs: connect
              with:
                { collection: notes, key: k, wait: \(name == "here"), fields: { log: { add: ["${{ inputs.line }}"] }, likes: { add: 1 } } }
          """, to: "\(name).yaml")
      }
      _ = try folder.write(
        """
        name: look
        inputs: { device: { type: string } }
        steps:
          connect:
            uses: sync.connect
            with: { device: "${{ inputs.device }}", store: '\(folder.file("zone.sqlite"))', on-other-store: merge, schema: notes.sync.yaml, zone: z }
          flush: { uses: sync.flush, needs: connect }
          pull: { uses: pomodoro.pull, needs: flush }
          get: { uses: sync.get, needs: pull, with: { collection: notes, key: k } }
        outputs: { record: "${{ steps.get.outputs.record }}" }
        """, to: "look.yaml")
      return folder
    }

    private var token: String { "0123456789abcdef-secret" }

    private func put(_ line: String, _ folder: TestFolder, in data: String = "a", isAway: Bool = false) throws {
      let workflow = folder.file(isAway ? "away.yaml" : "here.yaml")
      let (status, output) = try Shell.run(
        "timeout 60 '\(Self.flowrun)' '\(workflow)' -i line=\(line) -i device=a --data '\(folder.file(data))' --no-history"
      )
      #expect(status == 0, "\(line): \(output)")
    }

    private func record(_ folder: TestFolder, device: String, in data: String) throws -> NSDictionary? {
      let (status, output) = try Shell.run(
        "timeout 60 '\(Self.flowrun)' '\(folder.file("look.yaml"))' -i device=\(device) --data '\(folder.file(data))' --no-history"
      )
      #expect(status == 0, "\(output)")
      let line = output.split(separator: "\n").last { $0.hasPrefix("record: ") } ?? ""
      return try? JSONSerialization.jsonObject(with: Data(line.dropFirst(8).utf8)) as? NSDictionary
    }

    @Test func `changes missing from a restored zone are sent again, even if their device acts before it fetches`()
      throws
    {
      let folder = try prepare()
      try put("one", folder)
      _ = try Shell.run("cp '\(folder.file("zone.sqlite"))' '\(folder.file("backup"))'")
      try put("two", folder)
      _ = try Shell.run(
        "cd '\(folder.path)' && rm -f zone.sqlite-wal zone.sqlite-shm && cp backup zone.sqlite")
      try put("three", folder, isAway: true)
      try put("four", folder)
      let shown = try record(folder, device: "b", in: "b")
      #expect(Set(shown?["log"] as? [String] ?? []) == ["one", "two", "three", "four"])
      #expect(shown?["likes"] as? Int == 4)
    }

    @Test func `each waiting change in a copied device file counts once, and so does each later change in both files`()
      throws
    {
      let folder = try prepare()
      for line in ["one", "two"] { try put(line, folder, isAway: true) }
      _ = try Shell.run("cp -r '\(folder.file("a"))' '\(folder.file("copy"))'")
      try put("three", folder)
      try put("four", folder, in: "copy", isAway: true)
      try put("five", folder, in: "copy")
      for (device, data) in [("a", "a"), ("a", "copy"), ("b", "b")] {
        #expect(try record(folder, device: device, in: data)?["likes"] as? Int == 5)
      }
    }
  }
#endif
