/// Everything an app needs to run workflows that were compiled when it was built. ``FlowKitYAML`` adds support for YAML
/// files.
///
/// ```swift
/// let engine = Engine(plugins: [BasicsPlugin()])
/// let graph = try WorkflowGraph(compiled: bytes)
/// var options = RunOptions(dataFolder: folder, workflowFolder: resources)
/// options.acceptsEvents = true
/// let run = try engine.start(graph, options: options)
/// let gate = await run.gate
/// ```
@_exported import FlowCompiled
@_exported import FlowDiagnostics
@_exported import FlowEngine
@_exported import FlowModel
@_exported import FlowPluginKit
@_exported import FlowSecrets
