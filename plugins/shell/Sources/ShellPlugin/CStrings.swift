#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// Texts as C wants them: pointers to their bytes, nil last; freed with the object.
// Nothing is written after `init`, and C only reads through the pointers: sharing it is safe.
final class CStrings: @unchecked Sendable {
  /// Valid as long as the object lives.
  let pointers: UnsafeBufferPointer<UnsafeMutablePointer<CChar>?>

  init(_ texts: [String]) {
    let copies = UnsafeMutableBufferPointer<UnsafeMutablePointer<CChar>?>.allocate(capacity: texts.count + 1)
    copies.initialize(repeating: nil)
    for (index, text) in texts.enumerated() { copies[index] = strdup(text) }
    pointers = UnsafeBufferPointer(copies)
  }

  deinit {
    for pointer in pointers { free(pointer) }
    pointers.deallocate()
  }
}
