/// Everything that an app needs to run workflows that were compiled when the app was built. ``FlowKitYAML`` adds
/// support for YAML files.
///
/// ```swift
/// let engine = Engine(plugins: [BasicsPlugin()])
/// let graph = try WorkflowGraph(compiled: bytes)
/// var options = RunOptions(dataFolder: folder, workflowFolder: resources)
/// options.acceptsEvents = true
/// let run = try engine.start(graph, options: options)
/// let gate = await run.gate
/// ```
///
/// It exports the part of the plugin kit that apps use. To implement interfaces of plugins for devices, such as
/// `UserInterface` and `KeyValueStore`, import `FlowPluginKit`.
@_exported import FlowCompiled
@_exported import FlowDiagnostics
@_exported import FlowEngine
@_exported import FlowModel
@_exported import FlowSecrets
@_exported import enum FlowPluginKit.LogLevel
@_exported import enum FlowPluginKit.LogStream
@_exported import protocol FlowPluginKit.Action
@_exported import protocol FlowPluginKit.ActionInput
@_exported import protocol FlowPluginKit.ActionOutput
@_exported import protocol FlowPluginKit.ActionType
@_exported import protocol FlowPluginKit.AsyncAction
@_exported import protocol FlowPluginKit.ColumnValue
@_exported import protocol FlowPluginKit.EventName
@_exported import protocol FlowPluginKit.FieldObject
@_exported import protocol FlowPluginKit.FieldWord
@_exported import protocol FlowPluginKit.Plugin
@_exported import protocol FlowPluginKit.StepService
@_exported import struct FlowPluginKit.ActionContext
@_exported import struct FlowPluginKit.ActionDetails
@_exported import struct FlowPluginKit.ActionError
@_exported import struct FlowPluginKit.Answer
@_exported import struct FlowPluginKit.ColumnType
@_exported import struct FlowPluginKit.DataPath
@_exported import struct FlowPluginKit.Field
@_exported import struct FlowPluginKit.NoInput
@_exported import struct FlowPluginKit.NoOutput
@_exported import struct FlowPluginKit.PluginDetails
@_exported import struct FlowPluginKit.PluginHandle
@_exported import struct FlowPluginKit.Question
@_exported import struct FlowPluginKit.RegisteredAction
@_exported import struct FlowPluginKit.RunInformation
