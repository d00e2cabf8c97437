/// Texts as C wants them: pointers to their bytes, nil last; freed with the object.
// Nothing is written after `init`, and C only reads through the pointers: sharing it is safe.
package final class CStrings: @unchecked Sendable {
  /// Valid as long as the object lives.
  package let pointers: UnsafeBufferPointer<UnsafeMutablePointer<CChar>?>

  /// Copies the texts.
  package init(_ texts: [String]) {
    let copies = UnsafeMutableBufferPointer<UnsafeMutablePointer<CChar>?>.allocate(capacity: texts.count + 1)
    copies.initialize(repeating: nil)
    for (index, text) in texts.enumerated() { copies[index] = strdup(text) }
    pointers = UnsafeBufferPointer(copies)
  }

  /// An environment: `NAME=value`, sorted by name.
  package convenience init(environment: [String: String]) {
    self.init(environment.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" })
  }

  deinit {
    for pointer in pointers { free(pointer) }
    pointers.deallocate()
  }
}
