import FlowModel
import FlowPluginKit
import FlowTestKit
import Testing

@testable import FootprintPlugin

struct `Countries` {
  @Test func `L12: lists 250 countries, named in the requested language`() async throws {
    let english = try await TestHost().call(ListCountries.self)
    #expect(english["count"] == 250 && english["language"] == "en")
    #expect(english["countries"]?.arrayValue?.contains(["code": "JP", "name": "Japan"]) == true)
    let chinese = try await TestHost().call(ListCountries.self, with: ["language": "zh-Hans"])
    #expect(chinese["countries"]?.arrayValue?.contains(["code": "JP", "name": "日本"]) == true)
    #expect(chinese["language"] == "zh")
    let codes = CountryNames.countries.map(\.code)
    #expect(codes == codes.sorted() && Set(codes).count == 250)
    #expect(CountryNames.countries.allSatisfy { !$0.english.isEmpty && !$0.chinese.isEmpty })
  }

  @Test(arguments: [("zh", "日本"), ("ZH-hant-TW", "日本"), ("zh_CN", "日本"), ("en-GB", "Japan"), ("zha", "Japan")])
  func `L12: uses the first part of a language tag as the language`(tag: String, japan: String) async throws {
    let host = TestHost()
    let outputs = try await host.call(ListCountries.self, with: ["language": .string(tag)])
    #expect(outputs["countries"]?.arrayValue?.contains(["code": "JP", "name": .string(japan)]) == true)
    #expect(outputs["language"] == (japan == "Japan" ? "en" : "zh"))
  }

  @Test func `uses English for an unsupported language, and warns before and during the run`() async throws {
    let host = TestHost()
    #expect(try await host.call(ListCountries.self, with: ["language": "de-CH"])["language"] == "en")
    #expect(
      host.logLines == [
        .init(level: .warning, "names are not known in the language 'de-CH', only in en or zh; using en")
      ])
    #expect(ListCountries.check(LiteralInput(["language": "de-CH"])).map(\.keyPath) == ["language"])
    #expect(ListCountries.check(LiteralInput(["language": "zh-Hans"])).isEmpty)
  }

  @Test(arguments: ["", "English", "klingon!", "e"])
  func `fails for strings that are not language tags`(tag: String) async throws {
    let error = await #expect(throws: ActionError.self) {
      try await TestHost().call(ListCountries.self, with: ["language": .string(tag)])
    }
    #expect(error?.message == "'\(tag)' is not a language tag; write en or zh")
  }
}
