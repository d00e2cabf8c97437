extension UnsafeMutablePointer<dirent> {
  /// The name of an entry returned by `readdir`, as a null-terminated string. It is valid until the next entry is read.
  ///
  /// The name is accessed by its offset, because `d_name` is a tuple, with 1,024 elements on Apple's systems. Compiling
  /// code that copies or measures such a tuple takes 20 s.
  package var name: UnsafePointer<CChar> {
    (UnsafeRawPointer(self) + offsetOfName).assumingMemoryBound(to: CChar.self)
  }
}

private let offsetOfName = MemoryLayout<dirent>.offset(of: \.d_name)!
