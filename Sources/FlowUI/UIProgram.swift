#if Network
  import FlowSystem

  /// Programs next to this one.
  package enum UIProgram {
    /// The `flowrun` that runs workflows.
    package static var flowrun: String { FilePath.folder(of: OwnProgram.path) + "/flowrun" }
  }
#endif
