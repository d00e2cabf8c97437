import FlowModel
import FlowPluginKit
import FlowTestKit
import Testing

@testable import FootprintPlugin

@Suite struct `Countries` {
  @Test func `L12 lists every country of ISO 3166-1, named in the user's language`() async throws {
    let english = try await TestHost().call(ListCountries.self)
    #expect(english["count"] == 250 && english["language"] == "en")
    #expect(english["countries"]?.arrayValue?.contains(["code": "JP", "name": "Japan"]) == true)
    let chinese = try await TestHost().call(ListCountries.self, with: ["language": "zh-Hans"])
    #expect(chinese["countries"]?.arrayValue?.contains(["code": "JP", "name": "日本"]) == true)
    let codes = CountryNames.countries.map(\.code)
    #expect(codes == codes.sorted() && Set(codes).count == 250)
    #expect(CountryNames.countries.allSatisfy { !$0.english.isEmpty && !$0.chinese.isEmpty })
  }
}
