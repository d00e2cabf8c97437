/// A table that can be sorted by each of its columns, and read without that.
struct PageTable {
  /// A cell: what is read, and what it is sorted by where that is a number.
  struct Cell {
    var text: String
    var number: Double?

    init(_ text: String, _ number: Double? = nil) {
      self.text = text
      self.number = number
    }
  }

  let caption: String
  let columns: [String]
  let rows: [[Cell]]

  var html: String {
    guard !rows.isEmpty else { return "" }
    var html =
      "<div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"\(PageText.escaped(caption))\"><table>"
    html += "<caption>\(PageText.escaped(caption))</caption><thead><tr>"
    for (index, column) in columns.enumerated() {
      let isNumber = rows.contains { $0[index].number != nil }
      html += "<th scope=\"col\"\(isNumber ? " class=\"n\"" : "")>\(PageText.escaped(column))</th>"
    }
    html += "</tr></thead><tbody>"
    for row in rows {
      html += "<tr>"
      for (index, cell) in row.enumerated() {
        let tag = index == 0 ? "th scope=\"row\"" : "td"
        let value = cell.number.map { " class=\"n\" data-v=\"\($0.isFinite ? "\($0)" : "1e300")\"" } ?? ""
        html += "<\(tag)\(value)>\(PageText.escaped(cell.text))</\(index == 0 ? "th" : "td")>"
      }
      html += "</tr>"
    }
    return html + "</tbody></table></div>"
  }
}
