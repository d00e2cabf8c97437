import FlowPlatform

/// The memory-mapped bytes of one table. Only the parts in use are read, and the memory belongs to the page cache.
///
/// The file must not change while it is mapped. Installed tables are replaced by new files and never changed.
final class TableFile: Sendable {
  /// The file's name without its folder, for error messages.
  let name: String
  // Proof of safety: the mapping is read-only, is made in `init` and ends in `deinit`, so any thread may read it.
  nonisolated(unsafe) let bytes: UnsafeRawBufferPointer

  /// Maps the file at `folder/name`.
  ///
  /// - Throws: `TableError.unreadable` with the system's reason, or `TableError.corrupt` if the file is empty.
  init(name: String, in folder: String) throws(TableError) {
    self.name = name
    let path = folder + "/" + name
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { throw .unreadable(path: path, reason: String(cString: strerror(errno))) }
    defer { close(descriptor) }
    var status = stat()
    guard fstat(descriptor, &status) == 0 else {
      throw .unreadable(path: path, reason: String(cString: strerror(errno)))
    }
    guard status.st_size > 0 else { throw .corrupt(file: name, line: 1, problem: "the file is empty") }
    let size = Int(status.st_size)
    #if canImport(Glibc) || canImport(Musl)
      let flags = MAP_PRIVATE | MAP_POPULATE
    #else
      let flags = MAP_PRIVATE
    #endif
    guard let address = mmap(nil, size, PROT_READ, flags, descriptor, 0), address != MAP_FAILED else {
      throw .unreadable(path: path, reason: String(cString: strerror(errno)))
    }
    bytes = UnsafeRawBufferPointer(start: address, count: size)
  }

  deinit {
    munmap(UnsafeMutableRawPointer(mutating: bytes.baseAddress!), bytes.count)
  }

  /// Returns the number of the line, from 1, that contains the byte at `offset`.
  func line(at offset: Int) -> Int {
    bytes.prefix(max(0, offset)).count { $0 == UInt8(ascii: "\n") } + 1
  }

  /// Verifies the size and the checksums of the file.
  ///
  /// - Throws: `TableError.corrupt`. For a text table, it contains a line: the one where the shorter of both sizes
  ///   ends, the first one that is invalid, or else the first one of the damaged block.
  func verify(_ entry: TableManifest.FileChecksums, isText: Bool) throws(TableError) {
    guard bytes.count == entry.byteCount else {
      let line = isText ? line(at: min(bytes.count, entry.byteCount)) : nil
      throw .corrupt(
        file: name, line: line, problem: "\(bytes.count) bytes where the manifest says \(entry.byteCount)")
    }
    for (block, expected) in entry.checksums.enumerated() {
      let start = block * TableManifest.blockSize
      let end = min(bytes.count, start + TableManifest.blockSize)
      guard TableManifest.checksum(UnsafeRawBufferPointer(rebasing: bytes[start..<end])) != expected else { continue }
      if isText, let broken = brokenRow(in: start..<end) {
        throw .corrupt(file: name, line: line(at: broken.offset), problem: broken.problem)
      }
      let place = isText ? "between this line and line \(line(at: end - 1))" : "between bytes \(start) and \(end)"
      throw .corrupt(
        file: name, line: isText ? line(at: start) : nil,
        problem: "a byte \(place) has changed since the table was made")
    }
  }

  /// Returns the first invalid row in a damaged block, so that the error can contain its line. Returns nil if all rows
  /// have a valid form.
  private func brokenRow(in block: Range<Int>) -> (offset: Int, problem: String)? {
    let rows = bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
    let columns = rows[0].count { $0 == UInt8(ascii: "\t") } + 1
    for row in rows where row.endIndex >= block.lowerBound && row.startIndex < block.upperBound {
      // The text after the last newline is not a row.
      if row.isEmpty, row.startIndex == bytes.count { break }
      let found = row.count { $0 == UInt8(ascii: "\t") } + 1
      if found != columns { return (row.startIndex, "\(found) columns where the first line has \(columns)") }
      if let odd = row.firstIndex(where: { $0 < 0x20 && $0 != 9 }) { return (odd, "a control character") }
      if String(validating: row, as: UTF8.self) == nil { return (row.startIndex, "the row is not valid UTF-8") }
    }
    return nil
  }
}
