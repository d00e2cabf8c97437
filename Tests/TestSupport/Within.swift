import Foundation

/// Waits for what another process does, looking again and again; whether `condition` held within so many seconds.
@discardableResult public func within(seconds: Int, _ condition: () throws -> Bool) rethrows -> Bool {
  let limit = ContinuousClock.now + .seconds(seconds)
  while ContinuousClock.now < limit {
    if try condition() { return true }
    usleep(10_000)
  }
  return try condition()
}
