import FlowKitYAML
import Foundation
import Testing

/// Checks that the table of measurements on the page shows the stored results.
struct BenchmarkTableTests {
  private struct Row: Hashable {
    var work: String
    var cells: String
  }

  /// Returns the rows of the latest results in the format of the page.
  private static func results() throws -> [Row] {
    let results = try JSONText.parse(try Repository.text("Benchmarks/Results/latest.json"))
    return (results.objectValue?["rows"]?.arrayValue ?? []).compactMap { row in
      guard let row = row.objectValue, let work = row["work"]?.stringValue, let bar = row["bar"]?.stringValue else {
        return nil
      }
      let verdict = row["isMet"]?.booleanValue.map { $0 ? "met" : "MISSED" } ?? ""
      let value = text(row["value"]?.numberValue, unit: row["unit"]?.stringValue ?? "")
      return Row(work: work, cells: "| \(value) | \(bar == "–" ? "" : bar) | \(verdict) |")
    }
  }

  private static func text(_ value: Double?, unit: String) -> String {
    guard let value else { return "missing" }
    let number: String
    if abs(value) >= 1_000 {
      let digits = Array(String(Int(value.rounded(.toNearestOrEven))))
      number = digits.indices.map { (($0 > 0 && (digits.count - $0) % 3 == 0) ? "," : "") + String(digits[$0]) }
        .joined()
    } else {
      number = String(format: "%.3g", value)
    }
    return unit.isEmpty ? number : "\(number) \(unit)"
  }

  @Test func `every figure on the benchmark page comes from the recorded results`() throws {
    let page = "Benchmarks/README.md"
    let text = try Repository.text(page)
    let table = try #require(text.split(separator: "<!-- make bench: begin -->\n").last)
    let rows = table.split(separator: "<!-- make bench: end -->")[0].split(separator: "\n").dropFirst(2)
    #expect(rows.count > 5, "\(page): run 'Benchmarks/run.py --tables'")
    let known = try Self.results().map { "| \($0.work) \($0.cells)" }
    for row in rows { #expect(known.contains(String(row)), "\(page): run 'Benchmarks/run.py --tables'") }
  }
}
