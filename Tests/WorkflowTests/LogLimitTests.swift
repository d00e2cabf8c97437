import Testing

/// The record of steps that print much.
@Suite(.timeLimit(.minutes(10))) struct `The recorded log of a run` {
  private func log(_ head: String, _ step: String, of name: String) throws -> String {
    let folder = try WorkflowFolder([
      "w.yaml": """
      name: w
      \(head)
      steps:
        long: { run: "seq -f 'line %07g' 1 100000", \(step) }
        short: { needs: long, run: echo the address is here }
      """
    ])
    #expect(try folder.flowrun("w.yaml").status == 0)
    return try folder.flowrun("logs", "last", "--step", name).text
  }

  @Test func `has the beginning and the end of a long step, and all of the next one`() throws {
    let long = try log("", "", of: "long").split(separator: "\n")
    #expect(long.first == "long: line 0000001" && long.last == "long: line 0100000", "\(long.count)")
    let marker = try #require(long.first { $0.contains("[flowrun: ") })
    #expect(marker.hasSuffix("bytes, are not recorded; a larger log-limit keeps more]"), "\(marker)")
    // 13 bytes a line.
    #expect((80_000..<81_500).contains(long.count), "\(long.count)")
    #expect(try log("", "", of: "short") == "short: the address is here\n")
  }

  @Test func `has as much as log-limit says, of the workflow and of a step`() throws {
    #expect(try log("", "log-limit: 2MiB", of: "long").split(separator: "\n").count == 100_000)
    let shared = try log("log-limit: 128KiB", "quiet: false", of: "long").split(separator: "\n").count
    #expect((4_900..<5_200).contains(shared), "\(shared)")
    #expect(try log("log-limit: 1KiB", "log-limit: 1GiB", of: "long").split(separator: "\n").count < 100)
  }

  @Test(arguments: ["100B", "2GiB", "1048576", "many"]) func `has a limit of 1KiB to 1GiB`(_ limit: String) throws {
    let texts = [
      "log-limit: \(limit)\nsteps: { a: { run: 'true' } }", "steps: { a: { run: 'true', log-limit: \(limit) } }",
    ]
    for text in texts {
      let (said, status) = try WorkflowFolder(["w.yaml": "name: w\n\(text)\n"]).flowrun("validate", "w.yaml")
      #expect(status == 2 && said.contains("log-limit"), "\(said)")
    }
  }
}
