import FlowModel
import Testing

@testable import FlowEngine

struct `The move of a workflow's folder` {
  private let move = FolderMove(from: "/app", to: "/srv/app")

  @Test(arguments: [
    ("/app", true), ("/app/out", true), ("in /app.", true), ("-I/app/include", true), ("file:///app/x", true),
    ("--prefix=/app", true), ("/opt/app", false), ("/apple", false), ("/app-2/out", false), ("app/out", false),
    ("", false),
  ])
  func `the path of a moved folder is found inside text, but not inside a longer name`(text: String, isNamed: Bool) {
    #expect(move?.isNamed(in: Value.array([["key": .string(text)]])) == isNamed)
    #expect(move?.isNamed(in: Value.object([text: 1])) == isNamed)
  }

  @Test func `paths in a moved folder change to the new folder, and other paths stay unchanged`() {
    let moved = move?.moved(["/app", "/app/a/b", "/apple", "see /app/a", 1] as Value)
    #expect(moved == ["/srv/app", "/srv/app/a/b", "/apple", "see /app/a", 1])
    #expect(FolderMove(from: "/app", to: "/app") == nil && FolderMove(from: "/", to: "/app") == nil)
  }
}
