import FlowModel

/// The declarations of a plugin's actions in compiled form. Apps use them for plugins whose interface was read when the
/// app was built.
public struct CompiledActions: Sendable {
  /// The declarations of the plugin's actions.
  public let declarations: [ActionDeclaration]

  /// Creates the compiled form of declarations.
  public init(_ declarations: [ActionDeclaration]) { self.declarations = declarations }

  /// Reads declarations from bytes. Throws if the bytes are not in compiled form, are damaged, or have another version
  /// of the format.
  public init(_ bytes: [UInt8]) throws(CompiledWorkflowError) {
    var reader = try CompiledReader(bytes)
    declarations = try [ActionDeclaration](from: &reader)
    try reader.finish()
  }

  /// The declarations in compiled form.
  package var bytes: [UInt8] {
    var writer = CompiledWriter()
    declarations.write(to: &writer)
    return writer.finished()
  }
}
