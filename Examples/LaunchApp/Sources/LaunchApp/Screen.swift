import FlowKit

/// The screen of the app, drawn as lines of a terminal. In an app on a device this would be its views.
@MainActor final class Screen: ScreenActions {
  private(set) var lines: [String] = []
  private let draws: Bool

  /// A screen that prints what it draws, or only keeps it.
  init(draws: Bool = true) { self.draws = draws }

  func splash(in context: ActionContext) { draw("· LaunchApp ·") }

  func showShelf(_ input: ScreenPlugin.ShowShelfInput, in context: ActionContext) {
    draw(input.titles.map { "[\($0)]" }.joined(separator: " "))
  }

  func openPage(_ input: ScreenPlugin.OpenPageInput, in context: ActionContext) -> ScreenPlugin.OpenPageOutput {
    let page = input.route.split(separator: "/").last.map(String.init) ?? input.route
    draw("page: \(page)")
    return .init(page: page)
  }

  private func draw(_ line: String) {
    lines.append(line)
    if draws { print(line) }
  }
}
