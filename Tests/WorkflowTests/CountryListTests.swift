import FlowModel
import Foundation
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(10))) struct `The countries of footprint and geocode` {
  private static func countries(_ action: String, _ inputs: String = "{}") throws -> [Value] {
    let folder = FileManager.default.temporaryDirectory.path
    let result = try FlowrunProcess.run(["call", action, "--with", inputs, "--data", folder])
    try #require(result.exitCode == 0, "\(result.errors)")
    let line = try #require(result.lines.last { $0.hasPrefix("{") }, "\(result.output)")
    let answer = try JSONText.parse(line)
    return try #require((answer["outputs"] ?? answer)["countries"]?.arrayValue, "\(line.prefix(200))")
  }

  @Test func `C19, L12: both plugins list the same 250 countries`() throws {
    let footprint = try Self.countries("footprint.country-list")
    let geocode = try Self.countries("geocode.countries")
    #expect(footprint.count == 250)
    #expect(footprint.compactMap { $0["code"]?.stringValue } == geocode.compactMap { $0["code"]?.stringValue })
    let codes = Set(footprint.compactMap { $0["code"]?.stringValue })
    #expect(codes.isSuperset(of: ["XK", "TW", "HK", "MO", "GF", "SJ", "SS"]) && codes.isDisjoint(with: ["AN", "CS"]))
  }

  @Test(arguments: ["en", "zh-Hans"])
  func `C19: geocode finds each country by its name in footprint's list`(language: String) throws {
    let folder = try WorkflowFolder([
      "names.yaml": """
      name: names
      steps:
        list: { uses: footprint.country-list, with: { language: \(language) } }
        find:
          uses: geocode.forward
          needs: list
          foreach: ${{ steps.list.outputs.countries }}
          with: { query: "${{ item.name }}" }
      outputs:
        listed: ${{ steps.list.outputs.countries }}
        found: ${{ steps.find.outputs.best }}
      """
    ])
    let (text, status) = try folder.flowrun("names.yaml", "--report", "report.json")
    #expect(status == 0, "\(text.suffix(2_000))")
    let report = try JSONText.parse(
      String(contentsOf: folder.url.appendingPathComponent("report.json"), encoding: .utf8))
    let listed = try #require(report["outputs"]?["listed"]?.arrayValue)
    let found = try #require(report["outputs"]?["found"]?.arrayValue)
    #expect(listed.count == 250 && found.count == 250)
    let wrong = zip(listed, found).filter {
      $0["code"] != $1["country-code"] || $1["kind"] != "country" || $1["closeness"] != "exact"
    }
    #expect(wrong.isEmpty, "\(wrong.map { "\($0["name"] ?? .null): \($1["country-code"] ?? .null)" })")
  }

  @Test func `C19: both plugins use the same Chinese names`() throws {
    func names(_ countries: [Value], _ key: String) -> [String: String] {
      Dictionary(
        uniqueKeysWithValues: countries.compactMap { country in
          country["code"]?.stringValue.map { ($0, country[key]?.stringValue ?? "") }
        })
    }
    let footprint = names(try Self.countries("footprint.country-list", #"{"language": "zh-Hans"}"#), "name")
    let geocode = names(try Self.countries("geocode.countries"), "name-zh")
    let different = footprint.filter { geocode[$0.key] != $0.value }.map {
      "\($0.key) \($0.value) \(geocode[$0.key] ?? "")"
    }
    #expect(different.isEmpty, "\(different.sorted())")
  }
}
