/// A page in one file: no network, light and dark, readable without its script, which adds hover, zoom and sorting.
package struct InsightPage {
  private let title: String
  private var body = ""

  /// A page of this title and what stands below it.
  init(title: String, subtitle: String) {
    self.title = PageText.escaped(title)
    body = "<header><h1>\(self.title)</h1><p>\(PageText.escaped(subtitle))</p></header>"
  }

  /// Figures that are read first.
  mutating func add(figures: [(name: String, value: String)]) {
    body += "<dl class=\"figures\">"
    for figure in figures {
      body += "<div><dt>\(PageText.escaped(figure.name))</dt><dd>\(PageText.escaped(figure.value))</dd></div>"
    }
    body += "</dl>"
  }

  /// A part of the page; nothing when it is empty.
  mutating func add(_ heading: String, _ parts: String...) {
    let content = parts.joined()
    guard !content.isEmpty else { return }
    body += "<section><h2>\(PageText.escaped(heading))</h2>\(content)</section>"
  }

  /// Markup that has a heading of its own.
  mutating func add(markup: String) { body += markup }

  /// What the colors of bars mean.
  static let legend =
    "<p class=\"legend\">"
    + [
      ("run", "run"), ("queue", "queue"), ("thread", "thread"), ("retry", "retry"), ("executor", "executor"),
      ("minimum", "step minimum"),
    ].map {
      "<span><i class=\"\($0.0)\"></i>\($0.1)</span>"
    }.joined() + "<span><b></b>gate</span></p>"

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
