import Testing

/// `env-file` with several files and with paths that depend on inputs, and its checks in `validate`.
@Suite(.timeLimit(.minutes(10))) struct `Files of variables` {
  private static let workflow = """
    name: e
    inputs: { stage: { type: string, required: false }, more: { type: boolean, default: false } }
    env-file:
      - .env
      - "${{ inputs.stage && format('.env.{0}', inputs.stage) }}"
      - ${{ inputs.more && 'more.env' || '' }}
    steps:
      show: { run: 'echo "$A|$B|$C"' }

    """

  @Test func `later env-files override earlier ones, and a path that evaluates to null or '' is ignored`() throws {
    let tool = try CommandLineTool()
    defer { tool.remove() }
    try tool.write(Self.workflow, to: "w.yaml")
    try tool.write("A=first\nB=first\nC=first\n", to: ".env")
    try tool.write("B=stage\nC=stage\n", to: ".env.test")
    try tool.write("C=more\n", to: "more.env")
    for (arguments, expected) in [
      ([], "first|first|first"), (["-i", "stage=test"], "first|stage|stage"),
      (["-i", "stage=test", "-i", "more=true"], "first|stage|more"), (["-i", "more=true"], "first|first|more"),
    ] {
      let result = try tool.run(["w.yaml"] + arguments)
      #expect(result.exitCode == 0 && result.standardOutput.contains("show: \(expected)\n"), "\(result)")
    }
    let missing = try tool.run(["w.yaml", "-i", "stage=none"])
    #expect(missing.exitCode == 2 && missing.standardError.contains(".env.none"), "\(missing)")
  }

  @Test func `validate reports missing and malformed env-files, even in included files`() throws {
    let tool = try CommandLineTool()
    defer { tool.remove() }
    try tool.write(Self.workflow, to: "w.yaml")
    let missing = try tool.run("validate", "w.yaml")
    #expect(
      missing.exitCode == 2 && missing.standardOutput.contains("w.yaml:4:")
        && missing.standardOutput.contains("cannot read the env-file") && missing.standardOutput.contains("[env-file]"),
      "\(missing)")
    try tool.write("A=1\nB\n", to: ".env")
    let malformed = try tool.run("validate", "w.yaml")
    #expect(
      malformed.exitCode == 2
        && malformed.standardOutput.contains("line 2 of the env-file '.env': expected NAME=value, found 'B'"),
      "\(malformed)")
    try tool.write("A=1\n", to: ".env")
    #expect(try tool.run("validate", "w.yaml").exitCode == 0)
    try tool.write("name: part\nenv-file: part.env\nsteps: { a: { run: 'true' } }\n", to: "part.yaml")
    try tool.write("name: outer\nsteps: { inside: { uses: ./part.yaml } }\n", to: "outer.yaml")
    let included = try tool.run("validate", "outer.yaml")
    #expect(
      included.exitCode == 2 && included.standardOutput.contains("outer.yaml:2:")
        && included.standardOutput.contains("part.env"), "\(included)")
    try tool.write("name: outer\nsteps: { inside: { uses: ./w.yaml } }\n", to: "outer.yaml")
    let reading = try tool.run("validate", "outer.yaml")
    #expect(
      reading.exitCode == 2 && reading.standardOutput.contains("reads inputs, which are not known before the run"),
      "\(reading)")
  }
}
