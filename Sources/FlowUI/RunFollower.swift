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

  /// Tells a page what is new, as server-sent events: `change` when it should be read again, `log` with lines, `ended` when
  /// the session has.
  ///
  /// The id of an event says how many parts of the journal have been sent, and how many lines of the next one, so that a page
  /// which lost its connection continues where it was.
  struct RunFollower: Sendable {
    let library: RunLibrary
    /// The run; nil: the list of runs.
    let run: (run: StoredRun, store: any RunStore)?
    /// How many parts of the journal the page has, and how many lines of the next one.
    var position = (part: 0, line: 0)

    /// How often a run and the list of runs are looked at, and after how many looks without news something is sent.
    private static let (runMilliseconds, listMilliseconds, quietLooks) = (250, 1_000, 40)
    /// After how many looks a page of a run in progress is read again, also while lines come: within a second.
    private static let runningLooks = 2
    /// The number of lines that an event has at most.
    private static let eventLines = 2_000

    private struct News: Sendable {
      var state: String
      var chunks: [[UInt8]] = []

      var isRunning: Bool { state.hasPrefix(StoredRun.State.running.rawValue) }
    }

    /// Writes events until the page goes, the server stops or the session ends.
    func write(to writer: inout any ResponseBodyWriter, while isOpen: () -> Bool) async throws {
      var (next, sent) = position
      var state: String?
      var (quiet, looks) = (0, 0)
      // How soon a browser connects again, in milliseconds.
      try await writer.write(ByteBuffer(string: "retry: 1000\n\n"))
      while !Task.isShuttingDownGracefully, !Task.isCancelled {
        guard isOpen() else {
          try await writer.write(ByteBuffer(string: "event: ended\ndata:\n\n"))
          return
        }
        let (library, run, known) = (library, run, next)
        let news = try await DetachedThread.run { Self.news(library, run, from: known) }
        var text = ""
        let hasEntries = news.chunks.contains { (try? RunChunk($0))?.kind != .log }
        // Steps in progress take longer with every look.
        let isOlder = news.isRunning && looks > 0 && looks % Self.runningLooks == 0
        looks += 1
        // The first look has nothing to compare with: the run may have ended since the page was made.
        if news.state != state || hasEntries && known > 0 || isOlder {
          text += "event: change\ndata: \(news.state)\n\n"
        }
        state = news.state
        for chunk in news.chunks {
          let lines = Self.lines(in: chunk)
          while sent < lines.count {
            let part = Value.array(Array(lines[sent..<min(lines.count, sent + Self.eventLines)]))
            sent += Self.eventLines
            let id = sent < lines.count ? "\(next).\(sent)" : "\(next + 1).0"
            try await writer.write(ByteBuffer(string: "event: log\nid: \(id)\ndata: \(JSONText.write(part))\n\n"))
            quiet = 0
          }
          (next, sent) = (next + 1, 0)
        }
        quiet += 1
        if text.isEmpty, quiet % Self.quietLooks == 0 { text = ": alive\n\n" }
        if !text.isEmpty { try await writer.write(ByteBuffer(string: text)) }
        try await Task.sleep(for: .milliseconds(run == nil ? Self.listMilliseconds : Self.runMilliseconds))
      }
    }

    private static func news(
      _ library: RunLibrary, _ run: (run: StoredRun, store: any RunStore)?, from first: Int
    ) -> News {
      guard let run else {
        let list = library.list()
        let hash = String(list.runs.map { "\($0.id) \($0.state) \($0.epoch)" }.hashValue, radix: 16)
        return News(state: list.runs.contains { $0.state == .running } ? "running \(hash)" : hash)
      }
      do throws(StoreProblem) {
        // The state is read first, so that what is written in between is among the chunks.
        let state = try run.store.run(run.run.id).map { "\($0.state.rawValue) \($0.epoch)" } ?? "deleted"
        return News(state: state, chunks: try run.store.chunks(of: run.run.id, from: first))
      } catch {
        return News(state: "unreadable")
      }
    }

    /// The lines in a part of a journal: who printed each, when in milliseconds, its kind, its pieces with classes where it has
    /// colors, and its text.
    private static func lines(in chunk: [UInt8]) -> [Value] {
      PageLine.all(in: [chunk]).map { line in
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
