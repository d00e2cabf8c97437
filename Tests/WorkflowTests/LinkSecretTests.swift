import Foundation
import TestSupport
import Testing

/// Secrets of links on disk, searched for in every byte that a launch writes to its folder.
@Suite(.timeLimit(.minutes(10))) struct `Secrets of links` {
  private static let workflow = """
    name: sec
    inputs: { payload: { type: string, secret: true } }
    steps:
      store: { uses: storage.open, with: { path: app.sqlite } }
      app: { uses: ui.launch, queue: main }
      restore: { uses: ui.restore, needs: [app, store], queue: main }
      register:
        uses: router.register
        needs: [app, restore]
        with: { schemes: [app], routes: ["app://reset", "app://chat/:id"] }
      parse: { uses: notification.parse, with: { payload: "${{ inputs.payload }}" } }
      window: { uses: ui.window, needs: restore, queue: main, with: { tabs: [home] } }
      show: { uses: ui.present, needs: window, queue: main }
      open:
        uses: router.open
        needs: [register, show, parse]
        queue: main
        with:
          url: ${{ steps.parse.outputs.route }}
          parameters: ${{ steps.parse.outputs.parameters }}
          source: notification
      plain: { uses: router.open, needs: open, queue: main, with: { url: "app://chat/7" } }
    outputs: { restored: "${{ steps.restore.outputs.pages }}", opened: "${{ steps.open.outputs.result }}" }
    """

  @Test(arguments: [
    #"{"aps":{"alert":"x"},"route":"app://reset?token=TOPSECRETTOKEN99","parameters":{"code":"TOPSECRETCODE99"}}"#,
    #"{"aps":{"alert":"x"},"route":"app://chat/TOPSECRETROOM99","parameters":{"greeting":"TOPSECRETTEXT99"}}"#,
  ])
  func `are in no file of a launch, and the next launch restores only the other page`(
    payload: String
  ) throws {
    let folder = try WorkflowFolder(["sec.yaml": Self.workflow])
    // A secret is read from a file outside the launch's folder.
    let tap = try WorkflowFolder(["tap.json": payload])
    for restored in ["[]", #"["chat"]"#] {
      let input = "payload=@\(tap.url.path)/tap.json"
      let (text, status) = try folder.flowrun("sec.yaml", "-i", input, "--report", "report.json")
      #expect(status == 0, "\(text)")
      let report = try String(contentsOf: folder.url.appendingPathComponent("report.json"), encoding: .utf8)
      #expect(report.filter { !$0.isWhitespace }.contains(#""restored":\#(restored)"#))
      #expect(report.contains("opened"))
      for file in FileManager.default.enumerator(at: folder.url, includingPropertiesForKeys: nil)?.allObjects ?? [] {
        guard let file = file as? URL, let bytes = try? Data(contentsOf: file) else { continue }
        #expect(bytes.firstRange(of: Data("TOPSECRET".utf8)) == nil, "\(file.lastPathComponent)")
      }
    }
  }
}
