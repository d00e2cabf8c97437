/// The identity of one write: the device and the device's number for it (M1).
package struct Dot: Hashable, Sendable, CustomStringConvertible {
  /// The author of the write.
  package var device: DeviceID
  /// The number of the write among all writes of the device, starting at 1.
  package var number: Int64

  package init(device: DeviceID, number: Int64) {
    self.device = device
    self.number = number
  }

  /// The identity as `device:number`.
  package var description: String { "\(device):\(number)" }
}
