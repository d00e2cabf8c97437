import FlowModel
import FlowPluginKit

/// What an interface shows, as it is kept from one launch to the next.
public struct InterfaceState: Sendable, Hashable {
  /// The tab in front; nil: none yet.
  public var tab: String?
  /// The pages over it, the one in front last.
  public var pages: [PageRequest]

  /// The most pages that are kept; older ones are dropped first.
  public static let pageLimit = 100

  /// A state.
  public init(tab: String? = nil, pages: [PageRequest] = []) {
    self.tab = tab
    self.pages = pages
  }

  /// Puts a page over the others.
  public mutating func open(_ page: PageRequest) {
    pages.append(page)
    if pages.count > Self.pageLimit { pages.removeFirst(pages.count - Self.pageLimit) }
  }

  /// The tab and those pages, with those parameters, that may be saved.
  public var value: Value {
    [
      "tab": tab.map(Value.string) ?? .null,
      "pages": .array(pages.compactMap { page in (page.saved?.value).map(Value.object) }),
    ]
  }

  /// The state that a saved value describes; nil when it is none.
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
  /// The page as it is saved.
  var value: ValueObject {
    ["page": .string(page), "presentation": presentation.value, "parameters": .object(parameters)]
  }
}
