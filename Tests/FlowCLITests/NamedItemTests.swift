import Foundation
import Testing

@Suite(.timeLimit(.minutes(10))) struct `An item named on the command line` {
  private static let workflow = """
    name: w
    steps:
      build:
        foreach: { axes: { os: [linux, mac], cpu: [arm64, x64] } }
        run: 'echo "on ${{ item.os }} ${{ item.cpu }}"; test ${{ item.os }} != mac -o -e go'
        fail-fast: false
      quiet: { foreach: [1], run: exit 7 }
      plain: { run: echo plain }

    """

  private func tool() throws -> CommandLineTool {
    let tool = try CommandLineTool()
    try tool.write(Self.workflow, to: "w.yaml")
    #expect(try tool.run("w.yaml", "--quiet").exitCode == 1)
    return tool
  }

  @Test func `logs and runs show accept the index or the full name of an item`() throws {
    let tool = try tool()
    defer { tool.remove() }
    let line = "build[1] linux, x64: on linux x64\n"
    for name in ["build[1]", "build[1] linux, x64"] {
      let log = try tool.run("logs", "last", "--step", name)
      #expect(log.exitCode == 0 && log.standardOutput == line, "\(name): \(log)")
      let page = try tool.run("runs", "show", "last", "--step", name, "--log").standardOutput
      #expect(page.contains("  build[1] linux, x64  success") && page.hasSuffix(line), "\(page)")
      #expect(!page.contains("build[0]") && !page.contains("plain"), "\(page)")
    }
    let json = try tool.run("runs", "show", "last", "--step", "build[2]", "--json").standardOutput
    #expect(json.contains(#""name": "mac, arm64""#) && !json.contains(#""name": "linux, arm64""#), "\(json)")
    let silent = try tool.run("logs", "last", "--step", "quiet[0]")
    #expect(silent.standardOutput.hasPrefix("✗ quiet[0] 1 failed in "), "\(silent)")
    #expect(try tool.run("logs", "last", "--step", "build").standardOutput.split(separator: "\n").count == 4)
  }

  @Test func `resume accepts the full name of an item for --from, but not for --only`() throws {
    let tool = try tool()
    defer { tool.remove() }
    let plan = try tool.run("resume", "--from", "build[1] linux, x64", "--dry-run")
    #expect(plan.exitCode == 0 && plan.standardOutput.contains("1 item is kept"), "\(plan)")
    let only = try tool.run("resume", "--only", "build[1]")
    #expect(only.exitCode == 64 && only.standardError.contains("--from 'build[1]'"), "\(only)")
  }

  @Test(arguments: [
    ("build[4]", "there is no 'build[4]': in that run 'build' had 4 items, [0] to [3]"),
    ("quiet[1]", "there is no 'quiet[1]': in that run 'quiet' had 1 item, [0]"),
    ("plain[0]", "there is no 'plain[0]': in that run 'plain' had no items"),
    (
      "build[0] mac, arm64",
      "'build[0]' was 'linux, arm64' in that run, not 'mac, arm64'; did you mean 'build[2] mac, arm64'?"
    ),
    ("build[mac, x64]", "this workflow has no step 'build[mac, x64]'; did you mean 'build[3] mac, x64'?"),
    ("build[mac, x46]", "this workflow has no step 'build[mac, x46]'; did you mean 'build[3] mac, x64'?"),
    ("biuld[0]", "this workflow has no step 'biuld[0]'; did you mean 'build[0]'?"),
    ("build[0", "this workflow has no step 'build[0'; did you mean 'build[0]'?"),
    ("build[-1]", "this workflow has no step 'build[-1]'"),
  ])
  func `an unknown item is rejected with the known range or a similar name, if any`(name: String, message: String)
    throws
  {
    let tool = try tool()
    defer { tool.remove() }
    for words in [["logs", "last", "--step"], ["runs", "show", "last", "--step"], ["resume", "last", "--from"]] {
      let refused = try tool.run(words + [name])
      #expect(refused.exitCode == 64 && refused.standardError.contains(message), "\(words): \(refused)")
    }
  }
}
