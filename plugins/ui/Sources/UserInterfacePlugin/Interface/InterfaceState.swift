import FlowModel
import FlowPluginKit

/// The visible state of an interface, saved from one launch to the next.
public struct InterfaceState: Sendable, Hashable {
  /// The selected tab, or nil if there is none yet.
  public var tab: String?
  /// The pages over the tab; the last one is visible.
  public var pages: [PageRequest]

  /// The maximum number of pages; older ones are dropped first.
  public static let pageLimit = 100

  /// Creates a state.
  public init(tab: String? = nil, pages: [PageRequest] = []) {
    self.tab = tab
    self.pages = pages
  }

  /// Adds a page over the others.
  public mutating func open(_ page: PageRequest) {
    pages.append(page)
    if pages.count > Self.pageLimit { pages.removeFirst(pages.count - Self.pageLimit) }
  }

  /// The form to save: the tab, and the pages and parameters that may be saved.
  public var value: Value {
    [
      "tab": tab.map(Value.string) ?? .null,
      "pages": .array(pages.compactMap { page in (page.saved?.value).map(Value.object) }),
    ]
  }

  /// Creates the state from its saved form; returns nil if the value is not one.
  public init?(_ value: Value) {
    guard case .object(let members) = value, let saved = members["pages"]?.arrayValue else { return nil }
    tab = members["tab"]?.stringValue
    pages = []
    for entry in saved {
      guard let page = entry.objectValue, let name = page["page"]?.stringValue,
        let presentation = page["presentation"].flatMap(PageRequest.Presentation.init),
        let parameters = page["parameters"]?.objectValue
      else { return nil }
      open(PageRequest(page: name, presentation: presentation, parameters: parameters))
    }
  }
}

extension PageRequest {
  /// The saved form of the page.
  var value: ValueObject {
    ["page": .string(page), "presentation": presentation.value, "parameters": .object(parameters)]
  }
}
