import FlowModel
import FlowTestKit
import FlowSystem
import Foundation
import TestSupport
import Testing

@testable import FlowExecutors

/// Copies files to and from workers that do not share the workflow's folder.
@Suite(.serialized, .timeLimit(.minutes(10))) struct FilesTests {
  private let folder = FileManager.default.temporaryDirectory.path + "/flowrun-files-test-\(UUID().uuidString)"
  /// The folder in which workers create their folders.
  private var scratch: String { "\(folder)-scratch" }

  init() throws { try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true) }

  private func remove() throws {
    try FileManager.default.removeItem(atPath: folder)
    try? FileManager.default.removeItem(atPath: scratch)
  }

  private func write(_ text: String, to name: String = "flow.yaml", executable: Bool = false) throws {
    let path = "\(folder)/\(name)"
    try FileManager.default.createDirectory(
      atPath: FilePath.folder(of: path), withIntermediateDirectories: true)
    try text.write(toFile: path, atomically: true, encoding: .utf8)
    if executable { chmod(path, 0o755) }
  }

  private func read(_ name: String) -> String? { try? String(contentsOfFile: "\(folder)/\(name)", encoding: .utf8) }

  /// Returns the options for workers with their own files. `worker` is the name of a program that starts the worker in
  /// place of flowrun.
  private func on(_ count: Int = 1, worker: String? = nil) -> [String] {
    ["--on", "workers=\(count),files=copy,scratch=\(scratch)" + (worker.map { ",worker=\(folder)/\($0)" } ?? "")]
  }

  private func run(_ arguments: String..., on: [String]? = nil) throws -> FlowrunProcess.Result {
    try FlowrunProcess.run(["flow.yaml"] + (on ?? self.on()) + arguments, in: folder)
  }

  /// Writes a file of bytes that cannot be compressed.
  private func writeNoise(_ count: Int, to name: String) throws {
    var numbers = SeededGenerator(seed: name.utf8.reduce(7) { $0 &* 31 &+ UInt64($1) })
    let bytes = (0..<count / 8).flatMap { _ in withUnsafeBytes(of: numbers.next()) { Array($0) } }
    try Data(bytes).write(to: URL(fileURLWithPath: "\(folder)/\(name)"))
  }

  private var left: [String] { FilePath.names(in: scratch) ?? [] }

  @Test func `a worker receives only the files that a step reads, and the step's products are copied back`() throws {
    try write(
      #"""
      name: there
      steps:
        make:
          run: |
            [ "$PWD" != '\#(folder)' ] && [ ! -e other.txt ] && [ ! -e flow.yaml ]
            [ -x tool ] && [ ! -s empty ] && [ "$(readlink data/newest)" = 'a b.txt' ]
            ./tool "data/newest" > out/deep/result; chmod 750 out/deep/result; ln -s result out/deep/link; : > out/nothing
            touch left-behind
          inputs-from: [tool, empty, data/*]
          produces: [out/deep/*, out/nothing]
      """#)
    try write("#!/bin/sh\ntr a-z A-Z < \"$1\"\n", to: "tool", executable: true)
    try write("", to: "empty")
    try write("hello", to: "data/a b.txt")
    try write("new\nline", to: "data/with\nbreak")
    try write("secret", to: "other.txt")
    symlink("a b.txt", "\(folder)/data/newest")
    let result = try run()
    #expect(result.exitCode == 0, "\(result)")
    #expect(read("out/deep/result") == "HELLO")
    var status = stat()
    #expect(stat("\(folder)/out/deep/result", &status) == 0 && status.st_mode & 0o777 == 0o750)
    #expect(try FileManager.default.destinationOfSymbolicLink(atPath: "\(folder)/out/deep/link") == "result")
    #expect(read("out/nothing") == "")
    #expect(read("left-behind") == nil)
    #expect(left == [])
    // Products that were copied back are up to date, like those of local steps.
    let again = try run()
    #expect(again.output.contains("skipped: up-to-date"), "\(again)")
    try remove()
  }

  @Test func `each item of a step has its own folder on a worker, and several items may read the same file`() throws {
    try write(
      #"""
      name: items
      steps:
        each:
          foreach: { files: "raw/*.txt" }
          inputs-from: ["${{ item.path }}", common]
          produces: ["clean/${{ item.stem }}.out"]
          run: 'cat common "$FILE" > "clean/$STEM.out"; ls raw | wc -l >> "clean/$STEM.out"'
          env: { FILE: "${{ item.path }}", STEM: "${{ item.stem }}" }
        all:
          needs: each
          inputs-from: ["clean/*.out"]
          produces: [all]
          run: cat clean/* > all
      """#)
    try write(String(repeating: "c", count: 100_000) + "\n", to: "common")
    for name in ["a", "b", "c"] { try write("\(name)\n", to: "raw/\(name).txt") }
    #expect(try run(on: on(2)).exitCode == 0)
    #expect(read("clean/b.out") == String(repeating: "c", count: 100_000) + "\nb\n1\n")
    try write("B\n", to: "raw/b.txt")
    let again = try run("--report", "report.json", on: on(2))
    #expect(again.exitCode == 0 && again.output.contains("2 of 3 items are up to date"), "\(again)")
    #expect(read("all")?.split(separator: "\n").filter { $0.count == 1 } == ["a", "1", "B", "1", "c", "1"])
    try remove()
  }

  @Test func `a step of an included file runs in that file's folder`() throws {
    try write("name: outer\nsteps: { part: { uses: ./part/inner.yaml } }\n")
    try write(
      """
      name: inner
      steps: { a: { run: 'cat in > deep/out', with: { cwd: . }, inputs-from: [in], produces: [deep/out] } }
      """, to: "part/inner.yaml")
    try write("in\n", to: "part/in")
    let result = try run()
    #expect(result.exitCode == 0, "\(result)")
    #expect(read("part/deep/out") == "in\n")
    try remove()
  }

  @Test(arguments: ["shared", "copy"])
  func `after a file changes, only its item of an included workflow runs again`(files: String) throws {
    try write(
      """
      name: outer
      steps:
        left: { uses: ./part/inner.yaml, with: { from: left } }
        right: { uses: ./part/inner.yaml, with: { from: right } }
      """)
    try write(
      #"""
      name: inner
      inputs: { from: { type: string } }
      steps:
        each:
          foreach: { files: "${{ inputs.from }}/*.txt" }
          inputs-from: ["${{ item.path }}"]
          produces: ["out/${{ inputs.from }}/${{ item.name }}"]
          run: 'mkdir -p "out/$FROM"; cp "$FILE" "out/$FROM"; echo "made $FILE"'
          env: { FILE: "${{ item.path }}", FROM: "${{ inputs.from }}" }
      """#, to: "part/inner.yaml")
    for name in ["left/a", "left/b", "right/a", "right/b"] { try write(name, to: "part/\(name).txt") }
    let on = ["--on", "workers=2,files=\(files)" + (files == "copy" ? ",scratch=\(scratch)" : "")]
    #expect(try run(on: on).exitCode == 0)
    #expect(read("part/out/right/b.txt") == "right/b")
    try write("new", to: "part/left/b.txt")
    let again = try run(on: on)
    #expect(again.exitCode == 0 && read("part/out/left/b.txt") == "new", "\(again)")
    let made = again.output.components(separatedBy: "made ").dropFirst().map { $0.prefix { $0 != "\n" } }
    #expect(made == ["left/b.txt"], "\(again)")
    try remove()
  }

  @Test func `changes to files that a remote step only reads are reported and not copied back`() throws {
    try write(
      """
      name: deletes
      steps: { a: { run: 'rm one two; echo more >> three', inputs-from: [one, two, three] } }
      """)
    for name in ["one", "two", "three"] { try write(name, to: name) }
    let result = try run("--report", "report.json")
    #expect(result.exitCode == 0)
    #expect(read("one") == "one" && read("three") == "three")
    #expect(result.output.contains("step 'a' deleted 'one' and 1 other file on its worker"), "\(result)")
    #expect(read("report.json")?.contains("step 'a' changed 'three' on its worker") == true)
    try remove()
  }

  @Test func `paths outside the workflow's folder are refused before a file is sent or replaced`() throws {
    try write("name: x\nsteps: { a: { run: 'true', inputs-from: [link] } }\n")
    symlink("/etc/passwd", "\(folder)/link")
    #expect(try run().output.contains("'link' is a link to '/etc/passwd', which is outside of the workflow's folder"))
    try write("name: x\nsteps: { a: { run: 'true', inputs-from: ['dir/a'], produces: ['dir/../../b'] } }\n")
    #expect(
      try FlowrunProcess.run(["validate", "flow.yaml"] + on(), in: folder).output
        .contains("a  here: 'produces' names 'dir/../../b', which is outside of the workflow's folder"))
    try write("name: x\nsteps: { a: { run: 'ln -s /etc/passwd out; echo new > old', produces: [out, old] } }\n")
    try write("old", to: "old")
    let result = try run()
    #expect(result.exitCode == 1 && result.output.contains("[file-outside]"), "\(result)")
    #expect(read("old") == "old")
    try write("name: x\nsteps: { a: { run: 'echo x > real; ln -s real out', produces: [out] } }\n")
    #expect(try run().output.contains("'produces' leads to 'real' through a link; name it under 'produces', too"))
    try write("name: x\nsteps: { a: { run: 'mkdir -p out/in', produces: [out] } }\n")
    #expect(try run().output.contains("'produces' names 'out', which is a folder"))
    try remove()
  }

  @Test func `a file larger than 1 GiB is refused, and so is a file name that is not UTF-8`() throws {
    #expect(throws: Never.self) { try write("x", to: "big") }
    truncate("\(folder)/big", 1 << 30 + 1)
    #expect {
      _ = try FileListing.entries(["big"], in: folder, key: "inputs-from") { _, _ in "" }
    } throws: { "\($0)".contains("'big' has 1073741825 bytes; files of at most 1 GiB travel to workers") }
    let name: [CChar] = "\(folder)/odd-".utf8.map { CChar(bitPattern: $0) } + [CChar(bitPattern: 0xFF), 0]
    close(open(name, O_CREAT | O_WRONLY, 0o600))
    #expect {
      _ = try FileListing.entries(["odd*"], in: folder, key: "inputs-from") { _, _ in "" }
    } throws: { "\($0)".contains("is not UTF-8") }
    try remove()
  }

  @Test func `a file that changes during its transfer causes an error`() throws {
    try writeNoise(300_000, to: "noise")
    let entries = try FileListing.entries(["noise"], in: folder, key: "inputs-from") { path, _ in
      SHA256.digest(ofFile: path)
    }
    var reader = ContentReader(entries, in: folder)
    _ = try reader.next(100_000)
    let file = try #require(FileHandle(forWritingAtPath: "\(folder)/noise"))
    try file.seek(toOffset: 200_000)
    try file.write(contentsOf: Data("changed".utf8))
    _ = try reader.next(100_000)
    #expect { _ = try reader.next(100_000) } throws: { "\($0)".contains("'noise' changed during its transfer") }
    var longer = ContentReader(entries, in: folder)
    truncate("\(folder)/noise", 300_001)
    #expect { _ = try longer.next(400_000) } throws: { "\($0)".contains("'noise' changed") }
    try remove()
  }

  @Test func `invalid options for copying files are refused`() throws {
    try write("name: x\nsteps: { a: { run: 'true' } }\n")
    let wrong = try run(on: ["--on", "workers=1,files=cpy"])
    #expect(wrong.exitCode == 64 && wrong.errors.contains("write 'files=copy'"), "\(wrong)")
    #expect(try run(on: ["--on", "workers=1,scratch=/tmp"]).errors.contains("'scratch' is for 'files=copy' alone"))
    #expect(try run(on: ["--on", "ssh=x,files=1"]).exitCode == 64)
    try remove()
  }

  /// Creates a worker program whose connection is cut or blocked after some bytes in one direction. Only the first
  /// worker is affected.
  private func writeTransport(_ program: String) throws {
    try write(
      """
      #!/bin/bash
      if mkdir '\(folder)/first' 2> /dev/null; then
        \(program)
      fi
      exec '\(FlowrunProcess.path)' "$@"

      """, to: "transport", executable: true)
  }

  private func writeCopy() throws {
    try write("name: x\nsteps: { a: { run: 'cp noise out', inputs-from: [noise], produces: [out] } }\n")
    try writeNoise(1_000_000, to: "noise")
    try write("old", to: "out")
  }

  /// A command that passes on the first 500,000 bytes as they arrive.
  private static let some = "dd bs=64k count=500000 iflag=count_bytes status=none"

  @Test(arguments: ["\(some) | FLOWRUN; exit 1", "FLOWRUN | \(some); exit 1"])
  func `a step runs again if its worker is lost during a transfer`(transport: String) throws {
    try writeCopy()
    try writeTransport(transport.replacing("FLOWRUN", with: "'\(FlowrunProcess.path)' \"$@\""))
    let result = try run(on: on(worker: "transport"))
    #expect(result.exitCode == 0, "\(result)")
    #expect(try Data(contentsOf: URL(fileURLWithPath: "\(folder)/out")).count == 1_000_000)
    #expect(within(seconds: 20) { left == [] }, "\(left)")
    try remove()
  }

  @Test(arguments: [SIGKILL, SIGINT], [true, false])
  func `existing files stay unchanged if flowrun ends during a transfer`(_ signal: Int32, isOnWayBack: Bool) throws {
    try writeCopy()
    let held = "\(Self.some); echo > '\(folder)/held'; sleep 60"
    try writeTransport(
      "(\(isOnWayBack ? "cat" : held)) | '\(FlowrunProcess.path)' \"$@\" | (\(isOnWayBack ? held : "cat")); exit 1")
    let process = try FlowrunProcess(["flow.yaml"] + on(worker: "transport"), in: folder)
    #expect(within(seconds: 30) { read("held") != nil })
    process.send(signal)
    let result = process.result(limitSeconds: 30)
    #expect(result.exitCode == (signal == SIGKILL ? 137 : 130), "\(result)")
    #expect(read("out") == "old")
    // The next worker removes the files that the killed one has left.
    #expect(try run().exitCode == 0)
    #expect(left == [])
    #expect(FilePath.names(in: "\(folder)/.flowrun/x/arriving") == [])
    try remove()
  }

  @Test func `a worker that cannot write a file fails the step and reports the reason`() throws {
    try writeCopy()
    try write(
      "#!/bin/bash\ntrap '' XFSZ\nulimit -f 200\nexec '\(FlowrunProcess.path)' \"$@\"\n", to: "transport",
      executable: true)
    let result = try run(on: on(worker: "transport"))
    #expect(result.exitCode == 1)
    #expect(
      result.output.contains("worker 1 of workers: 'noise' cannot be written: File too large [file-transfer]"),
      "\(result)")
    #expect(read("out") == "old" && left == [])
    try remove()
  }

  @Test func `the files of a killed process are removed by the next process on the same machine`() throws {
    let killed = "\(scratch)/flowrun-files-killed"
    try FileManager.default.createDirectory(atPath: "\(killed)/1/deep", withIntermediateDirectories: true)
    try Data().write(to: URL(fileURLWithPath: killed + ".lock"))
    chmod(killed + ".lock", 0o600)
    let living = try ScratchFolder(in: scratch, prefix: "flowrun-files-")
    #expect(!FileManager.default.fileExists(atPath: killed))
    let other = try ScratchFolder(in: scratch, prefix: "flowrun-files-")
    #expect(FileManager.default.fileExists(atPath: living.path))
    other.remove()
    living.remove()
    #expect(left == [])
    try remove()
  }

  private static let covered: [(String, String, Bool)] = [
    ("a/b", "a/b", true), ("a/*", "a/b", true), ("a/*", "a/.b", false), ("a/*", "a/b/c", false), ("**", "a/b/c", true),
    ("a/**", "a/b/c", true), ("a/**", "b", false), ("a/**/*.c", "a/x/y/z.c", true), ("a/**/*.c", "a/z.c", true),
    ("**/c", "a/.b/c", false), ("*", "a/b", false), ("./a", "a", true), ("/a", "a", false),
  ]

  @Test(arguments: covered)
  func `a file pattern covers a path only if the whole path matches`(pattern: String, path: String, isCovered: Bool) {
    #expect(FilePattern(pattern).covers(path) == isCovered)
  }

  private static let zeros = Value.string(String(repeating: "0", count: 64))
  private static let wrongEntries: [Value] = [
    .array(["../x", 1, zeros, 420]), .array(["/x", "y"]), .array(["a/../b", "y"]), .array(["a", "../b"]),
    .array(["a", "/b"]), .array(["a", 5, "zz", 420]), .array(["", "b"]), .array(["a", -1, zeros, 420]),
    .array(["a", 1, zeros, 2541]),
    // In Swift, a slash and a combining mark after it form one character. For the system, it is still a slash.
    .array(["a", "/\u{338}b"]), .array(["a", "..\u{2F}\u{338}b"]), .array(["..\u{2F}\u{338}x", 1, zeros, 420]),
    .array(["a/..\u{2F}\u{338}..\u{2F}\u{338}x", "y"]),
  ]

  @Test(arguments: wrongEntries)
  func `invalid entries of a file transfer, such as paths outside the folder, are refused`(_ entry: Value) {
    #expect(throws: (any Error).self) { try TransferEntry(entry) }
  }

  @Test func `file names that other file systems treat as equal are reported`() throws {
    func text(_ paths: String...) -> String? { paths.map { TransferEntry($0, .link("x")) }.lookAlikes }
    #expect(text("a/b", "a/c", "b") == nil)
    #expect(text("x", "a/B", "a/b") == "'a/B' and 'a/b' are one file where file systems ignore case")
    let composed = "caf\u{E9}", decomposed = "cafe\u{301}"
    #expect(
      text(composed, decomposed)
        == "'\(composed)' and '\(decomposed)' are one file where file systems ignore Unicode normalization")
  }

  @Test func `blocks of a copied file are decoded exactly, and damaged ones cause an error`() throws {
    let contents: [[UInt8]] = [
      [], [7], [UInt8](repeating: 0, count: TransferBlock.bytes), (0..<5000).map { UInt8($0 % 251) },
    ]
    for content in contents {
      #expect(try TransferBlock.content(TransferBlock.members(content)) == content)
    }
    #expect(TransferBlock.members([UInt8](repeating: 0, count: 1000))["packed"]?.stringValue?.count ?? 0 < 100)
    let damaged: [ValueObject] = [
      [:], ["plain": "*"], ["packed": "AAAA", "bytes": 3], ["packed": "AAAA", "bytes": 1_000_000_000],
    ]
    for members in damaged {
      #expect(throws: (any Error).self) { try TransferBlock.content(members) }
    }
  }
}
