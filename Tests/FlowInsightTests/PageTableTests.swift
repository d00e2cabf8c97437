import FlowInsight
import Testing

struct `A table on a page` {
  private func table(_ rows: [[PageTable.Cell]]) -> String {
    PageTable(caption: "Rows", columns: ["name", "took", "why"], rows: rows).html
  }

  @Test func `a table on a page omits columns that contain only dashes`() {
    func rows(_ second: Int?) -> [[PageTable.Cell]] {
      [("a", nil), ("b", second)].map { [.init($0), .init(nanoseconds: $1), .init("")] }
    }
    let (none, some) = (table(rows(nil)), table(rows(5)))
    #expect(none.contains(">name<") && !none.contains(">took<") && !none.contains(">why<") && !none.contains("–"))
    #expect(some.contains(">took<") && some.contains("–") && !some.contains(">why<"))
  }

  @Test func `rows of a long table that the page's script draws later have their links`() {
    let rows = (0..<300).map { number -> [PageTable.Cell] in
      var name = PageTable.Cell("item \(number)")
      name.link = "/items/\(number)"
      return [name, .init(nanoseconds: 1_000_000), .init("because")]
    }
    #expect(table(rows).contains(#"["item 299",null,null,"/items/299"]"#))
  }
}
