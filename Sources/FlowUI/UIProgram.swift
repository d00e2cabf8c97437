#if Network
  import FlowSystem

  /// Programs in the same folder as this one.
  package enum UIProgram {
    /// The path of `flowrun`, which runs workflows.
    package static var flowrun: String { FilePath.folder(of: OwnProgram.path) + "/flowrun" }
  }
#endif
