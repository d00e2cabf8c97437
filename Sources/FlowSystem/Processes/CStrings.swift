/// An array of C strings that ends with nil. The strings are freed together with the object.
// Proof of safety: nothing is written after `init`, C only reads through the pointers, and they are freed in `deinit`.
package final class CStrings: @unchecked Sendable {
  /// The pointers to the strings. They are valid as long as the object exists.
  package let pointers: UnsafeBufferPointer<UnsafeMutablePointer<CChar>?>
  /// The object that owns the strings at the end of the array, or nil if this object owns all strings.
  private let base: CStrings?
  private let ownCount: Int

  /// Creates an array that owns copies of all strings.
  package init(_ texts: [String]) {
    let copies = UnsafeMutableBufferPointer<UnsafeMutablePointer<CChar>?>.allocate(capacity: texts.count + 1)
    copies.initialize(repeating: nil)
    for (index, text) in texts.enumerated() { copies[index] = strdup(text) }
    pointers = UnsafeBufferPointer(copies)
    base = nil
    ownCount = texts.count
  }

  /// Creates an environment whose entries have the form `NAME=value` and are sorted by name.
  package convenience init(environment: [String: String]) {
    self.init(environment.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" })
  }

  /// Creates an environment that adds variables to another one. The strings of the other environment are not copied,
  /// because there may be thousands of commands.
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
