extension Cell {
  /// Adds a write (M3–M5, M8, M9). Returns false if the cell already contains it (M4).
  ///
  /// - The write's state replaces every entry that its author had seen and every older entry of the same device, even
  ///   outside the window.
  /// - Its fields are merged even if its state is outside the window and therefore dropped.
  ///
  /// `check` is the checksum of the write as sent by its author. It differs from that of `write` if the stamps were
  /// changed later.
  @discardableResult
  package mutating func apply(_ write: Write, check: UInt32? = nil, windowMilliseconds: Int64) -> Bool {
    guard !context.covers(write.dot) else { return false }
    context.observe(
      .init(dot: write.dot, check: check ?? write.check, day: UInt32(clamping: write.milliseconds / 86_400_000)))
    let incarnation = write.record?.incarnation ?? 0
    if incarnation > 0, !isRecord { setOrigin(incarnation) }
    if incarnation > content.incarnation { beginIncarnation(incarnation) }
    // Writes of an earlier incarnation are ignored.
    if incarnation < content.incarnation { return true }
    if let record = write.record { content.apply(record, of: write) }
    if let payload = write.payload {
      put(payload, of: write)
      context.formUnion(write.context)
      horizonMilliseconds = max(horizonMilliseconds, write.milliseconds)
    }
    if !write.fields.isEmpty {
      fields = RecordField.merged(
        fields, write.fields.map { RecordField(name: $0.name, stamp: write.stamp, value: $0.value) })
    }
    dropOutdated(windowMilliseconds: windowMilliseconds)
    return true
  }

  private mutating func put(_ payload: [UInt8], of write: Write) {
    let device = write.dot.device
    var sawEverything = true
    entries.removeAll { entry in
      if entry.dot.device == device || write.context.covers(entry.dot) { return true }
      sawEverything = false
      return false
    }
    let entry = StateEntry(
      dot: write.dot, milliseconds: write.milliseconds, counter: write.counter, sawEverything: sawEverything,
      payload: payload)
    entries.insert(entry, at: entries.firstIndex { $0.dot.device > device } ?? entries.endIndex)
  }
}
