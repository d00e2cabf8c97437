extension UnsafeMutablePointer<dirent> {
  /// The name of an entry that `readdir` returned, up to a zero; valid until the folder is read again.
  ///
  /// It is found by its offset: `d_name` is a tuple, on Apple's systems of 1,024 elements, and code that copies or measures
  /// the tuple takes the compiler 20 s.
  package var name: UnsafePointer<CChar> {
    (UnsafeRawPointer(self) + offsetOfName).assumingMemoryBound(to: CChar.self)
  }
}

private let offsetOfName = MemoryLayout<dirent>.offset(of: \.d_name)!
