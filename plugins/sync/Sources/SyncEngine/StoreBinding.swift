import SyncCore

/// Where an app looks for a store: an address, and the account that is signed in there.
public struct StorePlace: Hashable, Sendable, CustomStringConvertible {
  /// The path of a shared file or the address of a server.
  public var address: String
  /// The account, where one address has a store for each; otherwise empty.
  public var account: String

  /// A place.
  public init(address: String = "", account: String = "") {
    self.address = address
    self.account = account
  }

  /// The place in words.
  public var description: String { account.isEmpty ? address : "\(address) (\(account))" }

  /// The longest address or account, in bytes.
  static let longestText = 4096
}

/// The store that the data in a device's file belongs to, and the store that was last met at each place.
public struct StoreBinding: Hashable, Sendable {
  /// A place, and the store there; nil if no store has answered there yet.
  public struct Meeting: Hashable, Sendable {
    /// Where.
    public var place: StorePlace
    /// Which store answered.
    public var store: StoreIdentity?
  }

  /// The store of this data; nil until a store has been met.
  public internal(set) var store: StoreIdentity?
  /// The places, the latest last.
  public internal(set) var meetings: [Meeting] = []

  /// Nothing is known yet.
  public init() {}

  /// The number of places that are kept.
  static let limit = 64

  /// Whether this data was last used at a place, or has been used there and nowhere was another store met.
  public func belongs(at place: StorePlace) -> Bool {
    meetings.contains { $0.place == place && $0.store == store }
  }

  /// The store that was last met at a place.
  public func store(at place: StorePlace) -> StoreIdentity? { meetings.last { $0.place == place }?.store }

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

  /// Reads what was saved; nothing is known without bytes.
  public init(packed bytes: [UInt8]) throws(PackingError) {
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
