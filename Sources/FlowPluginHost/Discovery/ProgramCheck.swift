import FlowDiagnostics
import FlowSyntax
import FlowSystem

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// Checks that a manifest's program exists and is executable. It only inspects files and does not start the program.
struct ProgramCheck {
  /// The plugin's folder, which is also the program's working folder.
  let folder: String
  /// The folders in `PATH`.
  let searchPath: [String]

  /// A problem with advice, and the word of the command that causes it. The message is a sentence without a period.
  struct ProgramProblem {
    /// The index of the command's word that causes the problem.
    var word = 0
    var message: String
    var help: String
  }

  /// The interpreters whose first argument is the path of a script.
  private static let interpreters = ["python", "sh", "bash", "dash", "zsh", "node", "ruby", "perl", "php", "lua"]

  init(folder: String) {
    self.folder = folder
    searchPath = (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":").map(String.init)
  }

  /// Returns the first problem, or nil if the program can be started.
  func problem(with program: PluginManifest.Program) -> ProgramProblem? {
    switch program {
    case .source(let entry): sourceProblem(entry)
    case .command(let words): commandProblem(words[0]) ?? scriptProblem(words)
    }
  }

  private func sourceProblem(_ entry: String) -> ProgramProblem? {
    if !isFile(entry) { return missingFile(entry, word: 0, what: "the source") }
    if inSearchPath("swiftc") { return nil }
    return ProgramProblem(
      message: "the plugin is Swift source, and there is no 'swiftc' in PATH to compile it",
      help: "install the Swift toolchain, or add its folder to PATH")
  }

  private func commandProblem(_ program: String) -> ProgramProblem? {
    if program.utf8.contains(UInt8(ascii: "/")) {
      if !isFile(program) { return missingFile(program, word: 0, what: "the program") }
      if access(absolute(program), X_OK) == 0 { return firstLineProblem(program) }
      return ProgramProblem(
        message: "the program '\(program)' is not executable",
        help: "make it executable with 'chmod +x \(absolute(program))', or name its interpreter: [sh, \(program)]")
    }
    if inSearchPath(program) { return nil }
    let help =
      if isFile(program) {
        "write './\(program)': a program without a slash is looked for in PATH only"
      } else {
        NearestName.question(program, among: searchPath.flatMap(programs))
          ?? "install it, add its folder to PATH, or write the program's path"
      }
    return ProgramProblem(message: "there is no program '\(program)' in PATH", help: help)
  }

  /// Returns the problem if the interpreter named after `#!` does not exist, or nil. The system would misleadingly
  /// report that the program itself does not exist.
  private func firstLineProblem(_ program: String) -> ProgramProblem? {
    guard let line = firstLine(of: program), line.hasPrefix("#!") else { return nil }
    let words = line.dropFirst(2).split(separator: " ").map(String.init)
    guard let interpreter = words.first else { return nil }
    if access(interpreter, X_OK) != 0 {
      return ProgramProblem(
        message: "the first line of '\(program)' names the interpreter '\(interpreter)', which does not exist",
        help: "write '#!/usr/bin/env' and the interpreter's name")
    }
    guard interpreter.hasSuffix("/env"), words.count == 2, !inSearchPath(words[1]) else { return nil }
    return ProgramProblem(
      message: "the first line of '\(program)' names the interpreter '\(words[1])', which is not in PATH",
      help: NearestName.question(words[1], among: searchPath.flatMap(programs)) ?? "install it")
  }

  private func firstLine(of path: String) -> Substring? {
    let file = Descriptor(open(absolute(path), O_RDONLY | O_CLOEXEC | O_NONBLOCK))
    return withUnsafeTemporaryAllocation(byteCount: 256, alignment: 1) { buffer in
      guard case .bytes(let count) = file.receive(into: buffer) else { return nil }
      return String(decoding: buffer.prefix(count), as: UTF8.self).split(whereSeparator: \.isNewline).first
    }
  }

  /// Returns the problem if the command is an interpreter followed by a script that does not exist, or nil.
  private func scriptProblem(_ words: [String]) -> ProgramProblem? {
    let name = FilePath.parts(of: words[0]).last.map(String.init) ?? words[0]
    let isInterpreter = Self.interpreters.contains {
      name.hasPrefix($0) && name.dropFirst($0.count).allSatisfy(isVersion)
    }
    guard isInterpreter, words.count > 1, !words[1].hasPrefix("-"), !isFile(words[1]) else { return nil }
    return missingFile(words[1], word: 1, what: "the program")
  }

  private func isVersion(_ character: Character) -> Bool { character.isNumber || character == "." }

  private func missingFile(_ path: String, word: Int, what: String) -> ProgramProblem {
    let parent = path.utf8.lastIndex(of: UInt8(ascii: "/")).map { String(path[..<path.utf8.index(after: $0)]) } ?? ""
    let files = names(in: absolute(parent.isEmpty ? "." : parent)).map { parent + $0 }.filter(isFile)
    let isThere = access(absolute(path), F_OK) == 0
    return ProgramProblem(
      word: word,
      message: isThere ? "\(what) '\(path)' is a folder" : "\(what) '\(path)' is not in the plugin's folder",
      help: NearestName.question(path, among: files)
        ?? (files.isEmpty ? "write the file, or its path" : "there are \(files.prefix(8).joined(separator: ", "))"))
  }

  private func absolute(_ path: String) -> String { FilePath.isAbsolute(path) ? path : "\(folder)/\(path)" }

  private func isFile(_ path: String) -> Bool {
    var status = stat()
    return stat(absolute(path), &status) == 0 && status.st_mode & S_IFMT == S_IFREG
  }

  private func inSearchPath(_ program: String) -> Bool {
    searchPath.contains { access("\($0)/\(program)", X_OK) == 0 }
  }

  private func programs(in folder: String) -> [String] {
    names(in: folder).filter { access("\(folder)/\($0)", X_OK) == 0 }
  }

  private func names(in folder: String) -> [String] {
    ((try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []).sorted()
  }
}

extension InstalledPlugin {
  /// Returns the reason why the program cannot be started, with its position in the manifest, for example because the
  /// program does not exist or is not executable.
  ///
  /// Returns nil if it can be started or if the plugin has no manifest file. Each call inspects the files again.
  /// Nothing is started.
  package func programProblem() -> DiagnosticReport.File? {
    guard let text, let problem = ProgramCheck(folder: folder).problem(with: manifest.program) else { return nil }
    let span = text.programSpans[min(problem.word, text.programSpans.count - 1)]
    return DiagnosticReport.File(
      source: text.source,
      diagnostics: [Diagnostic(.programMissing, problem.message, at: span, help: problem.help)])
  }
}
