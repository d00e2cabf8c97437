/// A stored property of a struct, read from the runtime's metadata.
///
/// `Mirror` reads the same metadata, but first searches all conformances of the program for one to `CustomReflectable`.
/// That search took 14 % of the instructions of a launch, once for each type of inputs or outputs.
struct StoredProperty {
  /// The declared name. The name of a wrapped property starts with an underscore.
  var label: String
  var type: Any.Type
  /// The offset in the struct, in bytes.
  var offset: Int

  /// Returns the stored properties of a struct in the order of their declaration. `type` must be a struct.
  static func all(of type: Any.Type) -> [StoredProperty] {
    precondition(metadataKind(type) == structKind, "'\(type)' is not a struct, as inputs and outputs must be")
    return (0..<propertyCount(type)).map { index in
      var description = PropertyDescription()
      let propertyType = propertyType(type, index: index, description: &description)
      // Proof of safety: the runtime sets `name` to text that ends with a zero byte and is valid until `free` is
      // called.
      let label = description.name.map { String(cString: $0) } ?? ""
      description.free?(description.name)
      return StoredProperty(label: label, type: propertyType, offset: propertyOffset(type, index: index))
    }
  }
}

/// The metadata kind of structs, which is a part of Swift's stable binary interface (MetadataKind.def).
private let structKind: UInt = 0x200

/// The runtime's description of a property: `_FieldReflectionMetadata` of the standard library.
private struct PropertyDescription {
  var name: UnsafePointer<CChar>?
  var free: (@convention(c) (UnsafePointer<CChar>?) -> Void)?
  var isStrong = false
  var isVariable = false
}

// The functions behind `Mirror` and `_forEachField`, exported by the standard library on Linux and on Apple's
// platforms.
@_silgen_name("swift_getMetadataKind")
private func metadataKind(_ type: Any.Type) -> UInt

@_silgen_name("swift_reflectionMirror_recursiveCount")
private func propertyCount(_ type: Any.Type) -> Int

@_silgen_name("swift_reflectionMirror_recursiveChildMetadata")
private func propertyType(
  _ type: Any.Type, index: Int, description: UnsafeMutablePointer<PropertyDescription>
) -> Any.Type

@_silgen_name("swift_reflectionMirror_recursiveChildOffset")
private func propertyOffset(_ type: Any.Type, index: Int) -> Int
