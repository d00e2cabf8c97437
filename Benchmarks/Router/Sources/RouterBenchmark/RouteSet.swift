/// Patterns, and URLs that match them, with which both routers are measured.
struct RouteSet {
  /// Patterns without a scheme.
  let patterns: [String]
  /// The path of each URL without a scheme, with the names of its parameters.
  let paths: [(path: String, names: [String])]

  /// Returns `count` paths, which repeat those of this set. Tables of every size are queried with the same number of
  /// strings, so that the strings take the same space in the caches.
  func repeated(_ count: Int) -> [(path: String, names: [String])] { (0..<count).map { paths[$0 % paths.count] } }

  /// The six routes of an ordinary application.
  static let six = RouteSet(
    patterns: [
      "user/:userId", "settings", "product/:productId", "search", "vip/:vipId", "notification/:notificationId",
    ],
    paths: [
      ("user/42", ["userId"]), ("settings", []), ("product/12345", ["productId"]), ("search", []),
      ("vip/999", ["vipId"]), ("notification/n-7", ["notificationId"]),
    ])

  /// Returns `count` routes, four for each resource. They are queried in a scattered order, which is always the same.
  static func resources(_ count: Int) -> RouteSet {
    var patterns: [String] = []
    var paths: [(String, [String])] = []
    for index in 0..<count / 4 {
      patterns += [
        "resource\(index)/:id", "resource\(index)/:id/comments/:commentId", "resource\(index)/settings/privacy",
        "resource\(index)/:id/edit",
      ]
      paths += [
        ("resource\(index)/12345", ["id"]), ("resource\(index)/12345/comments/678", ["id", "commentId"]),
        ("resource\(index)/settings/privacy", []), ("resource\(index)/12345/edit", ["id"]),
      ]
    }
    var state: UInt64 = 42
    for index in stride(from: paths.count - 1, to: 0, by: -1) {
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      paths.swapAt(index, Int(state >> 33) % (index + 1))
    }
    return RouteSet(patterns: patterns, paths: paths)
  }
}
