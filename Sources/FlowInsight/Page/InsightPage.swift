/// A page in one file: no network, light and dark, readable without its script, which adds hover, zoom and sorting.
package struct InsightPage {
  private let title: String
  private var body = ""

  /// A page of this title.
  init(title: String) { self.title = PageText.escaped(title) }

  /// A page that begins with its title and a line below it.
  init(title: String, subtitle: String) {
    self.init(title: title)
    body = "<header><h1>\(self.title)</h1><p>\(PageText.escaped(subtitle))</p></header>"
  }

  /// Figures that are read first.
  mutating func add(figures: [(name: String, value: String)]) {
    body += "<dl class=\"figures\">" + figures.map { Self.figure($0.name, $0.value) }.joined() + "</dl>"
  }

  /// A figure with what it is of.
  static func figure(_ name: String, _ value: String) -> String {
    "<div><dt>\(PageText.escaped(name))</dt><dd>\(PageText.escaped(value))</dd></div>"
  }

  /// Names and their values, each on a line.
  static func facts(_ facts: [(name: String, value: String)]) -> String {
    guard !facts.isEmpty else { return "" }
    return "<dl class=\"facts\">" + facts.map { figure($0.name, $0.value) }.joined() + "</dl>"
  }

  /// A part with timelines and tables, which a search and filters of their own narrow down.
  mutating func add(rows heading: String, _ parts: String...) {
    let content = parts.joined()
    guard !content.isEmpty else { return }
    body += "<section data-rows><h2>\(PageText.escaped(heading))</h2>\(content)</section>"
  }

  /// A part of the page; nothing when it is empty.
  mutating func add(_ heading: String, _ parts: String...) {
    let content = parts.joined()
    guard !content.isEmpty else { return }
    body += "<section><h2>\(PageText.escaped(heading))</h2>\(content)</section>"
  }

  /// Markup that has a heading of its own.
  mutating func add(markup: String) { body += markup }

  /// A list of sentences.
  static func list(_ sentences: [String]) -> String {
    sentences.isEmpty ? "" : "<ul>" + sentences.map { "<li>\(PageText.escaped($0))</li>" }.joined() + "</ul>"
  }

  /// The whole page.
  package var html: String {
    """
    <!doctype html>
    <html lang="en">
    <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'; script-src \
    'unsafe-inline'; img-src data:">
    <link rel="icon" href="data:,">
    <title>\(title)</title>
    <style>\(Self.style)</style>
    </head>
    <body>
    <main>\(body)</main>
    <div id="tip" role="status" hidden></div>
    <script>\(Self.script)</script>
    </body>
    </html>

    """
  }
}
