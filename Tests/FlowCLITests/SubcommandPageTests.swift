import Foundation
import Testing

/// The output of subcommands for inspection, line by line.
@Suite(.timeLimit(.minutes(10))) struct `The output of a subcommand` {
  private let tool: CommandLineTool

  init() throws {
    tool = try CommandLineTool()
    try tool.write(
      """
      name: routes
      steps:
        routes:
          uses: router.register
          with:
            schemes: [shop]
            routes:
              - "shop://product/:productId<int>"
              - { pattern: "shop://settings", page: preferences, action: present }
              - "shop://help/**"

      """, to: "routes.yaml")
    try tool.write(
      """
      name: taken
      steps:
        routes:
          uses: router.register
          with: { schemes: [shop], routes: ["shop://a/all", { pattern: "shop://a/:kind<enum(all)>", page: kinds }] }

      """, to: "taken.yaml")
    for (name, sale, priority) in [("cases", "sale", 0), ("folded", ":id", 1), ("equal", ":id", 0)] {
      try tool.write(
        """
        name: \(name)
        steps:
          routes:
            uses: router.register
            with:
              schemes: [app]
              hosts: [example.com]
              routes:
                - { pattern: "app://Shop/\(sale)", priority: \(priority) }
                - "app://shop/:id"
                - { pattern: "app://:page/**", page: any }

        """, to: "\(name).yaml")
    }
    try tool.write(
      """
      name: remind
      steps:
        later: { uses: notification.schedule, with: { after: 1h, title: Tea, body: Drink it, id: tea } }

      """, to: "remind.yaml")
  }

  private func page(_ arguments: String) throws -> CommandLineTool.Output {
    try tool.run(arguments.split(separator: " ").map(String.init))
  }

  @Test func `flowrun plugins show describes an action with its inputs, its events and an example`() throws {
    defer { tool.remove() }
    #expect(
      try page("plugins show flow.post").standardOutput == """
        flow.post
        Posts an event that other steps wait for with `after`
        built in

        Inputs
          event  string, required — The name of the event; not an expression, so that waiting steps can be checked \
        before the run
          value  any, default null — What the event is posted with, at most 64 KiB; steps read it as events.NAME.value \
        or item.value

        Events
          …  the event named by 'event'

        Example
          uses: flow.post
          with: { event: map.first-use }

        """)
    #expect(
      try page("plugins show notification.schedule").standardOutput.hasPrefix(
        """
        notification.schedule
        Schedules a local notification, delivered once or at an interval
        built in

        Inputs
          title       string, required — The title
          body        string, default "" — The text
          sound       string, default "default" — The sound
          route       string, optional — The link that a tap opens
          parameters  object, default {} — The parameters of the page besides the link
          after       duration, default "5s" — The delay before it is delivered
          at          string, optional — The instant at which it is delivered instead, in ISO 8601, such as \
        2026-12-24T18:00:00Z
          repeats     boolean, default false — Whether it is delivered again each time that the delay has passed, which \
        is at least 60s
          id          string, optional — Its identifier; without it, a new UUID

        Outputs
          id  string — Its identifier

        Errors
          schedule-failed  The system did not take the notification

        """))
  }

  @Test func `flowrun plugins lists the plugins with their actions in columns`() throws {
    defer { tool.remove() }
    let lines = try page("plugins").standardOutput.split(separator: "\n").map(String.init)
    #expect(lines[0] == "flow  built in")
    let noop = lines.first { $0.hasPrefix("  flow.noop  ") }
    #expect(noop?.hasSuffix("  Does nothing; other steps can meet at it") == true)
    #expect(lines.contains("shell  built in") && lines.contains { $0.hasPrefix("  shell.run  ") })
    // All summaries begin in the same column.
    let column = noop.flatMap { line in line.firstRange(of: "Does").map { line[..<$0.lowerBound].count } }
    for line in lines where line.hasPrefix("  ") {
      let summary = line.dropFirst(2).drop { $0 != " " }.drop { $0 == " " }
      #expect(line.count - summary.count == column, "\(line)")
    }
  }

  @Test(arguments: [
    (
      "routes list routes.yaml", Int32(0),
      """
      PATTERN                         PAGE         ACTION
      shop://product/:productId<int>  product      push
      shop://settings                 preferences  present
      shop://help/**                  help         push

      """
    ),
    ("routes check routes.yaml", 0, "all 3 routes are reachable\n"),
    (
      "routes check taken.yaml", 1,
      "no URL reaches 'shop://a/:kind<enum(all)>': 'shop://a/all' matches shop://a/all, for example\n"
    ),
    ("routes check cases.yaml", 0, "all 3 routes are reachable\n"),
    (
      "routes check folded.yaml", 1,
      "no app:// URL reaches 'app://shop/:id', only links such as https://example.com/shop/~:"
        + " 'app://Shop/:id' matches app://shop/~, for example; a custom scheme compares the first segment without case\n"
    ),
    ("routes check equal.yaml", 2, ""),
    (
      "routes open cases.yaml https://example.com/shop/7", 0,
      "opened  app://shop/:id  page shop  {\"id\":\"7\"}\n"
    ),
    ("routes open cases.yaml https://example.com/Shop/sale", 0, "opened  app://Shop/sale  page Shop  {}\n"),
    (
      "routes open routes.yaml shop://product/7?from=mail", 0,
      "opened  shop://product/:productId<int>  page product  {\"productId\":7,\"from\":\"mail\"}\n"
    ),
    (
      "routes open routes.yaml shop://setings", 1, "not-found  no route matches [not-found]; nearest: shop://settings\n"
    ),
  ])
  func `routes describes routes, reports unreachable ones, and shows the target of a link`(
    _ arguments: String, _ exitCode: Int32, _ text: String
  ) throws {
    defer { tool.remove() }
    let output = try page(arguments)
    #expect(output.standardOutput == text)
    #expect(output.exitCode == exitCode)
  }

  @Test func `notifications lists pending notifications without delivering them early`() throws {
    defer { tool.remove() }
    #expect(try page("notifications list remind.yaml").standardOutput == "no notification is pending\n")
    #expect(try page("run remind.yaml").standardOutput.contains("later: scheduled notification tea in 1h\n"))
    let waiting = try page("notifications list remind.yaml").standardOutput
    #expect(waiting.wholeMatch(of: /tea  due in 59m[0-9a-z]+  Tea\n/) != nil, "\(waiting)")
    #expect(try page("notifications deliver remind.yaml").standardOutput == "no notification is due\n")
    #expect(try page("notifications list remind.yaml").standardOutput.hasPrefix("tea  due in "))
  }

  @Test func `schema prints schemas with their titles`() throws {
    defer { tool.remove() }
    for (arguments, title) in [("schema", "A workflow of flowrun"), ("schema --plugin", "A plugin of flowrun")] {
      let lines = try page(arguments).standardOutput.split(separator: "\n").map(String.init)
      #expect(Array(lines[0...1]) == ["{", #"  "$schema": "http://json-schema.org/draft-07/schema#","#])
      #expect(lines[2] == "  \"title\": \"\(title)\",")
      #expect(lines.last == "}")
    }
  }
}
