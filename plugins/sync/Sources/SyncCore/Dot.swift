/// The identity of one write: the device and the number that the device gave it (M1).
public struct Dot: Hashable, Sendable, CustomStringConvertible {
  /// The device that wrote.
  public var device: DeviceID
  /// The device's own count of its writes, from 1.
  public var number: Int64

  /// Creates the identity of a write.
  public init(device: DeviceID, number: Int64) {
    self.device = device
    self.number = number
  }

  /// The identity as `device:number`.
  public var description: String { "\(device):\(number)" }
}
