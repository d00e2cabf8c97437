import FlowModel
import Synchronization

/// Makes an action's inputs from values, a hundred thousand times a second.
///
/// The fields and their offsets are read from the type's metadata on the first call.
package final class InputMaker<Input: ActionInput>: Sendable {
  private final class Layout: Sendable {
    let fields: [(name: String, offset: Int)]
    /// True if two values of the type have a field in common, so that calls would get each other's inputs.
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

  /// Makes a maker that has not read the fields yet.
  package init() {}

  /// Makes inputs from values. Throws a ``TypeMismatch`` if one is missing or does not fit, and an ``ActionError`` if
  /// `Input()` returns fields that it returned before.
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
        // Proof of safety: `Layout` has the offset of a `Field` from the metadata of this very type, a field begins with the
        // reference to its slot, and `input` keeps the slot alive until the closure ends.
        let slot = unsafeBitCast(address, to: FieldSlot.self)
        try slot.set(values[field.name], name: field.name)
      }
    }
    return input
  }
}
