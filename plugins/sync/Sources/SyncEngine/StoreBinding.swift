import SyncCore

/// The location of a store: an address and an account.
package struct StorePlace: Hashable, Sendable, CustomStringConvertible {
  /// The path of a shared file or the address of a server.
  package var address: String
  /// The account, or an empty string if all accounts at the address use the same store.
  package var account: String

  package init(address: String = "", account: String = "") {
    self.address = address
    self.account = account
  }

  package var description: String { account.isEmpty ? address : "\(address) (\(account))" }

  /// The maximum length of an address or an account, in bytes. A file with a longer text could not be read again.
  package static let longestText = 4096
}

/// The store of a device's data, and the store last found at each location.
package struct StoreBinding: Hashable, Sendable {
  /// A location and the store last found there.
  package struct Meeting: Hashable, Sendable {
    package var place: StorePlace
    /// The store that responded, or nil if none has responded yet.
    package var store: StoreIdentity?
  }

  /// The store of this data, or nil until a store has responded.
  package internal(set) var store: StoreIdentity?
  /// The known locations, in the order of their last use.
  package internal(set) var meetings: [Meeting] = []

  package init() {}

  /// The maximum number of locations.
  static let limit = 64

  /// True if the store last found at a location is the store of this data, or if the data was used at the location and
  /// no store has responded yet.
  package func belongs(at place: StorePlace) -> Bool {
    meetings.contains { $0.place == place && $0.store == store }
  }

  /// Returns the store last found at a location, or nil if none has responded there.
  package func store(at place: StorePlace) -> StoreIdentity? { meetings.last { $0.place == place }?.store }

  mutating func note(_ store: StoreIdentity?, at place: StorePlace) {
    meetings.removeAll { $0.place == place }
    meetings.append(Meeting(place: place, store: store))
    if meetings.count > Self.limit { meetings.removeFirst() }
  }
}

extension StoreBinding {
  func packed() -> [UInt8] {
    var packer = Packer()
    packer.text(store?.description ?? "")
    packer.unsigned(UInt64(meetings.count))
    for meeting in meetings {
      packer.text(meeting.place.address)
      packer.text(meeting.place.account)
      packer.text(meeting.store?.description ?? "")
    }
    return packer.bytes
  }

  /// Reads a saved binding. An empty array stands for a binding without a store.
  package init(packed bytes: [UInt8]) throws(PackingError) {
    if bytes.isEmpty { return }
    var reader = Unpacker(bytes)
    store = try Self.identity(&reader)
    for _ in 0..<(try reader.number("the number of places", in: 0...Int64(Self.limit))) {
      let address = try reader.text("the address of a store", limit: StorePlace.longestText)
      let account = try reader.text("the account of a store", limit: StorePlace.longestText)
      meetings.append(
        Meeting(place: StorePlace(address: address, account: account), store: try Self.identity(&reader)))
    }
  }

  private static func identity(_ reader: inout Unpacker) throws(PackingError) -> StoreIdentity? {
    let text = try reader.text("the identity of a store", limit: StoreIdentity.length)
    if text.isEmpty { return nil }
    guard let identity = StoreIdentity(text) else {
      throw .malformed(at: 0, reading: "the identity of a store", "is not an identity")
    }
    return identity
  }
}
