/// A bar chart of the time until everything was ready, with minimum, maximum, P50 and P95. Several histograms can share
/// an axis.
struct PageHistogram {
  let values: Quantiles
  let minimum: Int
  let maximum: Int?
  let title: String

  /// Creates a histogram of runs with or without a gate. `side` is appended to the title to distinguish two samples.
  init(values: Quantiles, minimum: Int, maximum: Int?, hasGate: Bool, side: String? = nil) {
    (self.values, self.minimum, self.maximum) = (values, minimum, maximum)
    title = (hasGate ? "When everything is ready" : "When everything has finished") + (side.map { ", \($0)" } ?? "")
  }

  private static let bars = 48

  /// Returns the histograms one below the other, with a common axis and scale.
  static func html(_ histograms: [PageHistogram]) -> String {
    let shown = histograms.filter { $0.values.count > 1 && $0.values.value(0) != nil }
    guard let low = shown.compactMap({ $0.values.value(0) }).min(), let high = shown.compactMap(\.values.last).max()
    else { return "" }
    // A minimum or maximum far from the values is not shown, because it would leave most of the width empty.
    let room = max(1, high - low) / 2
    let bounds = shown.flatMap { [$0.minimum, $0.maximum ?? 0] }.filter { $0 > 0 && low - room...high + room ~= $0 }
    let (least, most) = (min(low, bounds.min() ?? low), max(high, bounds.max() ?? high))
    // The bars start at a round time, so that the labels below them are exact.
    let step = PageAxis.step(max(1, most - least))
    let start = max(0, least / step * step)
    let width = max(1, (most - start) / bars + 1)
    let highest = shown.map { $0.counts(start, width).max() ?? 0 }.max() ?? 1
    return shown.map { $0.html(start, width, step, max(highest, 1e-9)) }.joined()
  }

  private func counts(_ start: Int, _ width: Int) -> [Double] {
    (0..<Self.bars).map { bar in
      values.share(below: start + (bar + 1) * width) - values.share(below: start + bar * width)
    }
  }

  private func html(_ start: Int, _ width: Int, _ step: Int, _ highest: Double) -> String {
    let span = Double(width * Self.bars)
    let label =
      "\(title), in \(values.count.counted("run")): from \(PageText.time(values.value(0))) to \(PageText.time(values.last)), half of "
      + "them by \(PageText.time(values.value(0.5)))"
    var svg =
      "<svg class=\"histogram\" viewBox=\"0 0 480 120\" preserveAspectRatio=\"none\" role=\"img\" aria-label=\"\(PageText.escaped(label))\">"
    for (bar, count) in counts(start, width).enumerated() where count > 0 {
      let height = count / highest * 116
      let low = start + bar * width
      svg +=
        "<rect x=\"\(bar * 10)\" y=\"\(PageText.fixed(120 - height, 2))\" width=\"9\" height=\"\(PageText.fixed(height, 2))\""
      svg += " data-tip=\"\(PageText.time(low)) to \(PageText.time(low + width)): \(PageText.share(count))\"></rect>"
    }
    var keys = ""
    func mark(_ time: Int?, _ kind: String, _ name: String) {
      guard let time else { return }
      let place = Double(time - start) / span * 480
      let isSeen = place >= 0 && place <= 480
      let note = isSeen ? "" : " (outside the chart)"
      keys += "<span><i class=\"key \(kind)\"></i>\(name) \(PageText.time(time))\(note)</span>"
      guard isSeen else { return }
      let x = PageText.fixed(place, 2)
      svg += "<line class=\"\(kind)\" x1=\"\(x)\" x2=\"\(x)\" y1=\"0\" y2=\"120\"></line>"
    }
    mark(values.value(0.5), "p50", "P50")
    mark(values.value(0.95), "p95", "P95")
    mark(minimum > 0 ? minimum : nil, "min", "minimum")
    mark(maximum, "max", "maximum")
    var ticks = ""
    var time = start
    while Double(time - start) <= span * 0.97 {
      ticks +=
        "<text x=\"\(PageText.fixed(Double(time - start) / span * 100, 2))%\" y=\"14\">\(PageText.roundTime(time))</text>"
      time += step
    }
    return
      "<figure><figcaption>\(PageText.escaped(title))</figcaption>\(svg)</svg><svg class=\"ticks\" aria-hidden=\"true\">\(ticks)</svg>"
      + "<p class=\"legend\">\(keys)</p></figure>"
  }
}
