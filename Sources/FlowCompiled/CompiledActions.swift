import FlowModel

/// The declarations of a plugin's actions in compiled form, for plugins whose interface was read when the app was
/// built.
public struct CompiledActions: Sendable {
  /// The declarations.
  public let declarations: [ActionDeclaration]

  /// Creates compiled actions from declarations.
  public init(_ declarations: [ActionDeclaration]) { self.declarations = declarations }

  /// Reads declarations from ``bytes``. Throws if they are damaged or have another version of the format.
  public init(_ bytes: [UInt8]) throws(CompiledWorkflowError) {
    var reader = try CompiledReader(bytes)
    declarations = try [ActionDeclaration](from: &reader)
    try reader.finish()
  }

  /// The encoded declarations.
  package var bytes: [UInt8] {
    var writer = CompiledWriter()
    declarations.write(to: &writer)
    return writer.finished()
  }
}
