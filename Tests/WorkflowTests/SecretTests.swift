import Foundation
import TestSupport
import Testing

/// Inserts secrets into the outputs of a run and searches for them in every byte that the run writes.
@Suite(.timeLimit(.minutes(10))) struct `Secrets` {
  private static let token = "tök/en+\"s3cr3t\" 100%"
  private static let key = "-- first line 0123456789 --\nsecond/line+of the key\nab\nthird line \\ end"
  private static let door = "open-sesame-qv8zkx"

  private final class Folder {
    let url = FileManager.default.temporaryDirectory.appendingPathComponent("flowrun-\(UInt64.random(in: 0 ... .max))")
    var written: [String] = []

    init(_ files: [String: String]) throws {
      for (name, text) in files { try write(text, to: name) }
    }

    deinit { try? FileManager.default.removeItem(at: url) }

    func write(_ text: String, to name: String) throws {
      let file = url.appendingPathComponent(name)
      try FileManager.default.createDirectory(at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
      try Data(text.utf8).write(to: file)
      written.append(file.standardizedFileURL.resolvingSymlinksInPath().path)
    }

    func flowrun(
      _ arguments: String..., environment: [String: String] = ["DEPLOY_TOKEN": token], input: String = ""
    ) throws -> FlowrunProcess.Result {
      try FlowrunProcess.run(
        arguments, in: url.path, input: input, environment: environment.merging(["CI": "1"]) { first, _ in first })
    }

    /// Returns the names and contents of all files that flowrun wrote below the folder.
    func bytes() throws -> [(name: String, bytes: Data)] {
      let names = FileManager.default.enumerator(at: url, includingPropertiesForKeys: [.isRegularFileKey])
      return try (names?.allObjects as? [URL] ?? []).compactMap { file in
        let path = file.standardizedFileURL.resolvingSymlinksInPath().path
        guard try file.resourceValues(forKeys: [.isRegularFileKey]).isRegularFile == true, !written.contains(path)
        else { return nil }
        return (path, try Data(contentsOf: file))
      }
    }
  }

  /// Texts that must not be found: parts of the secrets in all encodings, each too long to occur by chance.
  private static let traces: [String] = {
    func percent(_ text: String) -> String { text.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? "" }
    var traces = ["s3cr3t", "first line 012345", "second/line+of", "third line", "sesame-qv", "qv8zkx"]
    for secret in [token, key, door] {
      for before in ["", "a", "ab"] {
        // The first and last characters are omitted, because they depend on the neighboring text.
        let encoded = Data((before + secret).utf8).base64EncodedString()
        traces.append(String(encoded.dropFirst(4).prefix(16)))
        traces.append(String(encoded.dropFirst(4).prefix(16)).replacing("+", with: "-").replacing("/", with: "_"))
      }
      for line in secret.split(separator: "\n") where line.count > 12 {
        traces.append(String(percent(String(line)).dropFirst(2).prefix(14)))
      }
    }
    return traces.filter { $0.count >= 4 }
  }()

  private static func found(in bytes: Data) -> [String] {
    traces.filter { bytes.range(of: Data($0.utf8)) != nil }
  }

  private static let plugin = #"""
    import os, sys, flowrun_plugin as plugin
    @plugin.action("leaky.say")
    def say(call, secret):
        call.log("logged " + secret)
        call.progress(0.5, "half " + secret)
        print("printed " + secret, file=sys.stderr, flush=True)
        print("variable " + call.environment["T"], file=sys.stderr, flush=True)
        return {"text": "given " + secret}
    @plugin.action("leaky.fail")
    def fail(call, secret):
        raise plugin.Problem("leaked", "failed with " + secret, retryable=False)
    @plugin.action("leaky.die")
    def die(call, secret):
        print("x" * 990 + secret, file=sys.stderr, flush=True)
        os._exit(3)
    plugin.serve()
    """#

  private static let manifest = """
    name: leaky
    version: 1.0.0
    protocol: 1
    command: [python3, plugin.py]
    actions:
      leaky.say:
        summary: Says it everywhere
        inputs: { secret: { type: string, secret: true } }
        outputs: { text: { type: string } }
      leaky.fail: { summary: Fails with it, inputs: { secret: { type: string, secret: true } } }
      leaky.die: { summary: Dies with it, inputs: { secret: { type: string, secret: true } } }
    """

  private static let inner = """
    name: inner
    inputs: { pass: { type: string, secret: true } }
    steps:
      show: { run: 'echo "inner $P"', env: { P: "${{ inputs.pass }}" } }
    outputs: { shown: "${{ steps.show.outputs.stdout }}" }
    """

  private static let workflow = #"""
    name: leaks
    secrets:
      token: { env: DEPLOY_TOKEN }
      key: { file: keys/key.pem }
    inputs: { door: { type: string, secret: true } }
    env-file: .env
    steps:
      plain: { run: 'echo "$T"; echo "$K"; echo "$D" >&2; printf "%s" "$T"', env: &all { T: "${{ secrets.token }}", K: "${{ secrets.key }}", D: "${{ inputs.door }}" } }
      whole: { run: 'echo "$K" | base64 -w 0; echo "x$T" | base64; echo "xy$D" | base64 | tr +/ -_', env: *all }
      wrapped: { run: 'echo "$K" | base64; echo "$K" | base64 -w 64', env: *all }
      narrow: { run: 'echo "$K" | base64 -w 24', env: *all, optional: true }
      spread: { run: 'echo "$D" | sed "s/./& /g"', env: *all, optional: true, quiet: true }
      url:
        run: 'python3 -c "import os, urllib.parse as u; [print(q(os.environ[n])) for n in \"TKD\" for q in (u.quote, u.quote_plus, lambda x: u.quote(x, safe=\"\"))]"'
        env: *all
      json: { run: 'python3 -c "import os, json; [print(json.dumps(os.environ[n], ensure_ascii=a)) for n in \"TKD\" for a in (True, False)]"', env: *all }
      fails: { run: 'echo "out $T"; echo "err $K" >&2; exit 3', env: *all, optional: true }
      long: { run: 'python3 -c "import os; print(\"x\" * 65530 + os.environ[\"D\"] + \"y\" * 100)"', env: *all }
      huge: { run: 'python3 -c "import os; print(\"x\" * (524288 - 8) + os.environ[\"D\"] + \"\n\" + \"z\" * 700000 + os.environ[\"D\"] + \"y\" * 524280)"', env: *all, quiet: true }
      retried: { run: 'echo "try $T"; test $FLOWRUN_ATTEMPT = 2', env: *all, retry: { attempts: 2, delay: 1ms } }
      with-env: { uses: shell.run, with: { command: 'echo "with $W"', env: { W: "${{ secrets.token }}" } } }
      inherited: { run: 'echo "inherited [$DEPLOY_TOKEN]"; env' }
      later: { needs: plain, uses: flow.log, with: { message: "logged ${{ steps.plain.outputs.stdout }}" } }
      kept: { needs: plain, uses: flow.set, with: { values: { text: "${{ steps.plain.outputs.stdout }}", literal: "{secret:token}" } } }
      named: { needs: plain, if: "fromJSON(steps.plain.outputs.stdout) == 1", uses: flow.noop, optional: true }
      typed: { needs: plain, uses: flow.sleep, with: { for: "${{ steps.plain.outputs.stdout }}" }, optional: true }
      listed: { needs: plain, foreach: "${{ fromJSON(steps.plain.outputs.stdout) }}", uses: flow.noop, optional: true }
      items: { needs: plain, foreach: [1, 2], run: 'echo "item $T"', env: *all }
      fail: { needs: plain, uses: flow.fail, with: { message: "because of ${{ steps.plain.outputs.stdout }}" }, optional: true }
      says: { uses: leaky.say, with: { secret: "${{ secrets.token }}" }, env: { T: "${{ secrets.key }}" } }
      refuses: { uses: leaky.fail, with: { secret: "${{ inputs.door }}" }, optional: true }
      dies: { uses: leaky.die, with: { secret: "${{ inputs.door }}" }, optional: true, needs: [says, refuses] }
      included: { uses: ./inner.yaml, with: { pass: "${{ secrets.token }}" } }
      last: { run: test -e ok, needs: [plain, kept, says, included] }
    finally:
      tell: { run: 'echo "$F"', env: { F: "${{ toJSON(run.failures) }}" } }
    outputs:
      all: ${{ steps.plain.outputs.stdout }}
      said: ${{ steps.says.outputs.text }}
      literal: ${{ steps.kept.outputs.literal }}
      shown: ${{ steps.included.outputs.shown }}
    """#

  private func planted() throws -> Folder {
    let folder = try Folder([
      "leaks.yaml": Self.workflow, "inner.yaml": Self.inner, "keys/key.pem": Self.key + "\n", "door": Self.door + "\n",
      ".env": "REGION=north\n", "plugins/leaky/plugin.yaml": Self.manifest, "plugins/leaky/plugin.py": Self.plugin,
    ])
    return folder
  }

  @Test func `nothing that flowrun writes contains a secret, and a resume restores secrets`() throws {
    let folder = try planted()
    let check = try folder.flowrun("validate", "leaks.yaml")
    #expect(check.exitCode == 0, "\(check.output)\(check.errors)")
    var texts: [(String, Data)] = []
    func note(_ name: String, _ result: FlowrunProcess.Result) {
      texts += [(name, Data(result.output.utf8)), ("\(name), errors", Data(result.errors.utf8))]
    }
    let run = try folder.flowrun("leaks.yaml", "-i", "door=@door", "--report", "report.json", "--trace", "trace.json")
    note("run", run)
    #expect(run.exitCode == 1)
    // The texts around the secrets must be printed, with the secrets masked.
    for text in [
      "plain: ***", "whole: ***", "fails failed (optional)", "retried: try ***", "with-env: with ***", "inherited []",
      "later: logged ***", "items[1] 2: item ***", "because of ***", "logged ***", "printed ***", "variable ***",
      "failed with ***", "inner ***",
    ] {
      #expect(run.output.contains(text), "\(text): \(run.output)")
    }
    #expect(run.output.contains("[secret-in-output]"))
    let lines = try folder.flowrun("leaks.yaml", "-i", "door=@-", "--json", input: Self.door)
    note("json", lines)
    for line in lines.lines { #expect((try? JSONSerialization.jsonObject(with: Data(line.utf8))) != nil, "\(line)") }
    for words in [["runs"], ["runs", "show", "last"], ["runs", "export", "last"], ["logs", "last"]] {
      note(words.joined(separator: " "), try FlowrunProcess.run(words, in: folder.url.path))
    }
    let missing = try folder.flowrun("resume", "last")
    #expect(missing.exitCode == 64 && missing.errors.contains("-i door=@FILE"), "\(missing)")
    try folder.write("", to: "ok")
    let resumed = try folder.flowrun("resume", "last", "-i", "door=@door", "--report", "resumed.json")
    note("resume", resumed)
    #expect(resumed.exitCode == 0, "\(resumed.output)\(resumed.errors)")
    // A literal that looks like a placeholder must not change.
    #expect(resumed.output.contains("literal: {secret:token}"), "\(resumed.output)")
    let again = try folder.flowrun("resume", "last", "-i", "door=@door", "--from", "later")
    note("resumed again", again)
    #expect(again.output.contains("later: logged ***"), "\(again.output)\(again.errors)")
    for (name, bytes) in texts + (try folder.bytes().map { ($0.name, $0.bytes) }) {
      #expect(Self.found(in: bytes) == [], "\(name)")
    }
    #expect(try folder.bytes().contains { $0.name.hasSuffix("runs.sqlite") })
  }

  @Test func `secrets that are printed with colors do not appear in anything that flowrun writes`() throws {
    let folder = try Folder([
      "colors.yaml": #"""
      name: colors
      secrets: { token: { env: TOKEN } }
      steps:
        grep: { run: 'echo "token=$T" | grep --color=always t0k', env: { T: "${{ secrets.token }}" } }
        reset: { run: "printf '\\033[31mred\\033(B\\033[m \\033]8;;https://a.b\\033\\\\link\\033]8;;\\033\\\\\\033]52;c;aGk=\\007\\n'" }
        back: { run: 'printf "%sX\b%s\n" "${T%????}" "${T#????????}"', env: { T: "${{ secrets.token }}" } }
        over:
          run: 'printf "%s\r%s\n" "${T%??????}" "${T#??????}" >&2; exit 1'
          env: { T: "${{ secrets.token }}" }
          optional: true
        used: { needs: grep, run: 'echo "[${{ steps.grep.outputs.stdout }}]" | cat' }
        fails:
          run: 'echo "token=$T" | grep --color=always t0k >&2; exit 1'
          env: { T: "${{ secrets.token }}" }
          optional: true
      """#
    ])
    let environment = ["TOKEN": "s3cr3t-t0k3n"]
    var texts: [(String, Data)] = []
    func note(_ words: [String]) throws -> FlowrunProcess.Result {
      let result = try FlowrunProcess.run(words, in: folder.url.path, environment: environment)
      texts.append((words.joined(separator: " "), Data((result.output + result.errors).utf8)))
      return result
    }
    let run = try note(["colors.yaml", "--report", "report.json", "--trace", "trace.json"])
    #expect(run.output.contains("grep: token=***") && run.output.contains("reset: red link"), "\(run.output)")
    #expect(run.output.contains("back: ***") && run.output.contains("over: ***"), "\(run.output)")
    let lines = try note(["colors.yaml", "--json", "--report", "report.html"])
    #expect(!lines.output.contains(#"\u001b"#) && lines.output.contains("token=***"), "\(lines.output)")
    for words in [
      ["logs", "last"], ["runs", "export", "last"], ["runs", "show", "last", "--log"], ["logs", "--failed"],
    ] {
      _ = try note(words)
    }
    for (name, bytes) in texts + (try folder.bytes().map { ($0.name, $0.bytes) }) {
      let text = String(decoding: bytes, as: UTF8.self)
      for trace in ["s3cr3t", "t0k3n", "3cr3t-"] { #expect(!text.contains(trace), "\(name): \(trace)") }
      if !name.contains("runs.sqlite") { #expect(!text.contains("\u{1B}"), "\(name)") }
    }
    #expect(try folder.bytes().contains { $0.name.hasSuffix("runs.sqlite") })
  }

  @Test func `secrets that are missing or cannot be hidden stop a run before it begins`() throws {
    func refusal(_ source: String, environment: [String: String] = [:], files: [String: String] = [:]) throws -> String
    {
      let folder = try Folder(files)
      try folder.write(
        "name: n\nsecrets:\n  token: \(source)\nsteps:\n  a: { run: touch ran, env: { T: \"${{ secrets.token }}\" } }\n",
        to: "w.yaml")
      let result = try folder.flowrun("w.yaml", environment: environment)
      let hasRun = FileManager.default.fileExists(atPath: folder.url.path + "/ran")
      #expect(hasRun == (result.exitCode == 0) && (hasRun || result.exitCode == 2), "\(result)")
      return result.errors
    }
    let place = "w.yaml:3:3: error: the secret 'token' "
    #expect(
      try refusal("{ env: NOT_THERE }") == place
        + "is missing: there is no variable NOT_THERE; set NOT_THERE, or write 'required: false'\n")
    #expect(try refusal("{ env: T }", environment: ["T": ""]) == place + "is empty\n")
    #expect(try refusal("{ env: T }", environment: ["T": "abc"]).hasPrefix(place + "has 3 characters, too few"))
    #expect(try refusal("{ env: T }", environment: ["T": "abcd"]) == "")
    #expect(try refusal("{ env: NOT_THERE, required: false }") == "")
    #expect(try refusal("{ file: gone }").hasPrefix(place + "is missing: there is no file"))
    #expect(try refusal("{ file: . }").hasPrefix(place + "cannot be read"))
    #expect(try refusal("{ file: f }", files: ["f": "abc\n"]).hasPrefix(place + "has 3 characters"))
    #expect(try refusal("{ file: f }", files: ["f": "abcd\n"]) == "")
    let edge = String(repeating: "x", count: 64 << 10)
    #expect(try refusal("{ file: f }", files: ["f": edge + "\n"]) == "")
    #expect(try refusal("{ file: f }", files: ["f": edge + "x"]).hasPrefix(place + "has more than 64 KiB"))
    let lines = String(repeating: "abcd\n", count: 1_000)
    #expect(try refusal("{ file: f }", files: ["f": lines]) == "")
    #expect(try refusal("{ file: f }", files: ["f": lines + "abcd"]).hasPrefix(place + "has more than 1000 lines"))
    #expect(try refusal("{ command: [printf, abcd] }") == "")
    #expect(
      try refusal("{ command: [no-such-program-here] }").hasPrefix(place + "is not available: there is no program"))
    #expect(
      try refusal("{ command: [sh, -c, 'echo no >&2; exit 3'] }")
        .hasPrefix(place + "is not available: 'sh' ended with exit status 3: no"))
  }

  @Test func `every part of a secret payload is hidden, and a resume asks for the payload again`() throws {
    let folder = try Folder([
      "tap.json": #"""
      {"aps": {"alert": {"title": "News"}}, "route": "app://product/7?jwt=eyJhbGciOiJub25lIn0&page=2",
       "parameters": {"session": "sess-0815-4711", "from": "mail"}}
      """#,
      "w.yaml": """
      name: tap
      inputs: { payload: { type: string, secret: true } }
      steps:
        launch: { uses: ui.launch, queue: main }
        window: { uses: ui.window, needs: launch, queue: main, with: { tabs: [home] } }
        routes: { uses: router.register, with: { schemes: [app], routes: ["app://product/:id"] } }
        parse: { uses: notification.parse, with: { payload: "${{ inputs.payload }}" } }
        open:
          uses: router.open
          needs: [window, routes, parse]
          queue: main
          with: { url: "${{ steps.parse.outputs.route }}", parameters: "${{ steps.parse.outputs.parameters }}" }
        show: { uses: flow.log, needs: open, with: { message: "${{ toJSON(steps.open.outputs) }}" } }
        last: { run: 'test -e ok', needs: show }
      outputs: { opened: "${{ toJSON(steps.open.outputs.merged) }}" }

      """,
    ])
    let first = try folder.flowrun("w.yaml", "-i", "payload=@tap.json", "--report", "report.json", environment: [:])
    #expect(first.exitCode == 1 && first.output.contains("pending.set ***"), "\(first)")
    let missing = try folder.flowrun("resume", environment: [:])
    #expect(missing.exitCode == 64 && missing.errors.contains("-i payload=@FILE"), "\(missing)")
    try folder.write("", to: "ok")
    let resumed = try folder.flowrun("resume", "-i", "payload=@tap.json", "--json", environment: [:])
    #expect(resumed.exitCode == 0, "\(resumed)")
    let texts = [first, missing, resumed].map { ("output", Data(($0.output + $0.errors).utf8)) }
    for (name, bytes) in texts + (try folder.bytes().map { ($0.name, $0.bytes) }) {
      for trace in ["eyJhbGciOi", "sess-0815"] {
        #expect(bytes.range(of: Data(trace.utf8)) == nil, "\(trace) in \(name)")
      }
    }
  }

  @Test func `variables in an env-file are passed to steps, except those that are the source of a secret`() throws {
    let folder = try Folder([
      ".env": "DEPLOY_TOKEN=from-the-file\nREGION=north\n",
      "w.yaml": """
      name: n
      env-file: .env
      secrets: { token: { env: DEPLOY_TOKEN } }
      steps:
        a: { run: 'echo "[$DEPLOY_TOKEN] [$REGION] $T"', env: { T: "${{ secrets.token }}" } }
      """,
    ])
    let run = try folder.flowrun("w.yaml", environment: [:])
    #expect(run.output.contains("a: [] [north] ***"), "\(run)")
    for (name, bytes) in try folder.bytes() { #expect(bytes.range(of: Data("from-the-file".utf8)) == nil, "\(name)") }
  }

  @Test func `secret inputs are read only from a file or standard input`() throws {
    let folder = try Folder([
      "w.yaml": """
      name: n
      inputs: { token: { type: string, secret: true } }
      steps:
        a: { run: 'echo "${#T} $T"', env: { T: "${{ inputs.token }}" } }
      """, "t": "abcdef\n",
    ])
    let literal = try folder.flowrun("w.yaml", "-i", "token=abcdef")
    #expect(literal.exitCode == 64 && literal.errors.contains("write -i token=@FILE"))
    #expect(!literal.errors.contains("abcd"))
    for result in [
      try folder.flowrun("w.yaml", "-i", "token=@t"), try folder.flowrun("w.yaml", "-i", "token=@-", input: "abcdef\n"),
    ] {
      #expect(result.exitCode == 0 && result.output.contains("a: 6 ***"), "\(result)")
    }
    let short = try folder.flowrun("w.yaml", "-i", "token=@-", input: "abc")
    #expect(short.exitCode == 64 && short.errors.contains("3 characters"), "\(short)")
  }

  @Test func `secrets may change before a resume, but must not be missing`() throws {
    let folder = try Folder([
      "w.yaml": """
      name: n
      secrets: { token: { env: DEPLOY_TOKEN } }
      steps:
        a: { run: 'echo "$T"', env: { T: "${{ secrets.token }}" } }
        b:
          run: 'test -e ok && test "$A" = new-secret && touch same; exit 1'
          needs: a
          env: { A: "${{ steps.a.outputs.stdout }}" }
      """
    ])
    #expect(try folder.flowrun("w.yaml", environment: ["DEPLOY_TOKEN": "old-secret"]).exitCode == 1)
    try folder.write("", to: "ok")
    let changed = try folder.flowrun("resume", environment: ["DEPLOY_TOKEN": "new-secret"])
    #expect(changed.exitCode == 1 && FileManager.default.fileExists(atPath: folder.url.path + "/same"), "\(changed)")
    try folder.write(
      "name: n\nsteps:\n  a: { run: 'echo \"$T\"' }\n  b: { run: 'true', needs: a }\n", to: "w.yaml")
    let gone = try folder.flowrun("resume", "--keep-changed", environment: [:])
    #expect(gone.exitCode == 2 && gone.errors.contains("holds the secret 'token'"), "\(gone)")
  }
}
