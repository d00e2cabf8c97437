import Foundation
import TestSupport
import Testing

/// Runs the completion scripts in their shells.
@Suite(.timeLimit(.minutes(10))) struct CompletionScriptTests {
  private let tool: CommandLineTool

  init() throws {
    tool = try CommandLineTool()
    let binary = tool.folder.appendingPathComponent("bin")
    try FileManager.default.createDirectory(at: binary, withIntermediateDirectories: true)
    try FileManager.default.createSymbolicLink(
      at: binary.appendingPathComponent("flowrun"), withDestinationURL: URL(fileURLWithPath: FlowrunProcess.path))
    try tool.write(
      "name: hello\ninputs: { who: { type: string } }\nevents: [rung]\nsteps: { a: { uses: flow.noop } }\n",
      to: "hello.yaml")
    try tool.write("", to: "notes.txt")
  }

  /// Returns the proposals of a shell at the end of a command line.
  private func proposals(_ shell: String, at line: String) throws -> Set<String> {
    let script = try tool.run("--generate-completion-script", shell)
    try #require(script.exitCode == 0)
    try tool.write(script.standardOutput, to: "script")
    let asking =
      switch shell {
      case "bash":
        """
        . ./script
        IFS=' ' read -ra COMP_WORDS <<<"$LINE"
        case "$LINE" in *' ') COMP_WORDS+=('') ;; esac
        COMP_LINE=$LINE COMP_POINT=${#LINE} COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
        function=$(complete -p flowrun | sed 's/.*-F \\([^ ]*\\).*/\\1/')
        "$function" flowrun "${COMP_WORDS[COMP_CWORD]}" "${COMP_WORDS[COMP_CWORD - 1]}"
        printf '%s\\n' "${COMPREPLY[@]}"
        """
      default: "source ./script; complete -C \"$LINE\" | string replace -r '\\t.*' ''"
      }
    try tool.write(asking, to: "asking")
    let path = ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin"
    let output = try Shell.run(
      "\(shell) asking 2>/dev/null", in: tool.folder.path,
      environment: ["PATH": "\(tool.folder.path)/bin:\(path)", "LINE": line, "HOME": tool.folder.path]
    ).output
    return Set(output.split(separator: "\n").map(String.init))
  }

  private static let shells = ["bash", "fish"].filter(isInstalled)

  private static func isInstalled(_ shell: String) -> Bool {
    ["/bin", "/usr/bin", "/usr/local/bin", "/opt/homebrew/bin"].contains {
      FileManager.default.isExecutableFile(atPath: "\($0)/\(shell)")
    }
  }

  @Test(arguments: shells)
  func `workflow files and the options of run are completed without a subcommand`(shell: String) throws {
    defer { tool.remove() }
    let first = try proposals(shell, at: "flowrun ")
    #expect(first.isSuperset(of: ["run", "validate", "hello.yaml"]) && !first.contains("notes.txt"), "\(first)")
    #expect(try proposals(shell, at: "flowrun hel").isSuperset(of: ["help", "hello.yaml"]))
    #expect(try proposals(shell, at: "flowrun hello.yaml --str") == ["--strict"])
    #expect(try proposals(shell, at: "flowrun hello.yaml --launch n") == ["notification"])
  }

  @Test(arguments: shells)
  func `subcommands and their arguments are completed`(shell: String) throws {
    defer { tool.remove() }
    #expect(try proposals(shell, at: "flowrun plugins ").isSuperset(of: ["new", "check", "show"]))
    #expect(try proposals(shell, at: "flowrun routes check h") == ["hello.yaml"])
  }

  @Test func `the steps of the named file or of flowrun.yaml are completed`() throws {
    defer { tool.remove() }
    #expect(try proposals("bash", at: "flowrun hello.yaml ").contains("a"))
    try tool.write("name: own\nsteps: { test: { run: make test }, tidy: { run: make clean } }\n", to: "flowrun.yaml")
    let first = try proposals("bash", at: "flowrun t")
    #expect(first.isSuperset(of: ["test", "tidy"]), "\(first)")
    #expect(try proposals("bash", at: "flowrun test ti") == ["tidy"])
  }

  /// Zsh completes words only on a terminal, so a replaced `_arguments` prints the words that it would complete.
  @Test(.enabled(if: isInstalled("zsh")), arguments: [("hello.yaml", "run hello.yaml"), ("validate", "validate")])
  func `zsh completes the arguments after a file as if run preceded the file`(first: String, line: String) throws {
    defer { tool.remove() }
    let script = try tool.run("--generate-completion-script", "zsh")
    try tool.write(script.standardOutput, to: "script")
    let result = try Shell.run(
      """
      cd '\(tool.folder.path)'
      zsh -f -c '_arguments() { print -r -- "${words[*]} $CURRENT"; return 1 }; compdef() { : }; source ./script
      words=(flowrun \(first) --str) CURRENT=3; _flowrun' 2>&1
      """)
    #expect(result.output == "flowrun \(line) --str \(line.split(separator: " ").count + 2)\n")
  }

  /// This is not tested in fish, which evaluates flowrun's queries about the command line only on a terminal.
  @Test func `the events, inputs and steps of a file are completed with and without a subcommand`() throws {
    defer { tool.remove() }
    for line in ["flowrun", "flowrun run"] {
      let events = try proposals("bash", at: "\(line) hello.yaml --event ")
      #expect(events.contains("rung@") && !events.contains("validate"), "\(events)")
      #expect(try proposals("bash", at: "\(line) hello.yaml --event r") == ["rung@"])
      #expect(try proposals("bash", at: "\(line) hello.yaml -i ") == ["who="])
    }
    #expect(try proposals("bash", at: "flowrun plugins show flow.sl") == ["flow.sleep"])
    #expect(try proposals("bash", at: "flowrun simulate hello.yaml --defer ") == ["a"])
  }
}
