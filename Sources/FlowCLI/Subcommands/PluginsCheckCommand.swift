import ArgumentParser
import FlowCommandKit
import FlowPluginHost
import FlowSyntax
import FlowSystem

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// `flowrun plugins check DIR` runs the conformance tests for a plugin.
struct PluginsCheckCommand: Subcommand {
  static let configuration = CommandConfiguration(
    commandName: "check", abstract: "Checks a plugin: its manifest, its program and its cases.",
    discussion: """
      The cases are in the plugin's cases.jsonl, one per line: {"action": …, "with": {…}, "outputs": {…}} or \
      {"action": …, "with": {…}, "error": "code"}. Relative paths that an action reads start at the plugin's folder; \
      those that it writes, at an empty folder. Exit code 1 when a rule is broken, 2 when the manifest or the \
      cases cannot be read.
      """)

  @Argument(help: ArgumentHelp("The plugin's folder, or the name of a built-in plugin.", valueName: "FOLDER"))
  var folder: String

  func perform() async throws {
    let scratch = FileManager.default.temporaryDirectory.appending(path: "flowrun-check-\(UUID().uuidString)").path
    try? FileManager.default.createDirectory(atPath: scratch, withIntermediateDirectories: true)
    let passesAllChecks: Bool
    if !FilePath.exists(folder), let plugin = BuiltInPlugins.all.first(where: { type(of: $0).name == folder }) {
      passesAllChecks = await check(PluginConformance(plugin, in: scratch))
      if passesAllChecks { StandardOutput.write("\(folder) passes all checks\n") }
    } else {
      passesAllChecks = try await checkFolder(scratch)
    }
    try? FileManager.default.removeItem(atPath: scratch)
    (passesAllChecks ? ExitStatus.success : .failure).exit()
  }

  private func checkFolder(_ scratch: String) async throws -> Bool {
    let plugin: InstalledPlugin
    switch PluginFinder.read(FilePath.absolute(folder)) {
    case .success(let read): plugin = read
    case .failure(let problem): throw InvalidWorkflow(description: problem.description)
    }
    if let problem = plugin.programProblem() {
      throw InvalidWorkflow(
        description: DiagnosticReport([problem]).text(usesColor: StandardOutput.errorAllowsColor))
    }
    if plugin.manifest.executor != nil, plugin.manifest.actions.isEmpty {
      // An executor does not answer calls, so it is not tested further. The paths of its programs have been checked
      // together with the manifest.
      let name = "\(plugin.name) \(plugin.manifest.version)"
      StandardOutput.write("\(name) passes all checks: an executor, for --on \(plugin.name)=…\n")
      return true
    }
    let cases = try readCases(of: plugin)
    let host = PluginHost()
    let passesAllChecks = await check(
      PluginConformance(plugin, on: host, cases: cases, in: scratch))
    await host.close()
    if cases.isEmpty {
      StandardOutput.write(
        "note   no case calls it: write calls with their expected results to \(caseFile(of: plugin))\n")
    }
    if passesAllChecks { StandardOutput.write("\(plugin.name) \(plugin.manifest.version) passes all checks\n") }
    return passesAllChecks
  }

  /// Checks all rules and prints the results. Returns true if the plugin meets all of them.
  private func check(_ suite: PluginConformance) async -> Bool {
    var passesAllChecks = true
    for rule in PluginConformance.Rule.allCases {
      let findings = await suite.check(rule)
      report(rule, findings)
      passesAllChecks = passesAllChecks && findings.isEmpty
      // The other rules call the program, which is impossible if it does not start.
      if rule == .start, !findings.isEmpty { break }
    }
    return passesAllChecks
  }

  private func caseFile(of plugin: InstalledPlugin) -> String { plugin.folder + "/cases.jsonl" }

  private func readCases(of plugin: InstalledPlugin) throws -> [PluginCase] {
    guard let data = FileManager.default.contents(atPath: caseFile(of: plugin)) else { return [] }
    do throws(PluginCase.CaseProblem) {
      return try PluginCase.read(String(decoding: data, as: UTF8.self))
    } catch {
      throw InvalidWorkflow(description: "\(caseFile(of: plugin)):\(error.line): error: \(error.message)\n")
    }
  }

  private func report(_ rule: PluginConformance.Rule, _ findings: [PluginConformance.Finding]) {
    let style = TextStyle(isColored: StandardOutput.allowsColor)
    guard !findings.isEmpty else { return StandardOutput.write("\(style.green("ok"))     \(rule.title)\n") }
    var text = "\(style.red("broken")) \(rule.title) [\(rule.rawValue)]\n"
    for finding in findings { text += "       \(finding.place): \(finding.message)\n" }
    StandardOutput.write(text + "       = help: \(rule.remedy)\n")
  }
}
