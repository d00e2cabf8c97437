import FlowModel
import Synchronization

/// Creates an action's inputs from values. A run may do this 100,000 times per second.
///
/// The first call reads the fields and their offsets from the type's metadata.
package final class InputMaker<Input: ActionInput>: Sendable {
  private final class Layout: Sendable {
    let fields: [(name: String, offset: Int)]
    /// True if two values of the type share a field, so that calls would receive each other's inputs.
    let sharesFields: Bool

    init() {
      let fields = InputField.all(of: Input.self)
      self.fields = fields.map { ($0.name, $0.offset) }
      let one = Input()
      let other = Input()
      sharesFields = withUnsafeBytes(of: one) { one in
        withUnsafeBytes(of: other) { other in
          fields.contains {
            $0.type.slot(at: one.baseAddress! + $0.offset) === $0.type.slot(at: other.baseAddress! + $0.offset)
          }
        }
      }
    }
  }

  private let layout = AtomicLazyReference<Layout>()

  /// Creates a maker. Its first call reads the fields of the type.
  package init() {}

  /// Creates inputs from values. Throws a ``TypeMismatch`` if a value is missing or has the wrong type, and an
  /// ``ActionError`` if two calls to `Input()` return the same fields.
  package func make(_ values: ValueObject) throws -> Input {
    let layout = layout.load() ?? layout.storeIfNil(Layout())
    if layout.sharesFields {
      throw ActionError(
        "shared-inputs",
        "'\(Input.self)()' returns fields that it returned before; calls would get each other's inputs",
        isRetryable: false)
    }
    let input = Input()
    try withUnsafeBytes(of: input) { bytes in
      for field in layout.fields {
        let address = bytes.load(fromByteOffset: field.offset, as: UnsafeRawPointer.self)
        // Proof of safety: `Layout` has the offset of a `Field` from the metadata of exactly this type. A field starts
        // with the reference to its slot, and `input` keeps the slot alive until the closure ends.
        let slot = unsafeBitCast(address, to: FieldSlot.self)
        try slot.set(values[field.name], name: field.name)
      }
    }
    return input
  }
}
