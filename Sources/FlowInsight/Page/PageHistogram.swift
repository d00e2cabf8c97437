/// How often the gate was ready when: bars, with the minimum and the maximum.
struct PageHistogram {
  let values: Quantiles
  let minimum: Int
  let maximum: Int?
  var title = "When everything is ready"

  private static let bars = 48

  var html: String {
    guard let least = values.value(0), let most = lastValue, values.count > 1 else { return "" }
    let end = max(most, minimum, 1)
    let start = min(least, minimum == 0 ? least : minimum)
    let width = max(1, (end - start) / Self.bars + 1)
    var counts: [Double] = []
    for bar in 0..<Self.bars {
      let low = start + bar * width
      counts.append(values.share(below: low + width) - values.share(below: low))
    }
    let highest = max(counts.max() ?? 1, 1e-9)
    let span = Double(width * Self.bars)
    let label =
      "When everything was ready, in \(values.count) launches: from \(PageText.time(least)) to \(PageText.time(most))"
    var svg =
      "<svg class=\"histogram\" viewBox=\"0 0 480 120\" preserveAspectRatio=\"none\" role=\"img\" aria-label=\"\(label)\">"
    for (bar, count) in counts.enumerated() where count > 0 {
      let height = count / highest * 116
      let low = start + bar * width
      svg +=
        "<rect x=\"\(bar * 10)\" y=\"\(PageText.fixed(120 - height, 2))\" width=\"9\" height=\"\(PageText.fixed(height, 2))\""
      svg += " data-tip=\"\(PageText.time(low)) to \(PageText.time(low + width)): \(PageText.share(count))\"></rect>"
    }
    func line(_ time: Int, _ kind: String) -> String {
      let place = Double(time - start) / span * 480
      guard place >= 0, place <= 480 else { return "" }
      let x = PageText.fixed(place, 2)
      return "<line class=\"\(kind)\" x1=\"\(x)\" x2=\"\(x)\" y1=\"0\" y2=\"120\"></line>"
    }
    if minimum > 0 { svg += line(minimum, "min") }
    if let maximum { svg += line(maximum, "max") }
    svg += "</svg>"
    var notes =
      "<p class=\"ends\"><span>\(PageText.time(start))</span><span>\(PageText.time(start + width * Self.bars))</span></p><p>"
    notes += minimum > 0 ? "<span class=\"key min\"></span>minimum \(PageText.time(minimum)) " : ""
    notes += maximum.map { "<span class=\"key max\"></span>maximum \(PageText.time($0))" } ?? ""
    return "<figure><figcaption>\(PageText.escaped(title))</figcaption>\(svg)\(notes)</p></figure>"
  }

  /// The last of those that came at all.
  private var lastValue: Int? {
    var share = 1.0
    while share > 0.5 {
      if let value = values.value(share) { return value }
      share -= 0.01
    }
    return values.value(0.5)
  }
}
