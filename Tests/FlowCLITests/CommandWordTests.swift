import TestSupport
import Testing

/// The short keys `run`, `shell`, `timeout` and `finally`, which users of other tools expect.
struct `Short keys` {
  private func run(
    _ text: String, _ arguments: String...
  ) throws -> CommandLineTool.Output {
    let tool = try CommandLineTool()
    defer { tool.remove() }
    try tool.write(text, to: "w.yaml")
    return try tool.run(arguments.isEmpty ? ["w.yaml", "--no-history"] : arguments)
  }

  @Test func `a script under run stops at the first failing command, and a list runs without a shell`() throws {
    let result = try run(
      """
      name: words
      steps:
        text:
          optional: true
          run: |
            echo one
            false
            echo two
        list: { run: [echo, "a  $HOME"] }
        bash: { run: "false | true; echo unreached", shell: bash, optional: true }
        file: { run: "cat $0", shell: "sh -e {0}" }
        python: { run: "print(6 * 7)", shell: python }
        plain: { uses: shell.run, with: { command: "false; echo went on" } }
        elsewhere: { run: pwd, with: { cwd: / } }
      """)
    #expect(result.exitCode == 0, "\(result)")
    for line in [
      "text: one\n", "list: a  $HOME\n", "file: cat $0\n", "python: 42\n", "plain: went on\n", "elsewhere: /\n",
    ] {
      #expect(result.standardOutput.contains(line), "\(line)\(result)")
    }
    #expect(!result.standardOutput.contains("text: two") && !result.standardOutput.contains("unreached\n"))
  }

  @Test func `a run that exceeds its timeout cancels its steps, runs finally and fails`() throws {
    let result = try run(
      """
      name: slow
      timeout: 300ms
      cleanup: 1m
      steps:
        wait: { run: sleep 30 }
        after: { run: echo never, needs: wait }
      finally:
        tidy: { run: 'echo "it was $HOW"', env: { HOW: "${{ run.conclusion }}" } }
        tell: { run: 'echo "both: $WHY"', if: failure() && cancelled(), env: { WHY: "${{ join(run.failures.*.code) }}" } }
      """)
    #expect(result.exitCode == 1, "\(result)")
    #expect(result.standardOutput.contains("tidy: it was failure\n"))
    #expect(result.standardOutput.contains("tell: both: timed-out\n"))
    #expect(
      result.standardOutput.contains("warning: the run took longer than its timeout of 300ms and was ended\n"))
    #expect(result.standardOutput.contains("slow: failure (timed-out)"))
    #expect(!result.standardOutput.contains("gate"))
  }

  @Test func `steps in finally can read the outcomes of other steps`() throws {
    let result = try run(
      """
      name: sad
      steps:
        build: { run: exit 3 }
        test: { run: echo tested, needs: build }
      finally:
        tell:
          run: 'echo "$HOW: $WHO ($WHY)"'
          env:
            HOW: ${{ run.conclusion }}
            WHO: ${{ join(run.failures.*.step) }}
            WHY: ${{ run.failures[0].code }}
        glad: { run: echo hurrah, if: success() }
        alone: { run: echo alone, if: "steps.build.outcome == 'failure'" }
      """)
    #expect(result.exitCode == 1)
    #expect(result.standardOutput.contains("tell: failure: build (command-failed)\n"), "\(result)")
    #expect(result.standardOutput.contains("glad skipped: condition\n"))
    #expect(result.standardOutput.contains("alone: alone\n"))
  }

  @Test func `env-file defines variables that the workflow can override`() throws {
    let tool = try CommandLineTool()
    defer { tool.remove() }
    try tool.write(
      "name: e\nenv-file: .env\nenv: { B: own }\nsteps:\n  a:\n"
        + "    run: echo \"$A|$B|$C|$D|$E|${{ env.A == 'one' }}\"\n",
      to: "w.yaml")
    let missing = try tool.run("w.yaml")
    #expect(missing.exitCode == 2 && missing.standardError.contains("cannot read the env-file"), "\(missing)")
    try tool.write(
      "# a comment\nexport A=one # behind\nB=file\nC='two # words'\nD=\"x\\ty\"\n\nE=$A#b\n", to: ".env")
    let result = try tool.run("w.yaml")
    #expect(
      result.exitCode == 0 && result.standardOutput.contains("a: one|own|two # words|x\ty|$A#b|true\n"), "\(result)")
    for (line, message) in [
      ("A", ".env:1: error: expected NAME=value, found 'A'"), ("2=x", "expected NAME=value"),
      ("A='x", "the quote ' is never closed"), ("A=\"x\" y", "'y' follows the closing quote"),
    ] {
      try tool.write(line + "\n", to: ".env")
      let wrong = try tool.run("w.yaml")
      #expect(wrong.exitCode == 2 && wrong.standardError.contains(message), "\(wrong)")
    }
  }

  @Test func `resuming a failed run runs finally again, and resuming a successful run runs nothing`() throws {
    let tool = try CommandLineTool()
    defer { tool.remove() }
    try tool.write(
      "name: r\nsteps:\n  a: { run: echo a }\n  b: { needs: a, run: test -e ok }\n"
        + "finally:\n  tidy: { run: echo tidying }\n", to: "w.yaml")
    #expect(try tool.run("w.yaml").exitCode == 1)
    try tool.write("", to: "ok")
    let resumed = try tool.run("resume")
    #expect(resumed.exitCode == 0 && resumed.standardOutput.contains("tidy: it runs at the end of every run"))
    #expect(resumed.standardOutput.contains("kept: a\n") && resumed.standardOutput.contains("tidy: tidying\n"))
    #expect(try tool.run("resume", "last").standardOutput.contains("nothing is left to do"))
  }

  /// Typical first mistakes of users of other tools, with the expected messages.
  static let mistakes: [(line: String, answer: String)] = [
    ("runs-on: ubuntu-latest", "leave 'runs-on' out"), ("timeout-minutes: 10", "write 'deadline: 10m'"),
    ("timeout: 10s", "did you mean 'deadline'?"), ("continue-on-error: true", "write 'optional: true'"),
    ("depends_on: b", "did you mean 'needs'?"), ("depends-on: b", "did you mean 'needs'?"),
    ("dependencies: [b]", "did you mean 'needs'?"), ("deps: [b]", "did you mean 'needs'?"),
    ("when: inputs.dry", "did you mean 'if'?"), ("retries: 2", "write 'retry: { attempts: 3 }'"),
    ("max_retries: 4", "write 'retry: { attempts: 5 }'"), ("strategy: { matrix: {} }", "= help: write"),
    ("matrix: {}", "= help: write"), ("withItems: [a]", "= help: write"), ("loop: [a]", "= help: write"),
    ("cmds: [make]", "did you mean 'run'?"), ("script: make", "did you mean 'run'?"),
    ("bash_command: make", "did you mean 'run'?"), ("command: make", "write 'run: …'"),
    ("environment: {}", "did you mean 'env'?"), ("working-directory: src", "write 'with: { cwd: … }'"),
    ("dir: src", "write 'with: { cwd: … }'"), ("ignore_error: true", "write 'optional: true'"),
    ("allow_failure: true", "write 'optional: true'"), ("sources: [a]", "did you mean 'inputs-from'?"),
    ("generates: [a]", "did you mean 'produces'?"), ("id: a", "the key above the step is its id"),
    ("steps: []", "a step holds no steps"), ("container: alpine", "docker run"), ("image: alpine", "docker run"),
    ("trigger_rule: all_done", "always()"), ("retry_delay: 3", "retry: { attempts"),
    ("activeDeadlineSeconds: 30", "write 'deadline: 30s'"), ("silent: true", "did you mean 'quiet'?"),
    ("if: inputs.dry and true", "'and' is '&&'"), ("if: not inputs.dry", "'not' is '!'"),
    ("if: github.ref == 'x'", "there is no CI around a run"), ("if: needs.b.result == 'x'", "steps.<id>.outputs"),
    ("if: matrix.os == 'x'", "= help: "), ("if: !cancelled()", "in quotes or in ${{ }}"),
    ("env: { X: {{ inputs.dry }} }", "put an expression in quotes"),
    ("env: { X: \"{{ inputs.dry }}\" }", "write '${{ inputs.dry }}'"),
    ("env: { X: \"{{.dry}}\" }", "write '${{ inputs.dry }}'"),
    ("retry: 3", "write '{ attempts: 3 }'"), ("always: true", "write 'if: ${{ always() }}'"),
    ("input: a.csv", "did you mean 'inputs-from'?"), ("output: [a]", "did you mean 'produces'?"),
    ("if: hashFiles('x') == ''", "let a command compare"), ("if: failed()", "did you mean 'failure'?"),
  ]

  @Test(arguments: [
    ("inputs: { who: string }", "a: echo", "write '{ type: string }'"),
    ("inputs: { who: bool }", "a: echo", "write '{ type: boolean }'"),
    ("inputs: { who: ada }", "a: echo", "write '{ type: string, default: \"ada\" }'"),
    ("", "a: make all", "write a command under 'run': { run: \"make all\" }"),
    ("", "a: flow.noop", "write an action under 'uses': { uses: flow.noop }"),
  ])
  func `the error for a value in place of a mapping suggests the mapping`(
    line: String, step: String, answer: String
  ) throws {
    let result = try run(
      """
      name: short
      \(line)
      steps:
        \(step)
      """, "validate", "w.yaml")
    #expect(result.exitCode == 2 && result.standardOutput.contains(answer), "\(result)")
  }

  @Test(arguments: mistakes)
  func `the error for a step key of another tool suggests a correction`(line: String, answer: String) throws {
    let result = try run(
      """
      name: foreign
      inputs: { dry: { type: boolean, default: false } }
      steps:
        b: { run: make }
        a:
          run: make test
          \(line)
      """, "validate", "w.yaml")
    #expect(result.exitCode == 2)
    #expect(result.standardOutput.contains(answer), "\(line): \(result.standardOutput)")
    #expect(result.standardOutput.contains("1 error,"), "one mistake, one error: \(result.standardOutput)")
  }

  @Test(arguments: [
    ("on: push", "leave 'on' out"), ("jobs: {}", "there are no jobs"), ("tasks: {}", "did you mean 'steps'?"),
    ("version: '3'", "leave it out"), ("vars: {}", "'inputs' for the inputs of a run"),
    ("timeout-minutes: 5", "write 'timeout: 10m'"), ("schedule: daily", "let cron or another scheduler call it"),
    ("onExit: tidy", "did you mean 'finally'?"), ("dotenv: ['.env']", "did you mean 'env-file'?"),
    ("includes: {}", "./other.yaml"), ("params: {}", "did you mean 'inputs'?"), ("kind: Workflow", "top level"),
  ])
  func `the error for a workflow key of another tool suggests a correction`(line: String, answer: String) throws {
    let result = try run("name: foreign\n\(line)\nsteps: { a: { run: make } }\n", "validate", "w.yaml")
    #expect(result.exitCode == 2)
    #expect(result.standardOutput.contains(answer), "\(line): \(result.standardOutput)")
    #expect(result.standardOutput.contains("1 error,"), "\(result.standardOutput)")
  }

  @Test func `a list of steps, the key jobs and an unknown type each cause a single error`() throws {
    let list = try run("name: l\nsteps:\n  - run: make\n  - run: make test\n", "validate", "w.yaml")
    #expect(list.standardOutput.contains("give each step an id as its key") && list.standardOutput.contains("1 error,"))
    let jobs = try run("name: l\njobs:\n  build:\n    steps:\n      - run: make\n", "validate", "w.yaml")
    #expect(jobs.standardOutput.contains("there are no jobs") && jobs.standardOutput.contains("1 error,"))
    let type = try run(
      "name: l\ninputs: { dry: { type: bool } }\nsteps: { a: { run: make } }\n", "validate", "w.yaml")
    #expect(type.standardOutput.contains("did you mean 'boolean'?") && type.standardOutput.contains("1 error,"))
  }
}
