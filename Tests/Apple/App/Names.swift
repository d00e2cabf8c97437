// swift-format-ignore-file
// A file of an app that imports frameworks and products, and uses names of both without a module's name in front.
import Combine
import FlowApple
import FlowHistory
import FlowKit
import FlowObservability
import Foundation
import GeocodePlugin
import LocationPlugin
import PreferencesPlugin
import RouterPlugin
import StoragePlugin
import SwiftUI
import SyncKit
import SyncPlugin
import UIKit
import UserInterfacePlugin

struct ContentView: View {
  var body: some View { EmptyView() }
}

final class Upload: Operation, @unchecked Sendable {}

func recorded() -> Record<Int, Never> { Record(output: [1, 2]) }

func cancel(_ subscription: any Subscription) { subscription.cancel() }

func sum(_ bytes: Span<UInt8>, _ quality: QualityOfService) -> Int { bytes.count }

struct Greeting: ActionInput {
  @Field("The person to greet") var who: String
}

func observed(_ options: RunOptions) -> RunOptions {
  var options = options
  options.observer = RunSignposts()
  return options
}

func version(of record: SyncRecord) -> Int64 { record.version }

let engine = Engine {
  LocationPlugin(source: CoreLocationSource())
  PreferencesPlugin(system: DevicePreferences())
  RouterPlugin()
  SyncPlugin()
}
