import FlowModel
import Synchronization

/// Makes an action's inputs of values, as ``ActionInput/init(values:)`` does, a hundred thousand times a second.
///
/// Where each field is in the struct is found once, on the first call, by the layout rule of Swift's structs (each
/// property at the next address that its type can have), and checked against what reflection sees: each field must hold
/// the very slot there. Where that does not hold, the inputs are made by reflection, every time.
package final class InputMaker<Input: ActionInput>: Sendable {
  private struct Field: Sendable {
    var name: String
    var offset: Int
  }

  /// The fields of the struct, or none where they were not found.
  private final class Layout: Sendable {
    let fields: [Field]?
    init(_ fields: [Field]?) { self.fields = fields }
  }

  private let layout = AtomicLazyReference<Layout>()

  /// A maker that has not found the fields yet.
  package init() {}

  /// The inputs with these values; throws a ``TypeMismatch`` where one is missing or does not fit.
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
