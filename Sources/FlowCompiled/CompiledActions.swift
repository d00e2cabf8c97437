import FlowModel

/// The declarations of a plugin's actions in the form of a compiled workflow, for plugins whose interface was read when the
/// app was built.
public struct CompiledActions: Sendable {
  /// The declarations.
  public let declarations: [ActionDeclaration]

  /// These declarations.
  public init(_ declarations: [ActionDeclaration]) { self.declarations = declarations }

  /// Reads what ``bytes`` gave. Damaged bytes, or those of another version of the format, are an error.
  public init(_ bytes: [UInt8]) throws(CompiledWorkflowError) {
    var reader = try CompiledReader(bytes)
    declarations = try [ActionDeclaration](from: &reader)
    try reader.finish()
  }

  /// The declarations as bytes.
  public var bytes: [UInt8] {
    var writer = CompiledWriter()
    declarations.write(to: &writer)
    return writer.finished()
  }
}
