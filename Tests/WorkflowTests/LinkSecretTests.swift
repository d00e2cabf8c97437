import Foundation
import TestSupport
import Testing

/// Tests that a launch does not write secrets of a link to any file in its folder.
@Suite(.timeLimit(.minutes(10))) struct `Secrets of links` {
  private static let workflow = """
    name: sec
    inputs: { payload: { type: string, secret: true } }
    steps:
      store: { uses: storage.open, with: { path: app.sqlite } }
      app: { uses: ui.launch, queue: main }
      restore: { uses: ui.restore, needs: [app, store], queue: main }
      register:
        uses: router.register
        needs: [app, restore]
        with: { schemes: [app], routes: ["app://reset", "app://chat/:id"] }
      parse: { uses: notification.parse, with: { payload: "${{ inputs.payload }}" } }
      window: { uses: ui.window, needs: restore, queue: main, with: { tabs: [home] } }
      show: { uses: ui.present, needs: window, queue: main }
      open:
        uses: router.open
        needs: [register, show, parse]
        queue: main
        with:
          url: ${{ steps.parse.outputs.route }}
          parameters: ${{ steps.parse.outputs.parameters }}
          source: notification
      plain: { uses: router.open, needs: open, queue: main, with: { url: "app://chat/7" } }
    outputs: { restored: "${{ steps.restore.outputs.pages }}", opened: "${{ steps.open.outputs.result }}" }
    """

  @Test(arguments: [
    #"{"aps":{"alert":"x"},"route":"app://reset?token=TOPSECRETTOKEN99","parameters":{"code":"TOPSECRETCODE99"}}"#,
    #"{"aps":{"alert":"x"},"route":"app://chat/TOPSECRETROOM99","parameters":{"greeting":"TOPSECRETTEXT99"}}"#,
  ])
  func `launches do not write secrets to files, and do not restore a page whose link has secrets`(
    payload: String
  ) throws {
    let folder = try WorkflowFolder(["sec.yaml": Self.workflow])
    // The secret is read from a file outside the launch's folder.
    let tap = try WorkflowFolder(["tap.json": payload])
    for restored in ["[]", #"["chat"]"#] {
      let input = "payload=@\(tap.url.path)/tap.json"
      let (text, status) = try folder.flowrun("sec.yaml", "-i", input, "--report", "report.json")
      #expect(status == 0, "\(text)")
      let report = try String(contentsOf: folder.url.appendingPathComponent("report.json"), encoding: .utf8)
      #expect(report.filter { !$0.isWhitespace }.contains(#""restored":\#(restored)"#))
      #expect(report.contains("opened"))
      for file in FileManager.default.enumerator(at: folder.url, includingPropertiesForKeys: nil)?.allObjects ?? [] {
        guard let file = file as? URL, let bytes = try? Data(contentsOf: file) else { continue }
        #expect(bytes.firstRange(of: Data("TOPSECRET".utf8)) == nil, "\(file.lastPathComponent)")
      }
    }
  }

  // MARK: Links from the system

  private static let app = """
    name: app
    events:
      router.link: { repeats: true }
      app.open-url: { repeats: true }
      app.continue-user-activity: { repeats: true }
      scene.open-url-contexts: { repeats: true }
    inputs: { ok: { type: boolean, default: true } }
    steps:
      launch: { uses: ui.launch, queue: main }
      routes:
        uses: router.register
        needs: launch
        with:
          schemes: [bank]
          hosts: [bank.example]
          fragment: parameters
          routes:
            - "bank://account/:number"
            - "bank://callback"
            - { pattern: "bank://chat/:room", actions: [REPLY] }
            - "https://bank.example/account/:number"
      receive: { uses: router.receive, needs: [routes, launch], blocking: false }
      link: { uses: router.launch-link, needs: routes }
      hold:
        uses: router.hold
        needs: link
        if: steps.link.outputs.url
        with:
          url: ${{ steps.link.outputs.url }}
          parameters: ${{ steps.link.outputs.parameters }}
          source: ${{ steps.link.outputs.source }}
      window:
        uses: ui.window
        needs: hold
        queue: main
        with: { tabs: [home], pages: [account, callback, chat] }
      present: { uses: ui.present, needs: window, queue: main, defer: true }
      flush: { uses: router.flush, needs: [present, hold], queue: main, defer: true, with: { settle: 0ms } }
      open:
        uses: router.open
        needs: [routes, launch]
        foreach: { event: router.link }
        queue: main
        blocking: false
        with: { url: "${{ item.value.url }}", parameters: "${{ item.value.parameters }}" }
      tell:
        uses: flow.log
        needs: [flush, open]
        defer: true
        # Texts of fewer than 8 characters are not searched.
        with:
          message: >-
            ${{ steps.flush.outputs.merged.note }} ${{ steps.flush.outputs.merged.access_token }}
            ${{ steps.flush.outputs.merged.room }} ${{ toJSON(steps.open.outputs.fragment) }}
            ${{ steps.link.outputs.url }} ${{ steps.link.outputs.reply }} ${{ events['router.link'].value.url }}
      keep:
        uses: flow.set
        needs: [flush, open]
        defer: true
        with:
          values:
            cold: ${{ steps.flush.outputs.merged }}
            hot: ${{ steps.open.outputs.merged }}
            reply: ${{ steps.link.outputs.reply }}
            page: ${{ steps.flush.outputs.page || join(steps.open.outputs.page, ' ') }}
      last: { uses: flow.fail, needs: [keep, tell], if: "!inputs.ok", defer: true, with: { message: stop } }
    outputs:
      page: ${{ steps.keep.outputs.page }}
      cold: ${{ steps.keep.outputs.cold }}
      hot: ${{ steps.open.outputs.merged }}
      url: ${{ steps.link.outputs.url }}
      reply: ${{ steps.link.outputs.reply }}
      options: ${{ launch.options }}
    """

  /// A launch that opens a link: the arguments of the run, the file that they name, and the page that opens.
  struct Way: Sendable, CustomStringConvertible {
    var description: String
    var arguments: [String]
    var file = "{}"
    var page = "account"
  }

  private static let url = "bank://account/zq7zq?note=PLANTEDQUERY&short=zq8zq#access_token=PLANTEDTOKEN&state=zq9zq"

  static let ways: [Way] = [
    Way(description: "cold, a URL", arguments: ["--launch", "url=@way.json"], file: #"{"url":"\#(url)"}"#),
    Way(
      description: "cold, URL contexts", arguments: ["--launch", "scene=@way.json"],
      file: #"{"urlContexts":[{"url":"\#(url)"}]}"#),
    Way(
      description: "cold, a user activity", arguments: ["--launch", "scene=@way.json"],
      file: #"{"userActivities":[{"webpageURL":"https://bank.example/account/zq7zq?note=PLANTEDQUERY#a=PLANTEDPART"}]}"#
    ),
    Way(
      description: "cold, a notification", arguments: ["--launch", "notification=@way.json"],
      file: #"""
        {"remoteNotification":{"aps":{"alert":"x"},"route":"\#(url)",
        "parameters":{"greeting":"PLANTEDTEXT","short":"zq6zq"}}}
        """#),
    Way(
      description: "cold, a reply", arguments: ["--launch", "notification=@way.json"],
      file: #"""
        {"notificationResponse":{"actionIdentifier":"REPLY","userText":"PLANTEDREPLY zq5zq","notification":
        {"request":{"identifier":"n","content":{"userInfo":{"route":"bank://chat/PLANTEDROOM"}}}}}}
        """#, page: "chat"),
    Way(description: "hot, a URL", arguments: ["--event", #"app.open-url@10ms="\#(url)""#]),
    Way(
      description: "hot, URL contexts",
      arguments: ["--event", #"scene.open-url-contexts@10ms=[{"url":"\#(url)"}]"#]),
    Way(
      description: "hot, a user activity",
      arguments: [
        "--event",
        #"app.continue-user-activity@10ms={"webpageURL":"https://bank.example/account/zq7zq?note=PLANTEDQUERY"}"#,
      ]),
    Way(
      description: "hot, only a fragment",
      arguments: ["--event", #"app.open-url@10ms="bank://callback#access_token=PLANTEDTOKEN&state=zq9zq""#],
      page: "callback"),
  ]

  @Test(arguments: ways)
  func `files and output contain no secrets after a link from the system has been opened`(_ way: Way) throws {
    let folder = try WorkflowFolder(["app.yaml": Self.app])
    let given = try WorkflowFolder(["way.json": way.file])
    let arguments = way.arguments.map { $0.replacingOccurrences(of: "@way.json", with: "@\(given.url.path)/way.json") }
    for extra in [[], ["--json"]] {
      let result = try FlowrunProcess.run(
        ["app.yaml", "--durable", "--verbose", "--report", "report.json", "--trace", "trace.json"] + extra + arguments,
        in: folder.url.path)
      #expect(result.exitCode == 0, "\(result)")
      let report = try String(contentsOf: folder.url.appendingPathComponent("report.json"), encoding: .utf8)
      #expect(report.filter { !$0.isWhitespace }.contains(#""page":"\#(way.page)""#), "\(report)")
      try Self.expectNoSecrets(in: folder, "\(report)\(result)")
      #expect(!(result.output + result.errors).contains("PLANTED"), "\(result)")
    }
  }

  @Test func `short secrets pass through an included file without being recorded`() throws {
    let folder = try WorkflowFolder([
      "inner.yaml": """
      name: inner
      inputs: { link: { type: string } }
      steps:
        launch: { uses: ui.launch, queue: main }
        routes: { uses: router.register, with: { schemes: [bank], routes: ["bank://account/:number"] } }
        window: { uses: ui.window, needs: launch, queue: main, with: { tabs: [home], pages: [account] } }
        show: { uses: ui.present, needs: window, queue: main }
        open: { uses: router.open, needs: [routes, show], queue: main, with: { url: "${{ inputs.link }}" } }
      outputs: { number: "${{ steps.open.outputs.merged.number }}", page: "${{ steps.open.outputs.page }}" }
      """,
      "outer.yaml": """
      name: outer
      steps:
        inner: { uses: ./inner.yaml, with: { link: "${{ launch.options.url }}" } }
        same: { uses: flow.set, needs: inner, with: { values: { number: "${{ steps.inner.outputs.number }}" } } }
        fits: { uses: flow.noop, needs: same, if: "contains(steps.same.outputs.number, 'q7z')" }
      outputs: { number: "${{ steps.same.outputs.number }}", page: "${{ steps.inner.outputs.page }}" }
      """,
    ])
    let given = try WorkflowFolder(["way.json": #"{"url":"bank://account/zq7zq"}"#])
    let result = try folder.flowrun(
      "outer.yaml", "--durable", "--launch", "url=@\(given.url.path)/way.json", "--report", "report.json")
    #expect(result.status == 0 && !result.text.contains("fits skipped"), "\(result.text)")
    let report = try String(contentsOf: folder.url.appendingPathComponent("report.json"), encoding: .utf8)
    #expect(report.filter { !$0.isWhitespace }.contains(#""outputs":{"number":"***","page":"account"}"#), "\(report)")
    try Self.expectNoSecrets(in: folder, result.text)
  }

  @Test func `a resumed run keeps only the page of a link, and replaces the link's secrets with null`() throws {
    let folder = try WorkflowFolder(["app.yaml": Self.app])
    let given = try WorkflowFolder(["way.json": #"{"url":"\#(Self.url)"}"#])
    let options = "url=@\(given.url.path)/way.json"
    let first = try folder.flowrun("app.yaml", "--durable", "-i", "ok=false", "--launch", options)
    #expect(first.status == 1, "\(first.text)")
    try Self.expectNoSecrets(in: folder, "")
    let resumed = try folder.flowrun("resume", "last", "--report", "report.json")
    #expect(resumed.status == 1, "\(resumed.text)")
    let report = try String(contentsOf: folder.url.appendingPathComponent("report.json"), encoding: .utf8)
    let outputs = report.filter { !$0.isWhitespace }
    #expect(outputs.contains(#""page":"account""#) && outputs.contains(#""url":null"#), "\(report)")
    #expect(outputs.contains(#""number":null"#) && outputs.contains(#""note":null"#), "\(report)")
  }

  /// Checks that no file in a folder contains a planted secret. The short ones are searched whole, and in text files also by
  /// their first letters: two letters occur by chance in random bytes, such as those of a store's lock.
  private static func expectNoSecrets(in folder: WorkflowFolder, _ comment: String) throws {
    for file in FileManager.default.enumerator(at: folder.url, includingPropertiesForKeys: nil)?.allObjects ?? [] {
      guard let file = file as? URL, let bytes = try? Data(contentsOf: file) else { continue }
      let isText = String(bytes: bytes, encoding: .utf8) != nil
      for text in ["PLANTED"] + (isText ? ["zq"] : (5...9).map { "zq\($0)zq" }) {
        #expect(bytes.firstRange(of: Data(text.utf8)) == nil, "\(text) in \(file.lastPathComponent) \(comment)")
      }
    }
  }
}
