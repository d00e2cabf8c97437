import FlowKit
import Foundation

/// The user's books. They are stored in a file with one title per line.
actor Library: LibraryActions {
  private var file: String?
  private let answersAfter: Duration

  /// Creates a library whose simulated server answers after this time.
  init(serverAnswersAfter answersAfter: Duration = .milliseconds(120)) { self.answersAfter = answersAfter }

  func open(_ input: LibraryPlugin.OpenInput, in context: ActionContext) throws -> LibraryPlugin.OpenOutput {
    file = input.file
    if FileManager.default.fileExists(atPath: input.file) { return .init(created: false) }
    try "Dune\nEmma\nUlysses\n".write(toFile: input.file, atomically: true, encoding: .utf8)
    return .init(created: true)
  }

  func readBooks(
    _ input: LibraryPlugin.ReadBooksInput, in context: ActionContext
  ) throws -> LibraryPlugin.ReadBooksOutput {
    guard let file else { throw LibraryPlugin.ReadBooksError.notOpen("open the library first") }
    let titles = try String(contentsOfFile: file, encoding: .utf8).split(separator: "\n").map(String.init)
    return .init(titles: Array(titles.prefix(input.limit)), count: titles.count)
  }

  func checkAccount(in context: ActionContext) async throws -> LibraryPlugin.CheckAccountOutput {
    try await context.sleep(for: answersAfter)
    return .init(plan: .full)
  }

  func loadCovers(in context: ActionContext) -> LibraryPlugin.LoadCoversOutput {
    context.log("covers loaded")
    return .init(count: 3)
  }
}
