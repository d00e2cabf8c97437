import Foundation
import Testing

/// `env` in expressions, `path`, and secrets whose source depends on inputs.
@Suite(.timeLimit(.minutes(10))) struct `A workflow with variables` {
  // The tests read this variable, which a build server may not set.
  init() { setenv("HOME", FileManager.default.temporaryDirectory.path, 0) }

  private func tool(_ workflow: String) throws -> CommandLineTool {
    let tool = try CommandLineTool()
    try tool.write(workflow, to: "w.yaml")
    return tool
  }

  /// Returns the output lines of a step.
  private func lines(_ output: CommandLineTool.Output, of step: String) -> [Substring] {
    output.standardOutput.split(separator: "\n").compactMap { line in
      line.firstRange(of: "  \(step): ").map { line[$0.upperBound...] }
    }
  }

  @Test func `a variable is taken from the step, the workflow, env-file or the environment, in this order`() throws {
    let tool = try tool(
      """
      name: w
      env-file: .env
      env: { COLOR: blue, BOTH: workflow, PATHS: "/x:${{ env.PATH }}" }
      steps:
        a:
          run: 'echo "${{ env.COLOR }} ${{ env.BOTH }} ${{ env.FILE }} ${{ env.HOME != null }} ${{ env.OWN }}"'
          env: { BOTH: step, OWN: "from ${{ env.BOTH }}" }
        b: { run: 'test "$PATHS" = "/x:$PATH" && echo same' }
        c: { run: 'ls > /dev/null && echo found', env: { PATH: "/opt/x:${{ env.PATH }}" } }
        d: { run: 'echo "[${{ env.TYPO_OF_MINE }}]"' }

      """)
    defer { tool.remove() }
    try tool.write("FILE=file\nBOTH=file\n", to: ".env")
    let result = try tool.run("w.yaml")
    #expect(result.exitCode == 0, "\(result)")
    #expect(lines(result, of: "a") == ["blue step file true from workflow"], "\(result)")
    #expect(lines(result, of: "b") == ["same"] && lines(result, of: "c") == ["found"], "\(result)")
    #expect(lines(result, of: "d") == ["[]"], "\(result)")
  }

  @Test func `a resumed run has the same variables, even if the environment has changed`() throws {
    let tool = try tool(
      """
      name: w
      steps:
        a: { run: 'echo "a ${{ env.FLOWRUN_TEST_STAGE }}"; test -e go' }
        b: { needs: a, run: 'echo "b ${{ env.FLOWRUN_TEST_STAGE }} ${{ env[format(''FLOWRUN_TEST_{0}'', ''STAGE'')] }}"' }

      """)
    defer { tool.remove() }
    setenv("FLOWRUN_TEST_STAGE", "first", 1)
    defer { unsetenv("FLOWRUN_TEST_STAGE") }
    let failed = try tool.run("w.yaml")
    #expect(failed.exitCode == 1 && failed.standardOutput.contains("a first"), "\(failed)")
    setenv("FLOWRUN_TEST_STAGE", "second", 1)
    try tool.write("", to: "go")
    let resumed = try tool.run("resume", "last")
    #expect(
      resumed.exitCode == 0 && resumed.standardOutput.contains("a first")
        && resumed.standardOutput.contains("b first first"), "\(resumed)")
  }

  @Test func `the variable of a secret is null, and unknown or apparently secret variables cause warnings`()
    throws
  {
    let tool = try tool(
      """
      name: w
      secrets: { token: { env: FLOWRUN_TEST_TOKEN } }
      steps:
        a: { run: 'echo "[${{ env.FLOWRUN_TEST_TOKEN || ''none'' }}]"' }
        b: { run: 'echo "${{ env.FLOWRUN_TEST_API_KEY }}"' }
        c: { run: 'echo "${{ env.HOMME }}"', env: { HOME_OF_MINE: x } }
        d: { run: 'echo "${{ env.HOMME || ''x'' }} ${{ env.HOME }}"' }

      """)
    defer { tool.remove() }
    setenv("FLOWRUN_TEST_TOKEN", "s3cr3t-t0k3n", 1)
    setenv("FLOWRUN_TEST_API_KEY", "abcdef", 1)
    defer {
      unsetenv("FLOWRUN_TEST_TOKEN")
      unsetenv("FLOWRUN_TEST_API_KEY")
    }
    let checked = try tool.run("validate", "w.yaml")
    #expect(checked.exitCode == 0, "\(checked)")
    #expect(checked.standardOutput.contains("w.yaml:5:"), "\(checked)")
    #expect(checked.standardOutput.contains("[recorded-variable]"), "\(checked)")
    #expect(
      checked.standardOutput.contains("w.yaml:6:")
        && checked.standardOutput.contains(
          "there is no variable 'HOMME' here, so 'env.HOMME' is null [unknown-variable]"),
      "\(checked)")
    let unknown = checked.standardOutput.split(separator: "\n").filter { $0.hasSuffix("[unknown-variable]") }
    #expect(unknown.count == 1, "\(checked)")
    let result = try tool.run("w.yaml")
    #expect(lines(result, of: "a") == ["[none]"] && lines(result, of: "b") == ["abcdef"], "\(result)")
  }

  @Test func `folders in a step's path are searched before those in the workflow's path and in PATH`() throws {
    let tool = try tool(
      """
      name: w
      path: [tools]
      steps:
        a: { run: 'which-one; echo "$PATH" | cut -d: -f1,2' }
        b: { run: which-one, path: [own, ./more] }
        c: { run: [which-one], path: [own] }

      """)
    defer { tool.remove() }
    for (folder, text) in [("tools", "tools"), ("own", "own"), ("sub/tools", "included")] {
      try tool.write("#!/bin/sh\necho \(text)\n", to: "\(folder)/which-one")
      try FileManager.default.setAttributes(
        [.posixPermissions: 0o755], ofItemAtPath: tool.folder.appending(path: "\(folder)/which-one").path)
    }
    let result = try tool.run("w.yaml")
    #expect(result.exitCode == 0, "\(result)")
    #expect(lines(result, of: "a").first == "tools" && lines(result, of: "a").last?.hasSuffix("/tools:") == false)
    #expect(lines(result, of: "b") == ["own"] && lines(result, of: "c") == ["own"], "\(result)")
    try tool.write("name: part\npath: [tools]\nsteps: { a: { run: which-one } }\n", to: "sub/part.yaml")
    try tool.write("name: outer\npath: [own]\nsteps: { i: { uses: ./sub/part.yaml } }\n", to: "outer.yaml")
    let outer = try tool.run("outer.yaml")
    #expect(lines(outer, of: "i/a") == ["included"], "\(outer)")
  }

  @Test func `defaults for shell and folder apply to a workflow's own commands, not to included files`() throws {
    let tool = try tool(
      """
      name: w
      defaults: { shell: bash, cwd: sub }
      steps:
        a: { run: 'list=(1 2); echo "${#list[@]} $(basename "$PWD")"' }
        b: { run: 'echo "$(basename "$PWD")"', shell: sh, with: { cwd: other } }
        c: { run: [pwd] }
        i: { uses: ./part.yaml }

      """)
    defer { tool.remove() }
    try tool.write("", to: "sub/x")
    try tool.write("", to: "other/x")
    try tool.write("name: part\nsteps: { a: { run: 'test -e sub && echo here' } }\n", to: "part.yaml")
    let result = try tool.run("w.yaml")
    #expect(result.exitCode == 0, "\(result)")
    #expect(lines(result, of: "a") == ["2 sub"] && lines(result, of: "b") == ["other"], "\(result)")
    #expect(
      lines(result, of: "c").first?.hasSuffix("/sub") == true && lines(result, of: "i/a") == ["here"], "\(result)")
    #expect(try tool.run("validate", "w.yaml").standardOutput.hasPrefix("w.yaml: valid, "))
  }

  @Test func `inputs can select the source of a secret`() throws {
    let tool = try tool(
      """
      name: w
      inputs: { stage: { type: string, default: staging } }
      secrets:
        a: { command: [printf, '%s', "tok-${{ inputs.stage }}-1"] }
        b: { file: "tokens/${{ inputs.stage }}" }
        c: { env: "FLOWRUN_TEST_${{ inputs.stage }}" }
      steps:
        show: { run: 'echo "${#A} ${#B} ${#C} ${FLOWRUN_TEST_staging-unset}"', env: { A: "${{ secrets.a }}", B: "${{ secrets.b }}", C: "${{ secrets.c }}" } }

      """)
    defer { tool.remove() }
    try tool.write("abcdefg\n", to: "tokens/staging")
    setenv("FLOWRUN_TEST_staging", "abcdefghi", 1)
    defer { unsetenv("FLOWRUN_TEST_staging") }
    let result = try tool.run("w.yaml")
    #expect(lines(result, of: "show") == ["13 7 9 unset"], "\(result)")
    let missing = try tool.run("w.yaml", "-i", "stage=none")
    #expect(missing.exitCode == 2 && missing.standardError.contains("tokens/none"), "\(missing)")
  }

  @Test func `a tilde at the start of a path is expanded in -i and in the default of an input`() throws {
    let tool = try tool(
      """
      name: w
      inputs: { p: { type: path }, q: { type: path, default: ~/q } }
      steps:
        a: { run: 'echo "$P $Q"', env: { P: "${{ inputs.p }}", Q: "${{ inputs.q }}" } }
        b: { run: pwd, with: { cwd: ~/ } }

      """)
    defer { tool.remove() }
    let home = try #require(ProcessInfo.processInfo.environment["HOME"])
    let result = try tool.run("w.yaml", "-i", "p=~/x")
    #expect(lines(result, of: "a") == ["\(home)/x \(home)/q"], "\(result)")
    let alone = try tool.run("w.yaml", "-i", "p=~")
    #expect(lines(alone, of: "a") == ["\(home) \(home)/q"], "\(alone)")
  }

  @Test func `env-files can be optional, and quoted values in them can have several lines`() throws {
    let tool = try tool(
      """
      name: w
      env-file: [.env, { path: .env.local, required: false }]
      steps: { a: { run: 'printf "%s|" "$KEY" "$B" "$C"; echo' } }

      """)
    defer { tool.remove() }
    try tool.write("KEY=\"-----BEGIN\nline # 2\n-----END\" # comment\r\nB='one\ntwo'\nexport C=three\n", to: ".env")
    let result = try tool.run("w.yaml")
    #expect(lines(result, of: "a") == ["-----BEGIN", "line # 2", "-----END|one", "two|three|"], "\(result)")
    #expect(try tool.run("validate", "w.yaml").exitCode == 0)
    try tool.write("B=local\n", to: ".env.local")
    #expect(lines(try tool.run("w.yaml"), of: "a").last == "-----END|local|three|")
    try tool.write("A=1\nB='open\nC=3\n", to: ".env.local")
    let open = try tool.run("w.yaml")
    #expect(
      open.exitCode == 2 && open.standardError.contains(".env.local:2: error: the quote ' is never closed"), "\(open)")
  }
}
