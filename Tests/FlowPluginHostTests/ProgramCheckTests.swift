import FlowPluginHost
import FlowSyntax
import Foundation
import Testing

/// Checks of a plugin's program that do not start it.
struct ProgramCheckTests {
  private let folder: String

  init() throws {
    folder = FileManager.default.temporaryDirectory.appending(path: "program-\(UUID().uuidString)/shout").path
    try FileManager.default.createDirectory(atPath: folder + "/tools", withIntermediateDirectories: true)
  }

  private func write(_ file: String, _ text: String = "", mode: Int = 0o644) throws {
    try text.write(toFile: "\(folder)/\(file)", atomically: true, encoding: .utf8)
    try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: "\(folder)/\(file)")
  }

  /// Returns the problem with a manifest that contains this line, without the folder's path. Returns nil if the program
  /// can be started.
  private func problem(_ line: String) throws -> String? {
    try write(
      "plugin.yaml", "name: shout\nversion: 1.0.0\nprotocol: 1\n\(line)\nactions: { shout.text: { summary: Says } }\n")
    let file = try PluginFinder.read(folder).get().programProblem()
    return file.map { DiagnosticReport([$0]).text().replacing(folder + "/", with: "") }
  }

  @Test func `a plugin's program that is missing from PATH is reported, with a similar name as a suggestion`() throws {
    #expect(
      try problem("command: [pyhton3, plugin.py]") == """
        plugin.yaml:4:11: error: there is no program 'pyhton3' in PATH [program-missing]
           |
         4 | command: [pyhton3, plugin.py]
           |           ^^^^^^^
           = help: did you mean 'python3'?

        """)
    #expect(
      try problem("command: [no-such-program-anywhere]")?.contains(
        "help: install it, add its folder to PATH, or write the program's path") == true)
    try write("run.sh", mode: 0o755)
    #expect(
      try problem("command: [run.sh]")?.contains(
        "help: write './run.sh': a program without a slash is looked for in PATH only") == true)
    #expect(try problem("command: [./run.sh]") == nil)
  }

  @Test func `a missing program of an executor is reported at its location in the manifest`() throws {
    let words = "[no-such-program-anywhere, '{worker}']"
    try write(
      "plugin.yaml",
      "name: shout\nversion: 1.0.0\nprotocol: 1\nexecutor:\n  places: [cat, '{value}']\n  command: \(words)\n")
    let file = try #require(try PluginFinder.read(folder).get().programProblem())
    let text = DiagnosticReport([file]).text()
    #expect(text.contains("plugin.yaml:6:13: error: there is no program 'no-such-program-anywhere'"), "\(text)")
  }

  @Test func `a missing plugin script is reported at its location, with a similar file as a suggestion`() throws {
    try write("plugin.py")
    #expect(try problem("command: [python3, plugin.py]") == nil)
    #expect(try problem("command: [python3, -m, plugin]") == nil)
    #expect(
      try problem("command: [python3, plugn.py]") == """
        plugin.yaml:4:20: error: the program 'plugn.py' is not in the plugin's folder [program-missing]
           |
         4 | command: [python3, plugn.py]
           |                    ^^^^^^^^
           = help: did you mean 'plugin.py'?

        """)
    #expect(try problem("command: [sh, tools]")?.contains("error: the program 'tools' is a folder") == true)
    #expect(
      try problem("command: [sh, elsewhere.sh]")?.contains("help: there are plugin.py, plugin.yaml") == true)
  }

  @Test func `a plugin's program that is not executable is reported with a remedy`() throws {
    try write("tools/run", "#!/bin/sh\n")
    #expect(try problem("command: [tools/run]")?.contains("the program 'tools/run' is not executable") == true)
    try write("tools/run", "#!/bin/sh\n", mode: 0o755)
    #expect(try problem("command: [tools/run]") == nil)
    #expect(try problem("command: [tools/rum]")?.contains("help: did you mean 'tools/run'?") == true)
    try write("tools/run", "#!/usr/bin/pythn\n", mode: 0o755)
    #expect(
      try problem("command: [tools/run]")?.contains(
        "the first line of 'tools/run' names the interpreter '/usr/bin/pythn', which does not exist") == true)
    try write("tools/run", "#!/usr/bin/env pyhton3\n", mode: 0o755)
    let text = try problem("command: [tools/run]") ?? ""
    #expect(text.contains("names the interpreter 'pyhton3', which is not in PATH"), "\(text)")
    #expect(text.contains("help: did you mean 'python3'?"))
  }

  @Test func `a missing Swift source of a plugin is reported with a similar file as a suggestion`() throws {
    try write("main.swift")
    #expect(try problem("source: main.swift") == nil)
    #expect(
      try problem("source: mian.swift") == """
        plugin.yaml:4:9: error: the source 'mian.swift' is not in the plugin's folder [program-missing]
           |
         4 | source: mian.swift
           |         ^^^^^^^^^^
           = help: did you mean 'main.swift'?

        """)
  }
}
