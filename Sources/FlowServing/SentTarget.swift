#if Network
  import NIOCore
  import NIOHTTP1
  import NIOHTTPTypes
  import NIOHTTPTypesHTTP1

  /// Preserves the target of each request as the client sent it. The request codec removes scheme and host from an
  /// absolute target, so a request for another server would look like one for this server.
  ///
  /// A server adds this handler to those of a connection, after the codec. It then adds another handler before the
  /// codec, which copies the target to the header field `fieldName`.
  package final class SentTarget: ChannelInboundHandler, RemovableChannelHandler {
    package typealias InboundIn = HTTPRequestPart
    package typealias InboundOut = HTTPRequestPart

    /// The name of the header field that contains the target. A field with this name that comes from the client is
    /// removed.
    package static let fieldName = "X-Flowrun-Target"

    package init() {}

    package func handlerAdded(context: ChannelHandlerContext) {
      do {
        let pipeline = context.pipeline.syncOperations
        let codec = try pipeline.handler(type: HTTP1ToHTTPServerCodec.self)
        try pipeline.addHandler(Copy(), position: .before(codec))
      } catch {
        // A request that cannot be checked must not be answered.
        context.close(promise: nil)
      }
    }

    private final class Copy: ChannelInboundHandler, RemovableChannelHandler {
      typealias InboundIn = HTTPServerRequestPart
      typealias InboundOut = HTTPServerRequestPart

      func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard case .head(var head) = unwrapInboundIn(data) else { return context.fireChannelRead(data) }
        head.headers.replaceOrAdd(name: SentTarget.fieldName, value: head.uri)
        context.fireChannelRead(wrapInboundOut(.head(head)))
      }
    }
  }
#endif
