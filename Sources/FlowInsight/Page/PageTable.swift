import FlowModel

/// A table that can be sorted by each of its columns, and read without that. Of a long one the script draws the rows that
/// are visible.
package struct PageTable {
  /// A cell: what is read, and what it is sorted by where that is a number.
  package struct Cell {
    /// What is read.
    package var text: String
    /// What it is sorted by; nil: its text.
    package var number: Double?
    /// Where the text leads, as written into the page; nil: nowhere.
    package var link: String?
    /// The id of the step that it names where its text is another one.
    var step: String?
    /// The exact value, which is shown next to the pointer; nil: the text says it.
    package var tip: String?
    /// The class of a state that it shows; nil: it shows none.
    package var state: String?
    /// The time in nanoseconds that it is, which its text says.
    var nanoseconds: Int?

    /// A text, sorted by a number where there is one.
    package init(_ text: String, _ number: Double? = nil) {
      self.text = text
      self.number = number
    }

    /// A time in nanoseconds; nil: there is none.
    package init(nanoseconds: Int?) {
      self.init(nanoseconds.map { PageText.time($0) } ?? "–", nanoseconds.map { Double($0) } ?? -1)
      self.nanoseconds = nanoseconds
    }
  }

  /// What it is of.
  let caption: String
  let columns: [String]
  let rows: [[Cell]]
  /// How many rows the timeline above it has, from which the script makes those that are not here; nil: it is of none.
  private let timelineRows: Int?

  /// The number of rows that are written as elements; those of a longer table are drawn by the script.
  static let writtenRows = 200

  /// A table; nothing is shown of one without rows, and none of its columns whose cells are all empty or dashes.
  package init(caption: String, columns: [String], rows: [[Cell]], timelineRows: Int? = nil) {
    // Of a long table of a timeline only the first rows are known here.
    let isWhole = (timelineRows ?? 0) <= rows.count
    let kept = columns.indices.filter { column in
      column == 0 || !isWhole || rows.contains { !["", "–"].contains($0[column].text) }
    }
    self.caption = caption
    self.columns = kept.map { columns[$0] }
    self.rows = kept.count == columns.count ? rows : rows.map { row in kept.map { row[$0] } }
    self.timelineRows = timelineRows
  }

  /// The markup.
  package var html: String {
    guard !rows.isEmpty else { return "" }
    let isNumber = columns.indices.map { column in rows.contains { $0[column].number != nil } }
    var html =
      "<div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"\(PageText.escaped(caption))\">"
    let (count, isOfTimeline) = (timelineRows ?? rows.count, timelineRows != nil)
    let isMade = isOfTimeline && count > Self.writtenRows
    html += "<table\(isOfTimeline ? " data-of=\"steps\"" : "")\(isMade ? " data-steps" : "")>"
    html += "<caption>\(PageText.escaped(caption))</caption><thead><tr>"
    for (index, column) in columns.enumerated() {
      html += "<th scope=\"col\"\(isNumber[index] ? " class=\"n\"" : "")>\(PageText.escaped(column))</th>"
    }
    html += "</tr></thead><tbody>"
    for row in rows.prefix(Self.writtenRows) {
      html += "<tr>"
      for (index, cell) in row.enumerated() {
        let tag = index == 0 ? "th scope=\"row\"" : "td"
        let value = cell.number.map { " class=\"n\" data-v=\"\($0.isFinite ? "\($0)" : "1e300")\"" } ?? ""
        let text = PageText.escaped(cell.text)
        let content = cell.link.map { "<a href=\"\(PageText.escaped($0))\">\(text)</a>" } ?? text
        let more = cell.attributes
        html += "<\(tag)\(value)\(more)>\(content)</\(index == 0 ? "th" : "td")>"
      }
      html += "</tr>"
    }
    html += "</tbody></table>"
    if count > Self.writtenRows {
      html +=
        "<noscript><p>… and \(count - Self.writtenRows) more rows, which the page's script draws.</p></noscript>"
      if !isOfTimeline { html += PageText.json(.array(rows.map { .array($0.map(Self.value)) })) }
    }
    return html + "</div>"
  }

  /// A cell for the script: a time in microseconds, or its text, with the number and the link that there are.
  private static func value(_ cell: Cell) -> Value {
    if let link = cell.link {
      let number = cell.number.map { Value.number($0) } ?? .null
      return .array([.string(PageText.visible(cell.text)), number, .null, .string(link)])
    }
    if cell.nanoseconds != nil { return PageText.microseconds(cell.nanoseconds) }
    guard let number = cell.number else { return .string(PageText.visible(cell.text)) }
    return .array([.string(PageText.visible(cell.text)), number.isFinite ? .number(number) : .number(1e300)])
  }
}

extension PageTable.Cell {
  /// The attributes that its element has besides its number.
  fileprivate var attributes: String {
    (step.map { " data-id=\"\(PageText.value($0))\"" } ?? "")
      + (tip.map { " data-tip=\"\(PageText.escaped($0))\"" } ?? "")
      + (state.map { " class=\"state \(PageText.escaped($0))\"" } ?? "")
  }
}
