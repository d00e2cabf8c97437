import Foundation
import TestSupport
import Testing

/// Tests the page with recipes. Each recipe must be complete and have the output shown on the page.
@Suite(.timeLimit(.minutes(5))) struct RecipeTests {
  /// A recipe, which is a section of the page.
  struct Recipe: Sendable, CustomTestStringConvertible {
    var text: String
    var title: String { String(text.prefix { $0 != "\n" }) }
    var testDescription: String { title }

    static let all = ((try? Repository.text("docs/recipes.md")) ?? "").components(separatedBy: "\n## ").dropFirst()
      .map(Recipe.init)
  }

  @Test func `the recipe page begins with links to all recipes`() throws {
    #expect(Recipe.all.count == 15)
    let beginning = try #require(Repository.text("docs/recipes.md").components(separatedBy: "\n## ").first)
    for recipe in Recipe.all {
      let anchor = recipe.title.lowercased().filter { $0.isLetter || $0.isNumber || "- ".contains($0) }.replacing(
        " ", with: "-")
      #expect(beginning.contains("(#\(anchor))"), "\(recipe.title)")
    }
  }

  @Test(arguments: Recipe.all) func `each recipe runs in an empty folder as shown on the page`(recipe: Recipe) throws {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent(
      "recipe-\(UInt64.random(in: 0 ... .max))")
    let (work, tools) = (folder.appendingPathComponent("work"), folder.appendingPathComponent("tools"))
    try FileManager.default.createDirectory(at: work, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let environment = try PageTools.environment(in: tools)

    var files: Set<String> = []
    var shown: Set<String> = []
    for block in Block.all(in: recipe.text) {
      if let name = block.name {
        try block.write(in: work)
        if block.language == "yaml", block.text.hasPrefix("name: ") { files.insert(name) }
      } else if block.language == "console" {
        let call = block.call
        let result = try Shell.run(
          call.commands.joined(separator: "\n"), in: work.path, environment: environment, limitSeconds: 120)
        #expect(result.status == call.exitCode, "\(call.commands): \(result.output)")
        Block.expect(call.lines, in: result.output, of: call.commands.joined(separator: "; "))
        shown.formUnion(files.filter { name in call.commands.contains { $0.contains(" \(name)") } })
      }
    }
    // An included file is run by the file that includes it.
    let included = files.filter { recipe.text.contains("uses: ./\($0)") }
    #expect(!files.isEmpty)
    #expect(files.subtracting(shown).subtracting(included) == [], "nothing runs these")
  }
}
