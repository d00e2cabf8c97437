extension HybridLogicalClock {
  package func pack(into packer: inout Packer) {
    packer.unsigned(UInt64(milliseconds))
    packer.unsigned(UInt64(counter))
  }

  /// Reads a clock written by `pack(into:)`.
  package init(from reader: inout Unpacker) throws(PackingError) {
    let milliseconds = try reader.number("the clock")
    let counter = UInt32(try reader.number("the clock's counter", in: 0...Int64(UInt32.max)))
    self.init(milliseconds: milliseconds, counter: counter)
  }
}
