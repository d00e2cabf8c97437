#if Network
  import FlowSystem

  /// Finds programs in the same folder as this one.
  package enum UIProgram {
    /// The path of the `flowrun` program, which runs workflows.
    package static var flowrun: String { FilePath.folder(of: OwnProgram.path) + "/flowrun" }
  }
#endif
