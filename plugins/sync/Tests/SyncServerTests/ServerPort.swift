#if Network
  import Synchronization

  /// Ports for servers that are killed and restarted at the same address.
  ///
  /// The ports are below those that the system assigns to outgoing connections and to `port: 0`. Otherwise, the system
  /// could assign the port of a killed server to another program, or to the connection that tries to reach the server.
  enum ServerPort {
    private static let taken = Mutex<Set<Int>>([])

    /// Returns a free port that is used only once in this process.
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
