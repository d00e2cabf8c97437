import FlowModel
import Testing

@testable import FlowEngine

/// The names under which users see items.
struct ItemNameTests {
  @Test(
    arguments: [
      ("https://example.com", "https://example.com"), (3.9, "3.9"), (["a", 1], #"["a",1]"#),
      (["os": "linux", "arch": "arm64"], "linux, arm64"),
      (["target": "x86_64", "apt": "", "cross": true], "x86_64, true"),
      (["os": ["name": "linux"], "n": 2], #"{"name":"linux"}, 2"#), (["apt": ""], #"{"apt":""}"#), ([:], "{}"),
    ] as [(Value, String)])
  func `an item is named after its value, and an object after its members' values`(value: Value, name: String) {
    #expect(FanOutValues([value]).names(nil) == [name])
  }

  @Test func `an item of a mapping is named after its key, and an item that is a file after its path`() {
    #expect(FanOutValues([["os": "linux"]], keys: ["first"]).names(nil) == ["first"])
    #expect(FanOutValues(files: ["src/main.c"]).names(nil) == ["src/main.c"])
  }
}
