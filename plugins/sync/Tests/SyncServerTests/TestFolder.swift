#if Network
  import Foundation

  /// A temporary folder that is removed with this object.
  final class TestFolder {
    let path: String

    init() throws {
      path = NSTemporaryDirectory() + "sync-test-\(UUID().uuidString.prefix(8))"
      try FileManager.default.createDirectory(
        atPath: path, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }

    func file(_ name: String) -> String { "\(path)/\(name)" }

    func write(_ text: String, to name: String, rights: Int = 0o600) throws -> String {
      let file = file(name)
      try Data(text.utf8).write(to: URL(fileURLWithPath: file))
      try FileManager.default.setAttributes([.posixPermissions: rights], ofItemAtPath: file)
      return file
    }

    static func rights(_ path: String) throws -> Int? {
      try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
    }
  }

  /// A certificate authority created by openssl.
  struct Authority {
    let folder: TestFolder
    let name: String

    init(_ name: String, in folder: TestFolder) throws {
      (self.folder, self.name) = (folder, name)
      try run(
        "openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 2 -subj '/CN=\(name)' -keyout \(name).key -out \(name).pem"
      )
    }

    /// The path of its certificate in PEM format.
    var certificate: String { folder.file("\(name).pem") }

    /// Creates `<file>.pem` and `<file>.key` for a host. The certificate is valid for the given number of days.
    func sign(_ host: String, as file: String, days: Int = 2) throws {
      try run(
        """
        openssl req -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -subj '/CN=\(host)' -keyout \(file).key.new -out \(file).csr
        printf 'subjectAltName=DNS:%s' \(host) > \(file).ext
        openssl x509 -req -in \(file).csr -CA \(name).pem -CAkey \(name).key -CAcreateserial -days \(days) -extfile \(file).ext -out \(file).pem.new
        chmod 600 \(file).key.new && mv \(file).key.new \(file).key && mv \(file).pem.new \(file).pem
        """)
    }

    private func run(_ script: String) throws {
      let (status, output) = try Shell.run("set -e; cd '\(folder.path)'; \(script)")
      if status != 0 { throw Database.Failure(output: output) }
    }
  }
#endif
