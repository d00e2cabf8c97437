import Testing

/// Tests the code on the page about iOS. `scripts/apple-branches` type-checks it as part of the app in Tests/Apple/App.
struct `The code on the iOS page` {
  private static func lines(_ text: String) -> [Substring] {
    text.split(separator: "\n").map { $0.drop { $0 == " " } }.filter { !$0.hasPrefix("import ") && !$0.isEmpty }
  }

  @Test(arguments: ["docs/ios.md", "docs/embedding.md"])
  func `the code on the iOS and embedding pages is part of the type-checked app in Tests/Apple`(_ page: String) throws {
    let app = Self.lines(try Repository.text("Tests/Apple/App/App.swift"))
    let blocks = Block.all(in: try Repository.text(page)).filter { block in
      block.language == "swift" && !block.text.hasPrefix("// swift-tools-version")
        && (page == "docs/ios.md" || block.text.contains("import SwiftUI"))
    }
    #expect(blocks.count == (page == "docs/ios.md" ? 3 : 1))
    for block in blocks {
      let lines = Self.lines(block.text)
      #expect(app.firstRange(of: lines) != nil, "\(page): Tests/Apple/App/App.swift does not have\n\(block.text)")
    }
  }
}
