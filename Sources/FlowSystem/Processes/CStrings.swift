/// Texts as C wants them: pointers to their bytes, nil last; freed with the object.
// Proof of safety: nothing is written after `init`, C only reads through the pointers, and they are freed in `deinit`.
package final class CStrings: @unchecked Sendable {
  /// Valid as long as the object lives.
  package let pointers: UnsafeBufferPointer<UnsafeMutablePointer<CChar>?>
  /// Whose texts the last of these are.
  private let base: CStrings?
  private let ownCount: Int

  /// Copies the texts.
  package init(_ texts: [String]) {
    let copies = UnsafeMutableBufferPointer<UnsafeMutablePointer<CChar>?>.allocate(capacity: texts.count + 1)
    copies.initialize(repeating: nil)
    for (index, text) in texts.enumerated() { copies[index] = strdup(text) }
    pointers = UnsafeBufferPointer(copies)
    base = nil
    ownCount = texts.count
  }

  /// An environment: `NAME=value`, sorted by name.
  package convenience init(environment: [String: String]) {
    self.init(environment.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" })
  }

  /// An environment with variables on top of another, whose texts are not copied: a command may come by the thousand.
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
