import FlowModel
import FlowPluginKit
import FlowSyntax
import Foundation
import TestSupport
import Testing

@testable import FlowCLI

/// The committed interfaces of built-in plugins must match the code. The build plugin checks an app's workflows with
/// them. `RECORD_SNAPSHOTS=1` writes them.
struct PluginInterfaceTests {
  private static let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent()

  private static func file(of plugin: String) throws -> String {
    let sources = root.appendingPathComponent("plugins/\(plugin)/Sources")
    let folder = try #require(
      FileManager.default.contentsOfDirectory(atPath: sources.path).first { $0.hasSuffix("Plugin") })
    return sources.appendingPathComponent("\(folder)/\(plugin).plugin.yaml").path
  }

  @Test(arguments: BuiltInPlugins.all.map { type(of: $0).name })
  func `the committed interface of a built-in plugin matches its code`(_ name: String) throws {
    let plugin = try #require(BuiltInPlugins.all.first { type(of: $0).name == name })
    let registry = ActionRegistry([plugin])
    let file = try Self.file(of: name)
    if ProcessInfo.processInfo.environment["RECORD_SNAPSHOTS"] != nil {
      try Self.text(of: name, registry).write(toFile: file, atomically: true, encoding: .utf8)
    }
    let result = PluginInterfaceLoader().load(
      bytes: [UInt8](try Data(contentsOf: URL(fileURLWithPath: file))), file: file)
    #expect(result.diagnostics.isEmpty, "\(result.diagnostics)")
    let interface = try #require(result.interface)
    #expect(interface.name == name && interface.handles == registry.runHandles)
    #expect(interface.actions == registry.declarations)
  }

  @Test(arguments: BuiltInPlugins.all.map { type(of: $0).name })
  func `an old name in a built-in plugin is unused and refers to an existing name`(_ name: String) throws {
    let plugin = try #require(BuiltInPlugins.all.first { type(of: $0).name == name })
    let registry = ActionRegistry(BuiltInPlugins.all)
    for (old, new) in plugin.details.movedNames {
      #expect(old.hasPrefix(name + ".") && registry.action(named: old) == nil && registry.newName(of: old) == new)
      let parts = new.split(separator: ".")
      let action = try #require(registry.declaration(named: parts.prefix(2).joined(separator: ".")), "\(new)")
      let members = (action.inputs + action.outputs).map(\.name)
      #expect(parts.count == 2 || members.contains(String(parts[2])), "\(new)")
    }
  }

  /// Returns the interface as YAML. Each part is a line, with its value as JSON.
  private static func text(of plugin: String, _ registry: ActionRegistry) -> String {
    var text =
      "# The interface of the plugin '\(plugin)', for workflows that are checked while an app is built. Made from the\n"
    text += "# code: RECORD_SNAPSHOTS=1 with FlowCLITests.PluginInterfaceTests.\nname: \(plugin)\n"
    if !registry.runHandles.isEmpty {
      text += "handles: \(json(.array(registry.runHandles.map { .string($0.name) })))\n"
    }
    text += "actions:\n"
    for action in registry.declarations {
      text += "  \(action.name):\n    summary: \(json(.string(action.summary)))\n"
      for (key, fields) in [("inputs", action.inputs), ("outputs", action.outputs)] where !fields.isEmpty {
        text += "    \(key):\n"
        for field in fields { text += "      \(field.name): \(json(.object(field.declaration)))\n" }
      }
      if !action.events.isEmpty { text += "    events: \(json(.array(action.events.map { .string($0) })))\n" }
      for (key, holds) in [
        ("service", action.isService), ("protected-data", action.needsProtectedData), ("portable", action.isPortable),
      ] where holds {
        text += "    \(key): true\n"
      }
      if !action.errors.isEmpty {
        text += "    errors:\n"
        for error in action.errors {
          let members: ValueObject = ["summary": .string(error.summary), "retryable": .boolean(error.isRetryable)]
          text += "      \(error.code): \(json(.object(members)))\n"
        }
      }
      text += "    example: \(json(.string(action.example)))\n"
      let inProcess = inProcess(action)
      if !inProcess.isEmpty { text += "    in-process: \(json(.object(inProcess)))\n" }
    }
    return text
  }

  private static func inProcess(_ action: ActionDeclaration) -> ValueObject {
    var members = ValueObject()
    if !action.provides.isEmpty { members["provides"] = .array(action.provides.map { .string($0.name) }) }
    if !action.requires.isEmpty { members["requires"] = .array(action.requires.map { .string($0.name) }) }
    if action.effect != .durable { members["effect"] = .string(action.effect.rawValue) }
    members["outputs-from"] = action.outputsFromInput.map { .string($0) }
    members["fields-from"] = action.outputFieldsFromInput.map { .string($0) }
    members["event-from"] = action.eventFromInput.map { .string($0) }
    members["shell-text"] = action.shellTextInput.map { .string($0) }
    members["calls"] = action.calls.map {
      ["event": .string($0.event), "action": .string($0.action), "inputs": .string($0.inputs)]
    }
    if !action.eventValues.isEmpty {
      members["event-values"] = .object(ValueObject(action.eventValues.map { ($0.name, .object($0.declaration)) }))
    }
    if !action.follows.isEmpty { members["follows"] = .array(action.follows.map { .string($0) }) }
    if action.source != .run { members["source"] = .string(action.source.rawValue) }
    let refusing = action.inputs.filter(\.refusesNull)
    if !refusing.isEmpty { members["refuses-null"] = .array(refusing.map { .string($0.name) }) }
    if action.outputLimitBytes != Limits.outputBytes { members["output-limit"] = .integer(action.outputLimitBytes) }
    return members
  }

  private static func json(_ value: Value) -> String { JSONText.write(value) }
}
