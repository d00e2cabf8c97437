#if canImport(SwiftUI)
  import FlowKit
  public import SwiftUI

  /// A view that shows the splash until the gate of a launch has opened, and then the content.
  ///
  /// ```swift
  /// LaunchGate(model) { Splash() } content: { Shelf() }
  /// ```
  public struct LaunchGate<Workflow: PackagedWorkflow, Splash: View, Content: View>: View {
    private let model: LaunchModel<Workflow>
    private let splash: () -> Splash
    private let content: () -> Content

    /// Creates a view for a launch. The content is not created before the gate has opened.
    public init(
      _ model: LaunchModel<Workflow>, @ViewBuilder splash: @escaping () -> Splash,
      @ViewBuilder content: @escaping () -> Content
    ) {
      self.model = model
      self.splash = splash
      self.content = content
    }

    /// The splash until the gate has opened, then the content.
    public var body: some View {
      if model.showsSplash { splash() } else { content() }
    }
  }
#endif
