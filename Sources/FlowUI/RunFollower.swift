#if Network
  import FlowCLI
  import FlowDiagnostics
  import FlowEngine
  import FlowInsight
  import FlowModel
  import FlowStore
  import FlowSystem
  import HummingbirdCore
  import NIOCore
  import ServiceLifecycle

  /// Sends server-sent events to an open page. `change` asks the page to load its parts again, `log` contains new
  /// output lines, and `ended` reports that the session has ended.
  ///
  /// The id of an event is a position of the `LogFollower`, so that a page that has lost its connection can continue
  /// there.
  struct RunFollower: Sendable {
    let library: RunLibrary
    /// The run that the page shows, or nil if it shows the list of runs.
    let run: (run: StoredRun, store: any RunStore)?
    /// The position after the lines that the page already has, or nil if it has none.
    var position: String?

    /// The intervals between checks of a run and of the list of runs. After `quietLooks` checks without a change, a
    /// comment line is sent to keep the connection open.
    private static let (runMilliseconds, listMilliseconds, quietLooks) = (250, 1_000, 40)
    /// The number of checks after which the page of a running run is reloaded, even without new lines, because
    /// durations increase.
    private static let runningLooks = 2

    private struct News: Sendable {
      var state: String
      var parts: [LogFollower.Part] = []
      var hasEntries = false

      var isRunning: Bool { state.hasPrefix(StoredRun.State.running.rawValue) }
    }

    /// Sends events until the page is closed, the server stops or the session ends.
    func write(to writer: inout any ResponseBodyWriter, while isOpen: () -> Bool) async throws {
      let lines = run.map { LogFollower($0.run.id, in: $0.store, after: position) }
      var state: String?
      var (quiet, looks) = (0, 0)
      // The time after which a browser reconnects, in milliseconds.
      try await writer.write(ByteBuffer(string: "retry: 1000\n\n"))
      while !Task.isShuttingDownGracefully, !Task.isCancelled {
        guard isOpen() else {
          try await writer.write(ByteBuffer(string: "event: ended\ndata:\n\n"))
          return
        }
        let library = library
        let news = try await DetachedThread.run { Self.news(library, lines) }
        var text = ""
        // The shown durations of running steps are outdated after a few checks.
        let isOlder = news.isRunning && looks > 0 && looks % Self.runningLooks == 0
        looks += 1
        // The first check always sends a change, because the run may have ended since the page was created.
        if news.state != state || news.hasEntries || isOlder {
          text += "event: change\ndata: \(news.state)\n\n"
        }
        state = news.state
        for part in news.parts {
          let lines = JSONText.write(.array(Self.lines(of: part)))
          try await writer.write(ByteBuffer(string: "event: log\nid: \(part.position)\ndata: \(lines)\n\n"))
          quiet = 0
        }
        quiet += 1
        if text.isEmpty, quiet % Self.quietLooks == 0 { text = ": alive\n\n" }
        if !text.isEmpty { try await writer.write(ByteBuffer(string: text)) }
        try await Task.sleep(for: .milliseconds(run == nil ? Self.listMilliseconds : Self.runMilliseconds))
      }
    }

    private static func news(_ library: RunLibrary, _ lines: LogFollower?) -> News {
      guard let lines else {
        let list = library.list()
        let hash = String(list.runs.map { "\($0.id) \($0.state) \($0.epoch)" }.hashValue, radix: 16)
        return News(state: list.runs.contains { $0.state == .running } ? "running \(hash)" : hash)
      }
      do throws(StoreProblem) {
        let news = try lines.read()
        let state = news.run.map { "\($0.state.rawValue) \($0.epoch)" } ?? "deleted"
        return News(state: state, parts: news.parts, hasEntries: news.hasEntries)
      } catch {
        return News(state: "unreadable")
      }
    }

    /// Returns the lines of a part of the log as arrays: the source, the time in milliseconds, the kind, the pieces
    /// with CSS classes if the line has colors, and the text.
    private static func lines(of part: LogFollower.Part) -> [Value] {
      PageLine.all(of: part.lines).map { line in
        let colors = line.pieces.contains { $0.look != ColoredText.Look() }
        return .array([
          .string(line.source), line.at, .integer(line.kind.rawValue),
          colors
            ? .array(line.pieces.map { .array([.string(PageText.classes(of: $0.look)), .string($0.text)]) }) : .null,
          .string(line.text),
        ])
      }
    }
  }
#endif
