import FlowKit

/// The screen of the app, drawn as lines in a terminal. On a device, an app would show views instead.
@MainActor final class Screen: ScreenActions {
  private(set) var lines: [String] = []
  private let draws: Bool

  /// Creates a screen. If `draws` is false, lines are only recorded and not printed.
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
