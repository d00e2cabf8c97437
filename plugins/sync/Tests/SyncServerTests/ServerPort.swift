#if Network
  import Synchronization

  /// Ports for servers that are killed and started again under the same address.
  ///
  /// They are below those that the system gives to outgoing connections and to `port: 0`: while the server is away, one of
  /// those could be given to another program, which would answer in its place, or even to the connection that looks for it.
  enum ServerPort {
    private static let taken = Mutex<Set<Int>>([])

    /// A free port that no one else in this process gets.
    static func take() throws -> Int {
      struct NoneFree: Error {}
      for _ in 0..<1000 {
        let port = Int.random(in: 20_000..<32_000)
        guard taken.withLock({ $0.insert(port).inserted }) else { continue }
        if let (probe, _) = try? LocalSocket.listen(port: port) {
          LocalSocket.close(probe)
          return port
        }
      }
      throw NoneFree()
    }
  }
#endif
