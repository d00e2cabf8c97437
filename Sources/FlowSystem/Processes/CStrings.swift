/// An array of C strings that ends with nil. It is freed with the object.
// Proof of safety: nothing is written after `init`, C only reads through the pointers, and they are freed in `deinit`.
package final class CStrings: @unchecked Sendable {
  /// The pointers, valid as long as the object lives.
  package let pointers: UnsafeBufferPointer<UnsafeMutablePointer<CChar>?>
  /// The owner of the last strings, or nil.
  private let base: CStrings?
  private let ownCount: Int

  /// Creates an array with copies of the texts.
  package init(_ texts: [String]) {
    let copies = UnsafeMutableBufferPointer<UnsafeMutablePointer<CChar>?>.allocate(capacity: texts.count + 1)
    copies.initialize(repeating: nil)
    for (index, text) in texts.enumerated() { copies[index] = strdup(text) }
    pointers = UnsafeBufferPointer(copies)
    base = nil
    ownCount = texts.count
  }

  /// Creates an environment: `NAME=value`, sorted by name.
  package convenience init(environment: [String: String]) {
    self.init(environment.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" })
  }

  /// Creates an environment with variables in addition to another one, whose strings are not copied, because there may
  /// be thousands of commands.
  package init(environment: [String: String], over base: CStrings) {
    let texts = UnsafeMutableBufferPointer<UnsafeMutablePointer<CChar>?>
      .allocate(capacity: environment.count + base.pointers.count)
    texts.initialize(repeating: nil)
    var nameLengths: [Int] = []
    for (index, (name, value)) in environment.enumerated() {
      texts[index] = strdup("\(name)=\(value)")
      nameLengths.append(name.utf8.count)
    }
    var end = environment.count
    for text in base.pointers.dropLast() {
      guard let text else { continue }
      let isStated = nameLengths.indices.contains { index in
        texts[index].map { strncmp($0, text, nameLengths[index] + 1) == 0 } ?? false
      }
      if isStated { continue }
      texts[end] = text
      end += 1
    }
    pointers = UnsafeBufferPointer(texts)
    self.base = base
    ownCount = environment.count
  }

  deinit {
    for pointer in pointers.prefix(ownCount) { free(pointer) }
    pointers.deallocate()
  }
}
