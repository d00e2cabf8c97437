import Foundation

/// Polls until `condition` is true. Returns false if that takes longer than the time limit.
@discardableResult public func within(seconds: Int, _ condition: () throws -> Bool) rethrows -> Bool {
  let limit = ContinuousClock.now + .seconds(seconds)
  while ContinuousClock.now < limit {
    if try condition() { return true }
    usleep(10_000)
  }
  return try condition()
}
