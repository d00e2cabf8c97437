/// A drawing of the steps and their dependencies in columns.
struct PageGraph {
  let shape: CourseShape
  /// The share of runs in which each step is on the critical path to the gate, from 0 to 1.
  let criticality: [Double]
  /// The outcome or state of each step as one word. Empty if the run is not known.
  var outcomes: [String] = []
  /// A summary of each step's items by outcome, such as `3 of 4`, keyed by the index of the step.
  var details: [Int: String] = [:]
  /// The prefix of links to pages of steps, or nil if there are none.
  var stepPage: String?

  /// The state of a step that was running when flowrun ended before the run did.
  static let cutOff = "cut-off"
  /// The maximum number of characters of a node's label.
  private static let nameCharacters = 22
  /// The maximum number of steps for which a graph is drawn, because a larger one is not readable.
  private static let limit = 200

  var html: String {
    guard shape.knowsDependencies, !shape.steps.isEmpty else { return "" }
    guard shape.steps.count <= Self.limit else {
      return
        "<section><h2>Graph</h2><p>A graph of more than \(Self.limit) steps is not readable and therefore not drawn; this run has "
        + "\(shape.steps.count). <code>flowrun graph --format dot</code> prints it for other programs.</p></section>"
    }
    var columns: [[Int]] = []
    var column = [Int](repeating: -1, count: shape.steps.count)
    func depth(_ step: Int) -> Int {
      if column[step] >= 0 { return column[step] }
      column[step] = 0
      column[step] = (shape.steps[step].needs.map { depth($0) + 1 }.max() ?? 0)
      return column[step]
    }
    for step in shape.steps.indices {
      let depth = depth(step)
      while columns.count <= depth { columns.append([]) }
      columns[depth].append(step)
    }
    var places = [(x: Int, y: Int)](repeating: (0, 0), count: shape.steps.count)
    for (x, steps) in columns.enumerated() {
      for (y, step) in steps.enumerated() { places[step] = (x * 190 + 8, y * 34 + 8) }
    }
    let (width, height) = (columns.count * 190, (columns.map(\.count).max() ?? 1) * 34 + 8)
    var svg =
      "<svg viewBox=\"0 0 \(width) \(height)\" width=\"\(width)\" height=\"\(height)\" role=\"\(stepPage == nil ? "img" : "group")\" "
      + "aria-label=\"The steps and their dependencies\">"
    for (index, step) in shape.steps.enumerated() {
      for need in step.needs {
        let (from, to) = (places[need], places[index])
        let isHot = criticality[need] > 0 && criticality[index] > 0
        svg +=
          "<path class=\"edge\(isHot ? " on" : "")\" d=\"M\(from.x + 168) \(from.y + 13)C\(from.x + 180) \(from.y + 13) "
        svg += "\(to.x - 12) \(to.y + 13) \(to.x) \(to.y + 13)\"></path>"
      }
    }
    for (index, step) in shape.steps.enumerated() {
      let place = places[index]
      let outcome = outcomes.isEmpty ? "" : outcomes[index]
      let kind =
        (criticality[index] > 0 ? " on" : "") + (step.isDeferred ? " later" : "")
        + (outcome.isEmpty ? "" : " is-\(outcome)")
      let name = step.name ?? step.id
      // A symbol shows the state without relying on color.
      let sign =
        outcome.isEmpty ? "" : InsightPage.state(ofStep: outcome == Self.cutOff ? "interrupted" : outcome).sign + " "
      let room = Self.nameCharacters - sign.count
      let short = PageText.escaped(sign + (name.count > room ? String(name.prefix(room - 1)) + "…" : name))
      let note =
        "\(PageText.escaped(step.label))\(step.isBlocking ? ", the gate waits for it" : step.isDeferred ? ", waits for the gate" : "")"
      let state = (outcome.isEmpty ? "" : ", \(outcome)") + (details[index].map { ", items: \($0)" } ?? "")
      let link = stepPage.map { "<a href=\"\($0)\(PageText.inAddress(step.id))\">" } ?? ""
      svg += link
      svg +=
        "<g class=\"node\(kind)\" data-tip=\"\(note)\(state), on the critical path in \(PageText.share(criticality[index]))\">"
      svg += "<rect x=\"\(place.x)\" y=\"\(place.y)\" width=\"168\" height=\"26\" rx=\"5\"></rect>"
      svg += "<text x=\"\(place.x + 8)\" y=\"\(place.y + 17)\">\(short)</text></g>\(link.isEmpty ? "" : "</a>")"
    }
    return
      "<section><h2>Graph</h2><div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"Graph\">\(svg)</svg></div></section>"
  }
}
