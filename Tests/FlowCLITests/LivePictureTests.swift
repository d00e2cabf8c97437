#if os(Linux)
  import Foundation
  import TestSupport
  import Testing

  /// `docs/live-view.svg`, the animation in the README. It consists of frames of a real run with the times of a fast
  /// machine. In this test, a step ends when the frame that shows it has been drawn.
  ///
  /// `RECORD_SNAPSHOTS=1` draws it again and makes the test fail once, so that someone reviews it.
  @Suite(.timeLimit(.minutes(10))) struct LivePictureTests {
    private static let workflow = """
      name: app
      deadline: { min: 7s, max: 50s }
      steps:
        open-store: { uses: flow.noop }
        account: { run: "until [ -e end-account ]; do sleep 0.01; done", needs: open-store }
        trips: { run: "until [ -e end-trips ]; do sleep 0.01; done", needs: open-store }
        load-ads: { run: "until [ -e end-load-ads ]; do sleep 0.01; done", blocking: false }
        clean-up: { run: "until [ -e end-clean-up ]; do sleep 0.01; done", defer: true }
      """

    /// A frame of the animation is the first screen that contains all `parts`. `times` replace the real times, from the
    /// first line to the last. `ends` are the steps that end after the frame, one after another.
    private static let frames: [(parts: [String], times: [String], ends: [String])] = [
      (
        ["✓ open-store", "▶ account", "▶ trips"],
        ["100 ms", "0.3 s", "0.7 s", "1 s", "3 s", "300 ms", "200 ms", "200 ms"], ["trips", "account"]
      ),
      (
        ["✓ trips", "✓ account", "▶ load-ads", "gate opens"],
        ["100 ms", "400 ms", "500 ms", "0.8 s", "0.2 s", "1 s", "3 s", "800 ms"], []
      ),
      (
        ["gate opened", "▶ load-ads", "▶ clean-up"],
        ["100 ms", "400 ms", "500 ms", "1.1 s", "1.0 s", "1.1 s", "100 ms"], ["clean-up", "load-ads"]
      ),
      (
        ["app: success"],
        [
          "100 ms", "400 ms", "500 ms", "400 ms", "1.600 s", "1.600 s", "1.000 s", "600 ms", "400 ms",
        ], []
      ),
    ]
    /// The number of filled cells in the bar, for each frame.
    private static let filled = [5, 13, 16, 16]
    private static let (rows, columns) = (12, 78)

    @Test func `the animation in the README matches the output of a run on a terminal`() throws {
      let tool = try CommandLineTool()
      defer { tool.remove() }
      try tool.write(Self.workflow, to: "app.yaml")
      let terminal = try #require(PseudoTerminal(rows: Self.rows, columns: Self.columns))
      let run = try FlowrunProcess(
        ["app.yaml"], in: tool.folder.path, environment: ["TERM": "xterm-256color", "CI": "", "NO_COLOR": "1"],
        standardOutput: terminal.path)
      var pictures: [[String]] = []
      func screen(with parts: [String]) throws -> [String] {
        var found: [String]?
        within(seconds: 60) {
          found = Self.screens(terminal.drawn()).first { screen in
            parts.allSatisfy { part in screen.contains { $0.contains(part) } }
          }
          return found != nil
        }
        return try #require(found, "no frame shows \(parts)")
      }
      for (index, frame) in Self.frames.enumerated() {
        pictures.append(Self.normalized(Self.ordered(try screen(with: frame.parts)), index))
        for step in frame.ends {
          try tool.write("", to: "end-\(step)")
          if step != frame.ends.last { _ = try screen(with: ["✓ \(step)"]) }
        }
      }
      #expect(run.result().exitCode == 0)
      let picture = Self.picture(pictures)
      let file = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../docs/live-view.svg")
      if ProcessInfo.processInfo.environment["RECORD_SNAPSHOTS"] == "1" {
        try picture.write(to: file, atomically: true, encoding: .utf8)
        Issue.record("drew docs/live-view.svg again; look at it")
      } else {
        #expect(try String(contentsOf: file, encoding: .utf8) == picture, "draw it again with RECORD_SNAPSHOTS=1")
      }
    }

    /// Returns the screen after each drawing.
    private static func screens(_ output: String) -> [[String]] {
      var terminal = VirtualTerminal(rows: rows, columns: columns)
      var screens: [[String]] = []
      // A drawing ends by removing the rest of the previous one.
      for part in output.components(separatedBy: "\u{1B}[J") {
        terminal.show(part + "\u{1B}[J")
        screens.append(terminal.screen)
      }
      return screens
    }

    /// Returns the screen with the running steps in the order in which a fast machine starts them.
    private static func ordered(_ screen: [String]) -> [String] {
      func rank(_ line: String) -> Int {
        ["load-ads", "account", "trips", "clean-up"].firstIndex { line.contains("▶ \($0)") } ?? 0
      }
      let places = screen.indices.filter { screen[$0].contains("▶") }
      let lines = places.map { screen[$0] }.sorted { rank($0) < rank($1) }
      var ordered = screen
      for (place, line) in zip(places, lines) { ordered[place] = line }
      return ordered
    }

    /// Returns the screen with the times of the frame in place of the real ones. Keeps the columns aligned.
    private static func normalized(_ screen: [String], _ index: Int) -> [String] {
      var times = frames[index].times[...]
      return screen.map { line in
        var normalized = line.replacing(/(?<space>[ (]*)\b[0-9]+(?:\.[0-9]+)? (?:µs|ms|s)\b/) { match in
          guard let time = times.popFirst() else { return String(match.output.0) }
          let room = match.output.0.count - time.count
          let space = match.output.space
          // If running steps share a line, two spaces precede their times, whose widths differ.
          let isShared = space.count == 2 && line.contains("▶")
          guard space.count > 1, !isShared, !space.contains("(") else { return space + time }
          return String(repeating: " ", count: max(1, room)) + time
        }.replacing(/[━─]+/) { match in
          let (count, filled) = (match.output.count, filled[index])
          return String(repeating: "━", count: min(count, filled))
            + String(repeating: "─", count: max(0, count - filled))
        }
        // If the width of a time has changed, the counts must stay at the end of the line.
        let longer = normalized.count - line.count
        if longer != 0, let gap = normalized.ranges(of: /[ ]{4,}/).last {
          let width = normalized[gap].count - longer
          normalized.replaceSubrange(gap, with: String(repeating: " ", count: max(1, width)))
        }
        return normalized
      }
    }

    private static func picture(_ pictures: [[String]]) -> String {
      let (cell, line, margin) = (8.4, 20, 16)
      let width = Int(cell * Double(columns)) + 2 * margin
      let height = (pictures.map(\.count).max() ?? 0) * line + 2 * margin
      let share = 100 / pictures.count
      var svg = """
        <svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 \(width) \(height)" width="\(width)" height="\(height)" \
        role="img" aria-label="A run on a terminal: finished steps, a bar to the opening of the gate, and running steps">
        <style>
        text { font: 14px ui-monospace, Menlo, Consolas, monospace; fill: #d8dee9; white-space: pre }
        .done { fill: #8fbf7f } .runs { fill: #7fb8c8 } .dim { fill: #5a6473 }
        .frame { visibility: hidden; animation: frame \(2 * pictures.count)s step-end infinite }
        @keyframes frame { 0% { visibility: visible } \(share)% { visibility: hidden } 100% { visibility: hidden } }
        @media (prefers-reduced-motion) { .frame { animation: none } .frame.first { visibility: visible } }
        </style>
        <rect width="100%" height="100%" rx="8" fill="#20262f"/>

        """
      for (index, lines) in pictures.enumerated() {
        svg += "<g class=\"frame\(index == 0 ? " first" : "")\" style=\"animation-delay: \(2 * index)s\">\n"
        for (row, text) in lines.enumerated() where !text.isEmpty {
          svg +=
            "<text x=\"\(margin)\" y=\"\(margin + 14 + row * line)\" xml:space=\"preserve\">\(marked(text))</text>\n"
        }
        svg += "</g>\n"
      }
      return svg + "</svg>\n"
    }

    /// Returns the line with colors for its symbols.
    private static func marked(_ line: String) -> String {
      line.replacing("&", with: "&amp;").replacing("<", with: "&lt;")
        .replacing(/✓|▶|━+|─+|app: success/) { match in
          let kind =
            switch match.output.first {
            case "✓", "a": "done"
            case "─": "dim"
            default: "runs"
            }
          return "<tspan class=\"\(kind)\">\(match.output)</tspan>"
        }
    }
  }
#endif
