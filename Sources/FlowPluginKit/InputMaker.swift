import FlowModel
import Synchronization

/// Makes an action's inputs from values, like ``ActionInput/init(values:)``, a hundred thousand times a second.
///
/// The offset of each field in the struct is computed on the first call, by the layout rule of Swift's structs (each
/// property at the next address that its type allows), and checked against reflection: each offset must contain the
/// field's own slot. If a check fails, all inputs are made by reflection.
package final class InputMaker<Input: ActionInput>: Sendable {
  private struct Field: Sendable {
    var name: String
    var offset: Int
  }

  /// The fields of the struct, or none if their offsets could not be verified.
  private final class Layout: Sendable {
    let fields: [Field]?
    init(_ fields: [Field]?) { self.fields = fields }
  }

  private let layout = AtomicLazyReference<Layout>()

  /// Makes a maker that has not computed the offsets yet.
  package init() {}

  /// Makes inputs from values. Throws a ``TypeMismatch`` if one is missing or does not fit.
  package func make(_ values: ValueObject) throws -> Input {
    let layout = layout.load() ?? layout.storeIfNil(Layout(Self.findFields()))
    guard let fields = layout.fields else { return try Input(values: values) }
    let input = Input()
    try withUnsafeBytes(of: input) { bytes in
      for field in fields {
        let address = bytes.load(fromByteOffset: field.offset, as: UnsafeRawPointer.self)
        // Proof of safety: `findFields` saw the reference to a slot at this offset of this very type, and `input` keeps the
        // slot alive until the closure ends.
        let slot = unsafeBitCast(address, to: FieldSlot.self)
        try slot.set(values[field.name], name: field.name)
      }
    }
    return input
  }

  private static func findFields() -> [Field]? {
    let input = Input()
    let children = Array(Mirror(reflecting: input).children)
    if Input.sharesFields(input, Input()) { return nil }
    var fields: [Field] = []
    var end = 0
    let isKnown = withUnsafeBytes(of: input) { bytes in
      children.allSatisfy { child in
        guard let field = child.value as? any AnyField, let label = child.label else { return false }
        let layout = type(of: field).layout
        let offset = (end + layout.alignment - 1) / layout.alignment * layout.alignment
        end = offset + layout.size
        let slot = UInt(bitPattern: ObjectIdentifier(field.anySlot))
        guard end <= bytes.count, bytes.load(fromByteOffset: offset, as: UInt.self) == slot else { return false }
        fields.append(Field(name: String(label.dropFirst()).kebabCase, offset: offset))
        return true
      }
    }
    return isKnown ? fields : nil
  }
}
