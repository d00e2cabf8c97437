extension RequestBudget {
  /// The budget as compact bytes.
  public func packed() -> [UInt8] {
    var packer = Packer()
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
    // What came later stands at the end, so that what was saved before is read as well.
    let reserved = log.indices.filter { log[$0].isReserved }
    packer.count(reserved.count)
    for index in reserved { packer.count(index) }
    return packer.bytes
  }

  /// Reads packed bytes; nothing is spent where there are none.
  public init(packed bytes: [UInt8], limits: Limits) throws(PackingError) {
    if bytes.isEmpty {
      self.init(limits: limits)
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
    self.init(limits: limits, log: log, hours: hours)
  }
}
