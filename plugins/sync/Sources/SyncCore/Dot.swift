/// The identity of one write: the device and the number that the device gave it (M1).
package struct Dot: Hashable, Sendable, CustomStringConvertible {
  /// The device that wrote.
  package var device: DeviceID
  /// The device's own count of its writes, from 1.
  package var number: Int64

  /// Creates the identity of a write.
  package init(device: DeviceID, number: Int64) {
    self.device = device
    self.number = number
  }

  /// The identity as `device:number`.
  package var description: String { "\(device):\(number)" }
}
