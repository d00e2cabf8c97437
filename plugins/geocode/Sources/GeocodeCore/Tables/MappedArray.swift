/// A section of `index.bin` as an array: read where the file is mapped, never copied.
///
/// It is valid as long as the `TableIndex` that gave it, which every table that keeps one keeps too.
// Proof of safety: `base` points to read-only memory that lives as long as its owner keeps the `TableIndex`, and the subscript
// checks `count`, so any thread may read it.
struct MappedArray<Element: BitwiseCopyable & Sendable>: @unchecked Sendable {
  /// The first element.
  let base: UnsafePointer<Element>
  /// How many there are.
  let count: Int

  /// One element; traps outside the array.
  @inline(__always)
  subscript(_ index: Int) -> Element {
    precondition(UInt(bitPattern: index) < UInt(bitPattern: count))
    return base[index]
  }
}
