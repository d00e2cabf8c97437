#if Network
  import FlowInsight
  import FlowModel
  import Hummingbird
  import HummingbirdCore
  import NIOCore

  /// A page that consists of named parts. When an open page is updated, the names identify the parts that have changed.
  ///
  /// Text from workflows, plugins and commands must be escaped with `PageText.escaped`.
  struct UIPage {
    var title: String
    var parts: [(name: String, markup: String)] = []
    /// The path of the server-sent events for the page, or nil if the page does not change.
    var events: String?
    /// The prefix of links to pages of steps, or nil if the page has none.
    var stepPage: String?
    /// The icon for the tab, which shows a state.
    var icon = UIIcon.none
    /// True if the page lacks content that it gets when it is loaded again.
    var isBrief = false
    var status = HTTPResponse.Status.ok

    static let updateHeader = "X-Flowrun-Update"
    static let tokenHeader = "X-Flowrun-Token"

    init(_ title: String) { self.title = title }

    mutating func add(_ name: String, _ markup: String) { if !markup.isEmpty { parts.append((name, markup)) } }

    /// Adds a section with a heading. If `rows` names the rows of its table, the section has its own search and
    /// filters.
    mutating func add(_ name: String, heading: String, _ markup: String, rows: String? = nil) {
      guard !markup.isEmpty else { return }
      let attribute = rows.map { " data-rows=\"\($0)\"" } ?? ""
      add(name, "<section\(attribute)><h2>\(PageText.escaped(heading))</h2>\(markup)</section>")
    }

    /// Returns the page as HTML or, for a page that is already open, only its parts as JSON.
    func response(to request: Request, pageToken: String, lostPageCookie: String = "") -> Response {
      let isUpdate = request.headers[.init(Self.updateHeader)!] != nil
      let text =
        isUpdate
        ? JSONText.write([
          "title": .string(title), "icon": .string(icon.address),
          "parts": .array(parts.map { [.string($0.name), .string($0.markup)] }),
        ]) : html(pageToken, lostPageCookie)
      return Response(
        status: status,
        headers: [.contentType: isUpdate ? "application/json" : "text/html; charset=utf-8"],
        body: ResponseBody(byteBuffer: ByteBuffer(string: text)))
    }

    private func html(_ pageToken: String, _ lostPageCookie: String) -> String {
      let title = PageText.escaped(title)
      let content = parts.map { "<div data-part=\"\(PageText.escaped($0.name))\">\($0.markup)</div>" }.joined()
      func attribute(_ name: String, _ value: String?) -> String {
        value.map { " data-\(name)=\"\(PageText.escaped($0))\"" } ?? ""
      }
      return """
        <!doctype html>
        <html lang="en">
        <head>
        <meta charset="utf-8">
        <meta name="viewport" content="width=device-width, initial-scale=1">
        <meta name="token" content="\(PageText.escaped(pageToken))">
        <meta name="lost" content="\(PageText.escaped(lostPageCookie))">
        <link rel="icon" href="\(icon.address)">
        <link rel="stylesheet" href="/style.css">
        <title>\(title)</title>
        <script type="module" src="/app.js"></script>
        </head>
        <body\(attribute("events", events))\(attribute("steps", stepPage))\(isBrief ? " data-brief" : "")>
        <nav aria-label="Pages"><a href="/">flowrun</a> <span id="live" role="status"></span></nav>
        <main>\(content)</main>
        <div id="note" role="alert" hidden><p></p><button type="button" aria-label="Close">×</button></div>
        <div id="tip" role="status" hidden></div>
        </body>
        </html>

        """
    }

    /// Returns an error as a page or, for an action, as JSON.
    static func problem(_ status: HTTPResponse.Status, _ text: String, isFor request: Request) -> Response {
      guard request.method != .post else { return .problem(status, text) }
      var page = UIPage("flowrun")
      page.status = status
      page.add("problem", "<h1>\(PageText.escaped(status.reasonPhrase))</h1><p>\(PageText.escaped(text))</p>")
      return page.response(to: request, pageToken: "")
    }
  }

  extension Response {
    /// Returns the error of an action as JSON. `input` is the name of the input that caused it, or nil.
    static func problem(_ status: HTTPResponse.Status, _ text: String, input: String? = nil) -> Response {
      var object: ValueObject = ["problem": .string(text)]
      if let input { object["input"] = .string(input) }
      return .json(.object(object), status)
    }

    static func json(_ value: Value, _ status: HTTPResponse.Status = .ok, _ headers: HTTPFields = [:]) -> Response {
      var headers = headers
      headers[.contentType] = "application/json"
      return Response(
        status: status, headers: headers, body: ResponseBody(byteBuffer: ByteBuffer(string: JSONText.write(value))))
    }
  }

  /// The static files that pages use. They contain no data of runs.
  package enum UIAsset {
    /// Returns the static file at a path, or nil if there is none.
    static func named(_ path: String) -> Response? {
      switch path {
      case "/app.js": file("text/javascript; charset=utf-8", PackageResources.app_js)
      case "/form.js": file("text/javascript; charset=utf-8", PackageResources.form_js)
      case "/parts.js": file("text/javascript; charset=utf-8", parts)
      case "/style.css": file("text/css; charset=utf-8", style)
      default: nil
      }
    }

    /// The total size, in bytes, of the static files that a browser loads.
    package static var bytes: Int {
      PackageResources.app_js.count + PackageResources.form_js.count + parts.count + style.count
    }

    private static let parts = Array(
      (InsightPage.scriptParts + "\nexport { time, make, hide, List, enliven, followAims, barHash };\n").utf8)
    private static let style = Array(InsightPage.style.utf8) + PackageResources.app_css

    private static func file(_ type: String, _ bytes: [UInt8]) -> Response {
      Response(
        status: .ok, headers: [.contentType: type, .cacheControl: "no-cache"],
        body: ResponseBody(byteBuffer: ByteBuffer(bytes: bytes)))
    }
  }
#endif
