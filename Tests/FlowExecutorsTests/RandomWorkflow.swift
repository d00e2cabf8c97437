import FlowTestKit
import Foundation

/// A random workflow with steps of all kinds, most of which can run remotely. Its report does not depend on where they
/// run.
struct RandomWorkflow {
  /// The files of the workflow by name, including `flow.yaml`.
  private(set) var files: [String: String] = ["inner.yaml": inner, "item.yaml": item, "token": "s3cret Tökén\n"]
  /// The indices of the steps that have text as an output.
  private var echoes: [Int] = []

  private static let texts = [
    "héllo wörld", "日本語", "🦊🚀", #"it's "quoted" $HOME `x` \n"#, "tab\there", "two\nlines\n", "", " spaces ", "null",
    "-1e5",
    "e\u{301}", "a=b;c&d|e",
  ]

  private static let inner = """
    name: inner
    concurrency: 1
    inputs: { text: { type: string }, fails: { type: boolean } }
    env: { INNER: "${{ inputs.text }}" }
    steps:
      a: { run: 'printf "%s" "$INNER"; [ "$FAILS" != true ]', env: { FAILS: "${{ inputs.fails }}" } }
      b: { needs: a, run: 'echo "b $A"', env: { A: "${{ steps.a.outputs.stdout }}" } }
      c: { foreach: [1, 2], run: 'echo "$N"', env: { N: "${{ item }}" } }
    finally:
      last: { run: 'echo "$HOW"', env: { HOW: "${{ run.conclusion }}" } }
    outputs: { b: "${{ steps.b.outputs.stdout }}", c: "${{ steps.c.outputs.stdout }}" }
    """

  private static let item = """
    name: item
    inputs: { text: { type: string }, number: { type: integer } }
    steps:
      a: { run: 'echo "$TEXT ${FLOWRUN_KEY#*/} $FLOWRUN_STEP"', env: { TEXT: "${{ inputs.text }}" } }
      b: { needs: a, run: '[ "$N" != 1 ]', env: { N: "${{ inputs.number }}" } }
    outputs: { a: "${{ steps.a.outputs.stdout }}" }
    """

  init(_ random: inout SeededGenerator) {
    var text = "name: random\nenv: { STATED: \"1\" }\nevents: [told]\nsecrets: { token: { file: token } }\n"
    if random.chance(30) { text += "concurrency: \(Int.random(in: 1...4, using: &random))\n" }
    if random.chance(20) { text += "durable: true\n" }
    if random.chance(20) { text += "defaults: { retry: { attempts: 2, delay: 1ms } }\n" }
    text += "steps:\n"
    for index in 0..<Int.random(in: 6...14, using: &random) {
      var parts: [String] = []
      let needs = (0..<index).filter { _ in random.chance(25) }.prefix(3)
      if !needs.isEmpty { parts.append("needs: [\(needs.map { "s\($0)" }.joined(separator: ", "))]") }
      parts += step(index, echoed: needs.filter(echoes.contains), &random)
      if random.chance(60), !parts.contains("optional: true") { parts.append("optional: true") }
      if random.chance(15) {
        parts.append(
          "if: \(random.pick(["always()", "failure()", "success()", "\"1 == 2\"", "\"env.STATED == '1'\""]))")
      }
      if random.chance(8) { parts.append("name: \(Self.quoted(random.pick(["Größe", "次"])))") }
      text += "  s\(index): { \(parts.joined(separator: ", ")) }\n"
    }
    if random.chance(50) {
      text += """
        finally:
          tell: { run: 'echo "$HOW"', env: { HOW: "${{ run.conclusion }}" } }
          mourn: { run: exit \(Int.random(in: 0...1, using: &random)), needs: tell, if: failure() }

        """
    }
    let outputs = echoes.map { "  s\($0): \"${{ steps.s\($0).outputs.stdout || 'none' }}\"\n" }.joined()
    files["flow.yaml"] = outputs.isEmpty ? text : text + "outputs:\n" + outputs
  }

  /// Returns `text` as a quoted YAML string.
  private static func quoted(_ text: String) -> String {
    let escapes: [Character: String] = ["\"": "\\\"", "\\": "\\\\", "\n": "\\n", "\t": "\\t"]
    return "\"" + text.map { escapes[$0] ?? String($0) }.joined() + "\""
  }

  /// Returns the lines of a random step, without the keys that all steps have.
  private mutating func step(_ index: Int, echoed: [Int], _ random: inout SeededGenerator) -> [String] {
    switch Int.random(in: 0..<5, using: &random) {
    case 0: return Self.ending(index, &random)
    case 1: return Self.fanned(index, &random)
    case 2: return Self.other(index, &random)
    case 3: return Self.printing(&random)
    default:
      echoes.append(index)
      let read = echoed.map { "${{ steps.s\($0).outputs.stdout || 'nothing' }}" }.joined(separator: " ")
      let text = Self.quoted(echoed.isEmpty ? random.pick(Self.texts) : read)
      return [
        #"run: 'echo "$STATED $FLOWRUN_STEP ${FLOWRUN_KEY#*/} $FROM"; echo "error $FROM" >&2'"#,
        "env: { FROM: \(text) }",
      ]
    }
  }

  /// Returns the lines of a step that succeeds, fails or times out.
  private static func ending(_ index: Int, _ random: inout SeededGenerator) -> [String] {
    let last = Int.random(in: 1...3, using: &random)
    // The deadline is long enough for a command to print its first line, even on a busy machine.
    let deadline = ["deadline: 7s", "optional: true"]
    return random.pick([
      // These steps fail in all their attempts, or succeed only in the last one.
      [#"run: '[ "$FLOWRUN_ATTEMPT" = \#(last) ] || exit \#(index + 1)'"#, "retry: { attempts: 2, delay: 1ms }"],
      ["run: 'echo early; sleep 60'"] + deadline,
      [#"run: "trap '' TERM; echo early; while :; do sleep 0.1; done""#] + deadline,
      ["run: 'echo before; exit \([2, 126, 127, 128, 255][index % 5])'"],
      ["run: 'echo before; kill -\(["KILL", "TERM", "INT", "HUP", "PIPE"][index % 5]) $$; sleep 5'"],
      [#"run: "trap 'echo trapped; exit 9' TERM; kill -TERM $$; sleep 1""#],
      [
        "run: 'echo $FLOWRUN_ATTEMPT; [ $FLOWRUN_ATTEMPT = 2 ] || sleep 60'",
        "retry: { attempts: 2, delay: 1ms, attempt-deadline: 7s }",
      ],
      ["uses: shell.run", "with: { command: exit \(last), success-statuses: [0, 3] }"],
      ["run: [no-such-program, x]"], ["run: pwd", "with: { cwd: \(random.pick(["/", "missing"])) }"],
    ])
  }

  /// Returns the lines of a step with items.
  private static func fanned(_ index: Int, _ random: inout SeededGenerator) -> [String] {
    random.pick([
      [
        "foreach: [a, b, c]", "optional: true",
        "run: 'echo \"item $FLOWRUN_STEP\"; [ \"$FLOWRUN_STEP\" != \"s\(index)[\(random.next() % 4)]\" ]'",
      ],
      [
        "foreach: { items: { one: 1, two: 2, three: 3 }, parallel: 2, fail-fast: false }",
        #"run: 'echo "$K"; [ "$V" != \#(random.next() % 5) ]'"#, #"env: { K: "${{ key }}", V: "${{ item }}" }"#,
      ],
      [
        "foreach: { axes: { os: [l, m], size: [1, 2.5, null] }, exclude: [{ os: m, size: 1 }] }",
        #"run: 'printf %s "$X"'"#, #"env: { X: "${{ item.os }}-${{ item.size }}" }"#,
      ],
      [
        "foreach: [1, 2, 3]", "fail-fast: false", "retry: { attempts: 2, delay: 1ms }",
        "run: '[ $FLOWRUN_ATTEMPT -ge $N ] || exit $N'", #"env: { N: "${{ item }}" }"#,
      ],
      // With fail-fast, timing decides how far other items get after a failure. Because another item may start while
      // one waits for its next attempt, this step has only one attempt.
      [
        "foreach: [a, b, c]", "parallel: 1", "retry: { attempts: 1 }", "run: 'echo $N; [ $N != b ]'",
        #"env: { N: "${{ item }}" }"#,
      ],
      [
        "uses: ./item.yaml", "foreach: [p, \(quoted(random.pick(texts)))]", "fail-fast: false",
        #"with: { text: "${{ item }}", number: "${{ index }}" }"#,
      ],
    ])
  }

  /// Returns the lines of a step with long or unusual output.
  private static func printing(_ random: inout SeededGenerator) -> [String] {
    random.pick([
      ["run: 'head -c 1048577 /dev/zero | tr \"\\0\" a; echo; echo end'"], ["run: 'seq 1 2000; seq 1 50 >&2'"],
      [#"run: 'printf "a\377b\nno end"'"#], [#"run: 'printf "10%%\r100%%\n\n\n"; printf "crlf\r\n"'"#],
      ["run: [printf, '%s\\n', \(quoted(random.pick(texts))), '$HOME', '*']"],
      ["shell: bash", "run: 'false | true'"], ["shell: python", "run: 'print(\"ü\"); raise SystemExit(7)'"],
      ["run: 'cat; read x || echo end of file; umask'"], ["run: 'sleep 30 & echo started'"],
      [#"run: 'echo "$T"; printf %s "$T" | base64'"#, #"env: { T: "${{ secrets.token }}" }"#],
    ])
  }

  /// Returns the lines of a step that is not a command or must run locally.
  private static func other(_ index: Int, _ random: inout SeededGenerator) -> [String] {
    random.pick([
      [
        "uses: flow.set",
        "with: { values: { number: \(index), list: [1, 0.1, null], text: \(quoted(random.pick(texts))) } }",
      ],
      ["uses: flow.fail", "with: { message: \(quoted("number \(index) " + random.pick(texts))) }"],
      ["uses: flow.sleep", "with: { for: \(random.pick(["1ms", "60s"])) }", "deadline: 2s", "optional: true"],
      ["uses: flow.post", "with: { event: told }"], ["run: echo told", "after: told", "blocking: false"],
      ["uses: ./inner.yaml", "with: { text: \(quoted(random.pick(texts))), fails: \(random.chance(25)) }"],
      ["run: echo here", "executor: local"], ["run: echo deferred", "defer: true"],
      ["uses: flow.noop", "enabled: false"],
    ])
  }
}
