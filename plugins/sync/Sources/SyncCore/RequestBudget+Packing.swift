extension RequestBudget {
  /// The budget as compact bytes.
  package func packed() -> [UInt8] {
    var packer = Packer()
    let log = log
    packer.count(log.count)
    var last: Int64 = 0
    for request in log {
      packer.signed(request.milliseconds - last)
      last = request.milliseconds
    }
    packer.count(hours.count)
    for hour in hours {
      packer.signed(hour.hour)
      packer.count(hour.bytes)
    }
    // Newer parts come last, so that budgets saved by earlier versions can still be read.
    let reserved = log.indices.filter { log[$0].isReserved }
    packer.count(reserved.count)
    for index in reserved { packer.count(index) }
    packer.count(firstFetch.requests)
    packer.count(firstFetch.bytes)
    packer.byte(limits.areLimited ? 1 : 0)
    guard limits.areLimited else { return packer.bytes }
    for limit in [
      limits.requestsPerHour, limits.bytesPerDay, limits.reservedForPushes, limits.reservedForReceiving,
    ] {
      packer.count(limit)
    }
    return packer.bytes
  }

  /// Reads a packed budget. An empty array means that nothing has been spent. If `limits` is nil, the saved limits
  /// apply; if none were saved, there are no limits.
  package init(packed bytes: [UInt8], limits: Limits?) throws(PackingError) {
    if bytes.isEmpty {
      self.init(limits: limits ?? .none)
      return
    }
    var reader = Unpacker(bytes)
    var log: [Request] = []
    for _ in 0..<(try reader.count("the number of requests", limit: 1_000_000)) {
      log.append(Request(milliseconds: (log.last?.milliseconds ?? 0) &+ (try reader.signed("the time of a request"))))
    }
    var hours: [HourOfBytes] = []
    for _ in 0..<(try reader.count("the number of hours", limit: 25)) {
      let hour = try reader.signed("an hour")
      hours.append(.init(hour: hour, bytes: try reader.count("the bytes of an hour", limit: 1 << 40)))
    }
    if !reader.isAtEnd {
      for _ in 0..<(try reader.count("the number of requests kept for receiving", limit: log.count)) {
        let index = try reader.count("a request kept for receiving", limit: max(0, log.count - 1))
        if log.indices.contains(index) { log[index].isReserved = true }
      }
    }
    var firstFetch = FirstFetch()
    var saved = Limits.none
    if !reader.isAtEnd {
      firstFetch.requests = try reader.count("the requests of the first fetch", limit: 1 << 40)
      firstFetch.bytes = try reader.count("the bytes of the first fetch", limit: 1 << 50)
      saved = try Self.limits(from: &reader)
    }
    self.init(limits: limits ?? saved, log: log, hours: hours, firstFetch: firstFetch)
  }

  private static func limits(from reader: inout Unpacker) throws(PackingError) -> Limits {
    guard try reader.byte("whether there are limits") == 1 else { return .none }
    return Limits(
      requestsPerHour: try reader.count("the requests an hour", limit: 1 << 40),
      bytesPerDay: try reader.count("the bytes a day", limit: 1 << 50),
      reservedForPushes: try reader.count("the requests kept for sending", limit: 1 << 40),
      reservedForReceiving: try reader.count("the requests kept for receiving", limit: 1 << 40))
  }
}
