// Modules that use processes also need files, threads and the machine.
@_exported import FlowPlatform
