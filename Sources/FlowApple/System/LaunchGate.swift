#if canImport(SwiftUI)
  import FlowKit
  public import SwiftUI

  /// Shows the splash until the gate of a launch has opened, then the content.
  ///
  /// ```swift
  /// LaunchGate(model) { Splash() } content: { Shelf() }
  /// ```
  public struct LaunchGate<Workflow: PackagedWorkflow, Splash: View, Content: View>: View {
    private let model: LaunchModel<Workflow>
    private let splash: () -> Splash
    private let content: () -> Content

    /// Creates a view of a launch. The content is created when the gate opens, not earlier.
    public init(
      _ model: LaunchModel<Workflow>, @ViewBuilder splash: @escaping () -> Splash,
      @ViewBuilder content: @escaping () -> Content
    ) {
      self.model = model
      self.splash = splash
      self.content = content
    }

    /// The splash or the content.
    public var body: some View {
      if model.showsSplash { splash() } else { content() }
    }
  }
#endif
