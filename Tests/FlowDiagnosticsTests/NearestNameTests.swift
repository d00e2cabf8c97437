import FlowDiagnostics
import Testing

struct NearestNameTests {
  @Test(
    arguments: [
      ("fetchh", ["fetch", "transform"], "fetch"),
      ("tranfsorm", ["fetch", "transform"], "transform"),
      ("MaxDelay", ["delay", "max-delay"], "max-delay"),
      ("max_delay", ["delay", "max-delay"], "max-delay"),
      ("xyz", ["fetch", "transform"], nil),
      ("a", ["b"], nil),
      ("", ["b"], nil),
      ("id", ["if"], "if"),
    ] as [(String, [String], String?)])
  func `the nearest name is found if it is near enough`(name: String, candidates: [String], nearest: String?) {
    #expect(NearestName.of(name, among: candidates) == nearest)
  }
}
