import FlowBytes

extension Write {
  /// A checksum that distinguishes this write from another write with the same number, for example one from a copy of
  /// the device's file. It is never 0. Once the write is sealed, later changes by a clock or the arbiter do not alter
  /// it.
  package var check: UInt32 { seal == 0 ? contentCheck : seal }

  /// Returns this write with its current checksum stored, so that later changes do not alter it.
  package func sealed() -> Write {
    var result = self
    result.seal = contentCheck
    return result
  }

  /// The FNV-1a hash of the user's action.
  private var contentCheck: UInt32 {
    var hash = FNV1a64()
    hash.add(UInt64(bitPattern: dot.number))
    hash.add(UInt64(bitPattern: milliseconds))
    hash.add(UInt64(counter))
    hash.add(payload.map { UInt64($0.count) + 1 } ?? 0)
    hash.add(payload ?? [])
    for change in fields {
      hash.add(UInt64(change.name.utf8.count))
      hash.add(change.name.utf8)
      hash.add(UInt64(change.value.count))
      hash.add(change.value)
    }
    if incarnation != 0 { hash.add(incarnation) }
    if let record {
      var packer = Packer()
      record.pack(into: &packer)
      hash.add(packer.bytes)
    }
    return max(1, UInt32(truncatingIfNeeded: hash.value ^ (hash.value >> 32)))
  }

  /// Returns this write with another time.
  package func restamped(_ stamp: Stamp) -> Write {
    var result = self
    result.stamp = stamp
    return result
  }

  /// Returns this write with its time corrected by `difference` after the clock has been measured. It stays later than
  /// the stamp that its author had seen.
  package func shifted(byMilliseconds difference: Int64) -> Write {
    let time = min(max(milliseconds + difference, 0), Stamp.latestMilliseconds)
    let stamp = Stamp(milliseconds: time, counter: counter, device: dot.device)
    return restamped(seen.map { stamp.raised(above: $0) } ?? stamp)
  }
}
