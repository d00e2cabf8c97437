extension RecordContent {
  func pack(into packer: inout Packer, latest: Stamp?) {
    packer.unsigned(UInt64(incarnation))
    packer.dots(living)
    packer.stamp(deleted)
    // The latest write usually has the same stamp as a state or field, which is already stored.
    if let changed, changed == latest { packer.byte(Self.asLatest) } else { packer.stamp(changed) }
    packer.count(parts.count)
    for part in parts {
      packer.text(part.name)
      part.state.pack(into: &packer)
    }
  }

  private static let asLatest: UInt8 = 2

  /// Reads content written by `pack(into:latest:)`. `latest` is the latest stamp of any state or `newest` field.
  init(from reader: inout Unpacker, latest: Stamp?) throws(PackingError) {
    incarnation = try reader.number("the incarnation of a record")
    living = try reader.dots("a write that keeps the record alive")
    deleted = try reader.stampOrNone("the deletion")
    changed = try reader.stampOrNone("the latest write", or: (Self.asLatest, latest))
    for _ in 0..<(try reader.count("the number of parts", limit: Unpacker.largestCount)) {
      let start = reader.offset
      let name = try reader.text("a part's name", limit: Unpacker.largestData)
      if let last = parts.last, last.name >= name {
        throw .malformed(at: start, reading: "a part", "is not in order of its name")
      }
      parts.append(RecordPart(name: name, state: try RecordPart.State(from: &reader)))
    }
  }
}

extension RecordPart.State {
  fileprivate func pack(into packer: inout Packer) {
    switch self {
    case .largest(let value):
      packer.byte(0)
      packer.data(value)
    case .smallest(let value):
      packer.byte(1)
      packer.data(value)
    case .counter(let slots):
      packer.byte(2)
      packer.dots(slots.map(\.dot))
      for slot in slots { packer.signed(slot.total) }
    case .set(let elements):
      packer.byte(3)
      packer.elements(elements)
    case .list(let items):
      packer.byte(4)
      packer.items(items)
    }
  }

  fileprivate init(from reader: inout Unpacker) throws(PackingError) {
    let start = reader.offset
    switch try reader.byte("the rule of a part") {
    case 0: self = .largest(try reader.data("a value", limit: Unpacker.largestData))
    case 1: self = .smallest(try reader.data("a value", limit: Unpacker.largestData))
    case 2:
      var slots: [RecordPart.Slot] = []
      for dot in try reader.dots("a slot of a counter") {
        slots.append(.init(dot: dot, total: 0))
      }
      for index in slots.indices { slots[index].total = try reader.signed("what a device has added") }
      self = .counter(slots)
    case 3: self = .set(try reader.elements())
    case 4: self = .list(try reader.items())
    case let rule: throw .malformed(at: start, reading: "the rule of a part", "is \(rule)")
    }
  }
}

extension RecordWrite {
  func pack(into packer: inout Packer) {
    packer.unsigned(UInt64(incarnation))
    packer.byte(isDeletion ? 1 : 0)
    packer.count(changes.count)
    for change in changes {
      packer.text(change.name)
      switch change.kind {
      case .largest(let value):
        packer.byte(0)
        packer.data(value)
      case .smallest(let value):
        packer.byte(1)
        packer.data(value)
      case .add(let more):
        packer.byte(2)
        packer.signed(more)
      case .elements(let add, let remove):
        packer.byte(3)
        packer.elements(add.map { .init(value: $0, dots: []) })
        packer.elements(remove)
      case .items(let insert, let remove):
        packer.byte(4)
        packer.items(insert)
        packer.items(remove.map { ListItem(id: $0, after: nil, value: nil) })
      }
    }
  }

  /// Reads the part of a write that `pack(into:)` wrote.
  init(from reader: inout Unpacker) throws(PackingError) {
    self.init(incarnation: try reader.number("the incarnation of a record"))
    isDeletion = try reader.byte("whether it is a deletion") == 1
    for _ in 0..<(try reader.count("the number of changes", limit: Unpacker.largestCount)) {
      let start = reader.offset
      let name = try reader.text("a changed field's name", limit: Unpacker.largestData)
      if let last = changes.last, last.name >= name {
        throw .malformed(at: start, reading: "a change", "is not in order of its name")
      }
      changes.append(Change(name: name, kind: try Kind(from: &reader)))
    }
  }
}

extension RecordWrite.Kind {
  fileprivate init(from reader: inout Unpacker) throws(PackingError) {
    let start = reader.offset
    switch try reader.byte("the kind of a change") {
    case 0: self = .largest(try reader.data("a value", limit: Unpacker.largestData))
    case 1: self = .smallest(try reader.data("a value", limit: Unpacker.largestData))
    case 2: self = .add(try reader.signed("what is added"))
    case 3:
      let add = try reader.elements()
      self = .elements(add: add.map(\.value), remove: try reader.elements())
    case 4:
      let insert = try reader.items()
      self = .items(insert: insert, remove: try reader.items().map(\.id))
    case let kind: throw .malformed(at: start, reading: "the kind of a change", "is \(kind)")
    }
  }
}

extension Packer {
  fileprivate mutating func dots(_ dots: [Dot]) {
    count(dots.count)
    for dot in dots {
      text(dot.device.name)
      unsigned(UInt64(dot.number))
    }
  }

  fileprivate mutating func stamp(_ stamp: Stamp?) {
    byte(stamp == nil ? 0 : 1)
    guard let stamp else { return }
    text(stamp.device.name)
    unsigned(UInt64(stamp.milliseconds))
    unsigned(UInt64(stamp.counter))
  }

  fileprivate mutating func elements(_ elements: [RecordPart.Element]) {
    count(elements.count)
    for element in elements {
      data(element.value)
      dots(element.dots)
    }
  }

  fileprivate mutating func items(_ items: [ListItem]) {
    count(items.count)
    for item in items {
      byte((item.after == nil ? 0 : 1) | (item.value == nil ? 0 : 2) | (item.moves == nil ? 0 : 4))
      unsigned(UInt64(item.id.counter))
      unsigned(item.id.tag)
      if let after = item.after {
        unsigned(UInt64(after.counter))
        unsigned(after.tag)
      }
      if let moves = item.moves {
        unsigned(UInt64(moves.counter))
        unsigned(moves.tag)
      }
      if let value = item.value { data(value) }
    }
  }
}

extension Unpacker {
  fileprivate mutating func dots(_ what: StaticString) throws(PackingError) -> [Dot] {
    var dots: [Dot] = []
    for _ in 0..<(try count(what, limit: Self.largestCount)) {
      let start = offset
      guard let device = DeviceID(try text(what, limit: DeviceID.maximumLength)),
        dots.last.map({ $0.device < device }) ?? true
      else { throw .malformed(at: start, reading: "\(what)", "is of no device, or not in order") }
      dots.append(Dot(device: device, number: try number(what, in: 1...Stamp.latestMilliseconds)))
    }
    return dots
  }

  /// Reads an optional stamp. The byte `known.byte` stands for `known.stamp`.
  fileprivate mutating func stampOrNone(
    _ what: StaticString, or known: (byte: UInt8, stamp: Stamp?) = (0, nil)
  ) throws(PackingError) -> Stamp? {
    let start = offset
    let kind = try byte(what)
    if kind == known.byte { return known.stamp }
    guard kind == 1 else {
      if kind == 0 { return nil }
      throw .malformed(at: start, reading: "\(what)", "is \(kind)")
    }
    guard let device = DeviceID(try text(what, limit: DeviceID.maximumLength)) else {
      throw .malformed(at: start, reading: "\(what)", "is of no device")
    }
    let milliseconds = try number(what)
    return Stamp(
      milliseconds: milliseconds, counter: UInt32(try number(what, in: 0...Int64(UInt32.max))), device: device)
  }

  fileprivate mutating func elements() throws(PackingError) -> [RecordPart.Element] {
    var elements: [RecordPart.Element] = []
    for _ in 0..<(try count("the number of elements", limit: Self.largestCount)) {
      let start = offset
      let value = try data("an element", limit: Self.largestData)
      if let last = elements.last, !last.value.lexicographicallyPrecedes(value) {
        throw .malformed(at: start, reading: "an element", "is not in order")
      }
      elements.append(.init(value: value, dots: try dots("the writes of an element")))
    }
    return elements
  }

  fileprivate mutating func items() throws(PackingError) -> [ListItem] {
    var items: [ListItem] = []
    for _ in 0..<(try count("the number of elements", limit: Self.largestCount)) {
      let start = offset
      let parts = try byte("the parts of an element")
      guard parts < 8 else { throw .malformed(at: start, reading: "the parts of an element", "are \(parts)") }
      let id = try item()
      if let last = items.last, last.id >= id {
        throw .malformed(at: start, reading: "an element of a list", "is not in order")
      }
      let after = parts & 1 == 0 ? nil : try item()
      let moves = parts & 4 == 0 ? nil : try item()
      let value = parts & 2 == 0 ? nil : try data("an element", limit: Self.largestData)
      items.append(ListItem(id: id, after: after, value: value, moves: moves))
    }
    return items
  }

  private mutating func item() throws(PackingError) -> ItemID {
    let counter = try number("the number of an element", in: 1...Stamp.latestMilliseconds)
    return ItemID(counter: counter, tag: try unsigned("the name of an element"))
  }
}
