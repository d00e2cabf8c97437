// Who works with processes has the rest of the system, too.
@_exported import FlowPlatform
