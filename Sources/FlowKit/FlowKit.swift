/// Everything an app needs to load workflows and run them.
///
/// ```swift
/// let engine = Engine(plugins: [BasicsPlugin()])
/// let graph = try engine.load("workflows/launch.yaml")
/// var options = RunOptions(dataFolder: folder, workflowFolder: "workflows")
/// options.acceptsEvents = true
/// let run = try engine.start(graph, options: options)
/// let gate = await run.gate
/// ```
@_exported import FlowDiagnostics
@_exported import FlowEngine
@_exported import FlowModel
@_exported import FlowPluginKit
@_exported import FlowSyntax
