/// A section of `index.bin` as an array, read from the mapped file without copying.
///
/// It is valid only as long as the `TableIndex` that created it. Every table with such an array therefore retains its
/// index.
// Proof of safety: `base` points to read-only memory that lives as long as the owner of the array retains the
// `TableIndex`, and the subscript checks `count`, so any thread may read it.
struct MappedArray<Element: BitwiseCopyable & Sendable>: @unchecked Sendable {
  /// The address of the first element in the mapped file.
  let base: UnsafePointer<Element>
  let count: Int

  /// Returns the element at `index`. Traps outside the array.
  @inline(__always)
  subscript(_ index: Int) -> Element {
    precondition(UInt(bitPattern: index) < UInt(bitPattern: count))
    return base[index]
  }
}
