import FlowModel

/// A table that can be sorted by any column. Without the page's script, it is readable but not sortable. The script
/// draws only the visible rows of a long table.
package struct PageTable {
  /// The text of a cell, with an optional number to sort by.
  package struct Cell {
    package var text: String
    /// The number by which the cell is sorted, or nil to sort by its text.
    package var number: Double?
    /// The target of the cell's link, already escaped for HTML, or nil if the cell is not a link.
    package var link: String?
    /// The id of the step that the cell names, or nil if it equals the text or the cell names no step.
    var step: String?
    /// The exact value, shown as a tooltip, or nil if the text is exact.
    package var tip: String?
    /// The CSS class for the state that the cell shows, or nil if it does not show a state.
    package var state: String?
    /// The time in nanoseconds, or nil if the cell does not show a time.
    var nanoseconds: Int?
    /// The instant to which a relative time in the text refers, in milliseconds since 1970, or nil if the text is not
    /// relative.
    package var since: Int?
    /// The attributes that an open page needs to keep an elapsed time up to date, or an empty string if the time is
    /// fixed.
    var growth = ""

    /// Creates a cell that is sorted by `number`, or by its text if `number` is nil.
    package init(_ text: String, _ number: Double? = nil) {
      self.text = text
      self.number = number
    }

    /// Creates a cell with an elapsed time that keeps increasing on an open page.
    package static func elapsed(nanoseconds: Int) -> Cell {
      var cell = Cell(nanoseconds: nanoseconds)
      cell.growth = " data-elapsed=\"\(nanoseconds / 1_000_000)\""
      return cell
    }

    /// Creates a cell with elapsed whole seconds that keep increasing on an open page, such as `for 12 s`.
    package static func elapsed(seconds: Int) -> Cell {
      var cell = Cell("for \(seconds) s", Double(seconds) * 1e9)
      cell.growth = " data-elapsed=\"\(seconds * 1_000)\" data-seconds data-before=\"for \""
      return cell
    }

    /// Creates a cell with a duration, or with a dash if it is nil.
    package init(nanoseconds: Int?) {
      self.init(nanoseconds.map { PageText.time($0) } ?? "–", nanoseconds.map { Double($0) } ?? -1)
      self.nanoseconds = nanoseconds
    }
  }

  /// The caption, which is also the accessible name of the table.
  let caption: String
  let columns: [String]
  let rows: [[Cell]]
  /// The number of rows of the timeline to which the table belongs, or nil if there is none. Rows that are missing here
  /// are created by the script from the timeline's data.
  private let timelineRows: Int?

  /// The maximum number of rows written to the page. The script creates the rows of longer tables.
  static let writtenRows = 200

  /// Creates a table. Columns are left out if all of their cells are empty or dashes. A table without rows is not
  /// shown.
  package init(caption: String, columns: [String], rows: [[Cell]], timelineRows: Int? = nil) {
    // A long table of a timeline has only its first rows here, so a column may have values in the other rows.
    let isWhole = (timelineRows ?? 0) <= rows.count
    let kept = columns.indices.filter { column in
      column == 0 || !isWhole || rows.contains { !["", "–"].contains($0[column].text) }
    }
    self.caption = caption
    self.columns = kept.map { columns[$0] }
    self.rows = kept.count == columns.count ? rows : rows.map { row in kept.map { row[$0] } }
    self.timelineRows = timelineRows
  }

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

  /// Encodes a cell for the script: a time in microseconds, or the text with its number and link.
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
  /// The attributes of the cell's element, except the number.
  fileprivate var attributes: String {
    (step.map { " data-id=\"\(PageText.value($0))\"" } ?? "")
      + (tip.map { " data-tip=\"\(PageText.escaped($0))\"" } ?? "")
      + (state.map { " class=\"state \(PageText.escaped($0))\"" } ?? "")
      + (since.map { " data-ago=\"\($0)\"" } ?? "") + growth
  }
}
