// Modules that work with processes also need the rest of the system.
@_exported import FlowPlatform
