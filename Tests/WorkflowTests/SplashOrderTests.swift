import Testing

/// Tests that `flowrun validate` checks the order of `ui.splash` and `ui.present`.
@Suite(.timeLimit(.minutes(10))) struct `The order of a splash and the window` {
  private func checked(window: String, splash: String) throws -> String {
    let folder = try WorkflowFolder([
      "order.yaml": """
      name: order
      steps:
        app: { uses: ui.launch, queue: main }
        made: { uses: ui.window, needs: app, queue: main, with: { tabs: [map] } }
        window: { uses: ui.present, needs: [made\(window)], queue: main }
        splash: { uses: ui.splash, needs: [app\(splash)], queue: main }

      """
    ])
    return try folder.flowrun("validate", "order.yaml").text
  }

  @Test func `validate warns if neither the splash nor the window waits for the other`() throws {
    let text = try checked(window: "", splash: "")
    #expect(text.contains("order.yaml:5:19: warning: 'window' does not wait for the splash 'splash'"), "\(text)")
    #expect(text.contains("add 'splash' to its 'needs'"), "\(text)")
  }

  @Test func `validate warns without suggesting a cycle if the splash waits for the window`() throws {
    let text = try checked(window: "", splash: ", window")
    #expect(text.contains("6:19: warning: the splash 'splash' waits for 'window' and is never shown"), "\(text)")
    #expect(!text.contains("add 'splash' to its 'needs'"), "\(text)")
  }

  @Test func `validate warns about a splash that waits for an event of the window`() throws {
    let text = try checked(window: "", splash: "], after: [ui.ready")
    #expect(text.contains("6:19: warning: the splash 'splash' waits for 'ui.ready' and is never shown"), "\(text)")
    #expect(!text.contains("does not wait for the splash"), "\(text)")
  }

  @Test func `validate accepts a window that waits for the splash`() throws {
    #expect(try checked(window: ", splash", splash: "") == "order.yaml: valid, 4 steps\n")
  }
}
