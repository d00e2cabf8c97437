import SyncCore

/// A change that the server has not acknowledged.
///
/// It is removed once it is acknowledged, discarded or unnecessary, for example because the zone has forgotten the
/// record that it deletes. If it cannot succeed, it is parked, so no change is lost silently (V20).
package struct OutboxItem: Hashable, Sendable {
  /// The position in the outbox. Changes are sent in the order of their positions.
  package var position: Int64
  package var key: RecordKey
  package var change: RecordOperation.Change
  /// The time when the change was made, in milliseconds since 1970 on the device's clock.
  package var queuedMilliseconds: Int64
  /// The server's clock minus the device's clock, as known when the change was stamped.
  package var skewMilliseconds: Int64
  /// True if ``skewMilliseconds`` had been measured. The stamp is then on the server's clock (M2).
  package var isStampMeasured: Bool
  /// True if the change may have reached the server. It is then never modified, and later actions become separate
  /// items.
  package var wasSent: Bool
  /// The reason why the change is parked, or nil if it is waiting to be sent.
  package var parkedBecause: String?
  /// The number of the change's transaction, or nil. The items of a transaction are consecutive and sent together.
  package var group: Int64?

  package init(
    position: Int64, key: RecordKey, change: RecordOperation.Change, queuedMilliseconds: Int64, skewMilliseconds: Int64,
    isStampMeasured: Bool, wasSent: Bool = false, parkedBecause: String? = nil, group: Int64? = nil
  ) {
    self.position = position
    self.key = key
    self.change = change
    self.queuedMilliseconds = queuedMilliseconds
    self.skewMilliseconds = skewMilliseconds
    self.isStampMeasured = isStampMeasured
    self.wasSent = wasSent
    self.parkedBecause = parkedBecause
    self.group = group
  }

  /// The size in bytes, as counted by the traffic budget.
  package var packedBytes: Int {
    switch change {
    case .write(let write): write.packedBytes
    case .join(let cell): cell.packedBytes
    case .retire(let device): device.name.utf8.count
    }
  }

  /// The write, or nil for other changes.
  package var write: Write? { if case .write(let write) = change { write } else { nil } }

  /// The item as compact bytes.
  package func packed() -> [UInt8] {
    var packer = Packer()
    packer.text(key.type)
    packer.text(key.name)
    switch change {
    case .write(let write):
      packer.byte(0)
      packer.data(write.packed())
    case .join(let cell):
      packer.byte(1)
      packer.data(cell.packed())
    case .retire(let device):
      packer.byte(2)
      packer.data(Array(device.name.utf8))
    }
    packer.signed(queuedMilliseconds)
    packer.signed(skewMilliseconds)
    packer.byte((isStampMeasured ? 1 : 0) | (wasSent ? 2 : 0))
    packer.text(parkedBecause ?? "")
    if let group { packer.unsigned(UInt64(group)) }
    return packer.bytes
  }

  package init(position: Int64, packed bytes: [UInt8]) throws(PackingError) {
    var reader = Unpacker(bytes)
    let type = try reader.text("the record's type", limit: Self.longestText)
    let name = try reader.text("the record's name", limit: Self.longestText)
    let kind = try reader.byte("the kind of change")
    let content = try reader.data("the change", limit: Self.largestChange)
    let change: RecordOperation.Change
    switch kind {
    case 0: change = .write(try Write(packed: content))
    case 1: change = .join(try Cell(packed: content))
    case 2:
      guard let device = DeviceID(String(decoding: content, as: UTF8.self)) else {
        throw .malformed(at: 0, reading: "the device to retire", "is not a device's name")
      }
      change = .retire(device)
    default: throw .malformed(at: 0, reading: "the kind of change", "is \(kind), allowed are 0 to 2")
    }
    self.init(
      position: position, key: RecordKey(type: type, name: name), change: change,
      queuedMilliseconds: try reader.signed("the time of queueing"),
      skewMilliseconds: try reader.signed("the clock's difference"), isStampMeasured: false)
    let flags = try reader.byte("whether the clock was measured")
    isStampMeasured = flags & 1 == 1
    wasSent = flags & 2 == 2
    let reason = try reader.text("the reason for parking", limit: Self.longestText)
    if !reason.isEmpty { parkedBecause = reason }
    if !reader.isAtEnd { group = try reader.number("the transaction") }
  }

  /// The maximum length of a saved text, in bytes. It exceeds the length of every reason that any version has written,
  /// so that all saved items can be read.
  static let longestText = 1 << 16
  static let largestChange = 1 << 24
}
