import Foundation
import TestSupport
import Testing

/// `flowrun post RUN EVENT --value` in another process.
struct PostSubcommandTests {
  private static let workflow = """
    name: posted
    deadline: { max: 10m }
    events:
      text: { value: { type: string } }
      whole: { value: { type: integer } }
      part: { value: { type: number } }
      flag: { value: { type: boolean } }
      pause: { value: { type: duration } }
      many: { value: { type: array, items: { type: integer } } }
      thing: { value: { type: object } }
      color: { value: { type: string, enum: [red, blue] } }
      secret: { value: { type: string, secret: true } }
      plain:
    steps:
      ready: { uses: flow.log, with: { message: ready } }
      read:
        uses: flow.log
        after: [text, whole, part, flag, pause, many, thing, color, secret, plain]
        with:
          message: >-
            ${{ events.text.value }} ${{ events.whole.value }} ${{ events.part.value }} ${{ events.flag.value }}
            ${{ events.pause.value }} ${{ events.many.value[1] }} ${{ events.thing.value.a.b }}
            ${{ events.color.value }} ${{ events.secret.value }}

    """

  @Test func `post rejects an invalid value with exit code 64, and the step receives a valid one`() throws {
    let tool = try CommandLineTool()
    defer { tool.remove() }
    try tool.write(Self.workflow, to: "w.yaml")
    let process = try FlowrunProcess(["w.yaml", "--wait-for-events"], in: tool.folder.path)
    defer { process.send(SIGKILL) }
    #expect(process.waitForOutput("ready: ready"))
    // Only a recorded run can receive posts.
    #expect(try within(seconds: 60) { try tool.run("runs", "--json").standardOutput.contains("\"state\"") })
    for (event, wrong, message) in [
      ("text", "7", "expected a string, found 7"), ("whole", "1.5", "expected an integer, found 1.5"),
      ("part", #""2.5""#, #"expected a number, found "2.5""#), ("flag", "1", "expected true or false, found 1"),
      ("pause", #""soon""#, "expected a duration"), ("many", #"[1, "b"]"#, "'[1]': expected an integer"),
      ("thing", "[]", "expected an object"), ("color", #""green""#, #"expected one of "red", "blue""#),
      ("plain", "1", "event 'plain' carries no value"),
      ("colour", #""red""#, "no event 'colour'; did you mean 'color'?"),
      ("text", "hello", "the value is not JSON"), ("text", "@missing.json", "cannot read 'missing.json'"),
      ("secret", "7755123", "does not match its type: expected a string\n"),
    ] {
      let refused = try tool.run("post", "last", event, "--value", wrong)
      #expect(refused.exitCode == 64 && refused.standardError.contains(message), "\(event): \(refused)")
      #expect(!refused.standardError.contains("7755123"), "\(refused)")
    }
    try tool.write("\"\(String(repeating: "x", count: 70_000))\"", to: "large.json")
    let large = try tool.run("post", "last", "text", "--value", "@large.json")
    #expect(large.exitCode == 64 && large.standardError.contains("is larger than 64 KiB"), "\(large)")
    try Data([0x22, 0xFF, 0x22]).write(to: tool.folder.appendingPathComponent("bytes.json"))
    let damaged = try tool.run("post", "last", "text", "--value", "@bytes.json")
    #expect(damaged.exitCode == 64 && damaged.standardError.contains("is not UTF-8 text"), "\(damaged)")

    try tool.write(#"{"a": {"b": 3}}"#, to: "thing.json")
    for (event, value) in [
      ("text", #""a b""#), ("whole", "-7"), ("part", "2.5"), ("flag", "true"), ("pause", #""2s""#), ("many", "[1, 2]"),
      ("thing", "@thing.json"), ("color", #""red""#),
    ] {
      let posted = try tool.run("post", "last", event, "--value", value)
      #expect(posted.exitCode == 0 && posted.standardOutput == "event \(event) is posted\n", "\(event): \(posted)")
    }
    let again = try tool.run("post", "last", "text", "--value", #""second""#)
    #expect(
      again.exitCode == 0 && again.standardOutput == "event text was posted before; only its first post counts\n",
      "\(again)")
    #expect(try tool.run(["post", "last", "secret", "--value", "@-"], input: "\"T0PSECRET\"\n").exitCode == 0)
    #expect(try tool.run("post", "last", "plain").exitCode == 0)
    #expect(process.waitForOutput("read: a b -7 2.5 true 2s 2 3 red ***\n"), "\(process.outputSoFar)")
  }

  @Test func `a resumed run can read the values of earlier events, except for secret values`() throws {
    let tool = try CommandLineTool()
    defer { tool.remove() }
    try tool.write(
      """
      name: resumed
      durable: true
      events:
        paid: { value: { type: object } }
        token: { value: { type: string, secret: true } }
        again: { repeats: true, value: { type: integer } }
      steps:
        first: { uses: flow.noop, after: [paid, token] }
        hold: { uses: shell.run, needs: first, with: { command: "test -e ok || exec sleep 600" } }
        read:
          uses: flow.log
          needs: hold
          with:
            message: >-
              order ${{ events.paid.value.number }} of ${{ events.paid.value.who }},
              token '${{ events.token.value }}'
        each:
          uses: flow.log
          needs: hold
          foreach: { event: again }
          with: { message: "again ${{ item.value }}" }
          blocking: false
      outputs: { number: "${{ events.paid.value.number }}", last: "${{ events.again.value }}" }

      """, to: "w.yaml")
    let first = try FlowrunProcess(["w.yaml", "--verbose", "--wait-for-events"], in: tool.folder.path)
    defer { first.send(SIGKILL) }
    #expect(first.waitForOutput("resumed started"))
    #expect(try within(seconds: 60) { try tool.run("runs", "--json").standardOutput.contains("\"state\"") })
    for (event, value) in [
      ("again", "1"), ("again", "2"), ("token", #""T0PSECRET""#),
      ("paid", #"{"number": 17, "who": "Ada"}"#),
    ] {
      let posted = try tool.run("post", "last", event, "--value", value)
      #expect(posted.exitCode == 0, "\(event): \(posted)")
    }
    #expect(first.waitForOutput("hold started"))
    first.send(SIGKILL)
    _ = first.result()
    for file in try FileManager.default.subpathsOfDirectory(atPath: tool.folder.path + "/.flowrun") {
      let bytes = FileManager.default.contents(atPath: tool.folder.path + "/.flowrun/" + file) ?? Data()
      #expect(bytes.range(of: Data("T0P".utf8)) == nil, "\(file)")
    }
    try tool.write("", to: "ok")
    let result = try tool.run("resume", "last", "--verbose")
    #expect(result.exitCode == 0, "\(result)")
    for text in ["order 17 of Ada, token ''", "again 1\n", "again 2\n", "number: 17\n", "last: 2\n"] {
      #expect(result.standardOutput.contains(text), "\(result)")
    }
    #expect(!result.standardOutput.contains("T0P"))
  }
}
