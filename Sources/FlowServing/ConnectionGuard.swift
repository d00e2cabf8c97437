#if Network
  import NIOCore
  import NIOHTTPTypes

  /// Limits the time of each phase of a connection: receiving the headers of a request, receiving its body, and the
  /// pause after an answer. A client gets no more time by sending a byte now and then.
  ///
  /// All of it runs on the event loop of the connection.
  package final class ConnectionGuard: ChannelDuplexHandler, RemovableChannelHandler {
    package typealias InboundIn = HTTPRequestPart
    package typealias InboundOut = HTTPRequestPart
    package typealias OutboundIn = HTTPResponsePart
    package typealias OutboundOut = HTTPResponsePart

    private let table: ConnectionTable
    private let timeouts: ConnectionTimeouts
    private var peer = ""
    private var isOpen = false
    private var unanswered = 0
    private var deadline: Scheduled<Void>?

    /// Creates the guard of one connection, which also keeps the connection's entry in `table` up to date.
    package init(table: ConnectionTable, timeouts: ConnectionTimeouts) {
      self.table = table
      self.timeouts = timeouts
    }

    package func handlerAdded(context: ChannelHandlerContext) { if context.channel.isActive { begin(context) } }

    package func handlerRemoved(context: ChannelHandlerContext) { end(context) }

    package func channelActive(context: ChannelHandlerContext) {
      begin(context)
      context.fireChannelActive()
    }

    package func channelInactive(context: ChannelHandlerContext) {
      end(context)
      context.fireChannelInactive()
    }

    package func channelRead(context: ChannelHandlerContext, data: NIOAny) {
      switch unwrapInboundIn(data) {
      case .head:
        unanswered += 1
        table.setWaiting(false, context.channel, from: peer)
        close(context, afterSeconds: timeouts.bodySeconds)
      case .body: break
      case .end: close(context, afterSeconds: unanswered == 0 ? timeouts.idleSeconds : nil)
      }
      context.fireChannelRead(data)
    }

    package func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
      if case .end = unwrapOutboundIn(data) {
        unanswered -= 1
        if unanswered == 0 {
          table.setWaiting(true, context.channel, from: peer)
          close(context, afterSeconds: timeouts.idleSeconds)
        }
      }
      context.write(data, promise: promise)
    }

    private func begin(_ context: ChannelHandlerContext) {
      guard !isOpen else { return }
      isOpen = true
      peer = context.channel.remoteAddress?.ipAddress ?? ""
      table.open(context.channel, from: peer)
      close(context, afterSeconds: timeouts.headerSeconds)
    }

    private func end(_ context: ChannelHandlerContext) {
      guard isOpen else { return }
      isOpen = false
      deadline?.cancel()
      table.close(context.channel, from: peer)
    }

    /// Closes the connection after `seconds`, unless the method is called again before. Nil removes the time limit.
    private func close(_ context: ChannelHandlerContext, afterSeconds seconds: Int64?) {
      deadline?.cancel()
      let channel = context.channel
      deadline = seconds.map { seconds in
        context.eventLoop.scheduleTask(in: .seconds(seconds)) { channel.close(promise: nil) }
      }
    }
  }
#endif
