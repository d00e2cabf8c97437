import Testing

/// Paths that contain a NUL character because of an expression. The system would read them only up to the NUL.
@Suite(.timeLimit(.minutes(10))) struct `A path with a NUL character` {
  /// Runs a workflow that consists of inputs and `rest`. It must fail. Returns its output. The input `path` and the
  /// last element of the input `list` are `a.txt`, a NUL and `more`.
  private func message(_ rest: String) throws -> String {
    let tool = try CommandLineTool()
    defer { tool.remove() }
    try tool.write("value=1\n", to: "a.txt")
    try tool.write(
      """
      name: w
      inputs: { path: { type: string, default: "a.txt\\0more" }, list: { type: any, default: ["a.txt", "a.txt\\0more"] } }
      \(rest)

      """, to: "w.yaml")
    let result = try tool.run("w.yaml")
    #expect(result.exitCode != 0, "\(result)")
    return result.standardOutput + result.standardError
  }

  @Test(arguments: [
    ("inputs-from: [\"${{ inputs.path }}\"]", "inputs-from"), ("inputs-from: [\"${{ inputs.list }}\"]", "inputs-from"),
    ("inputs-from: [{ path: \"${{ fromJSON(steps.json.outputs.stdout) }}\", required: false }]", "inputs-from"),
    ("inputs-from: [\"x*-${{ inputs.path }}\"]", "inputs-from"),
    ("inputs-from: [\"*.txt\", \"!${{ inputs.path }}\"]", "inputs-from"),
    ("produces: [\"${{ inputs.path }}\"]", "produces"),
    ("foreach: { files: \"${{ inputs.path }}\" }", "foreach"),
    ("foreach: { files: \"${{ inputs.list }}\" }", "foreach"),
    ("foreach: { files: \"*/${{ fromJSON(steps.json.outputs.stdout) }}\" }", "foreach"),
    ("with: { cwd: \"${{ inputs.path }}\" }", "'cwd'"),
    ("foreach: [\"a.txt\\0x\"], inputs-from: [\"${{ item }}\"]", "inputs-from"),
  ])
  func `a path with a NUL character fails its step, and the error names the key`(keys: String, name: String) throws {
    let text = try message(
      """
      steps:
        json: { run: 'echo ''"a.txt\\u0000more"''' }
        read: { needs: json, run: touch ran, \(keys) }
      """)
    #expect(text.contains("read") && text.contains(name), "\(text)")
    #expect(text.contains("expected a path without NUL characters"), "\(text)")
  }

  @Test(arguments: [
    "env-file: \"${{ inputs.path }}\"\nsteps: { a: { run: 'true' } }",
    "secrets: { A: { file: \"${{ inputs.path }}\" } }\nsteps: { a: { run: 'true', env: { A: \"${{ secrets.A }}\" } } }",
    "secrets: { A: { env: \"${{ inputs.path }}\" } }\nsteps: { a: { run: 'true', env: { A: \"${{ secrets.A }}\" } } }",
    "secrets: { A: { command: [echo, \"${{ inputs.path }}\"] } }\nsteps: { a: { run: 'true', env: { A: \"${{ secrets.A }}\" } } }",
    "steps: { a: { uses: storage.open, with: { path: \"${{ inputs.path }}\" } } }",
    "steps: { a: { run: 'true', env: { A: \"${{ inputs.path }}\" } } }",
  ])
  func `a NUL character in env-file, secrets, variables and arguments of actions causes an error`(text: String) throws {
    let message = try message(text)
    #expect(message.contains("NUL character") || message.contains("null character"), "\(message)")
  }
}
