// Writes log lines on a thread of its own, so that a slow terminal or a full pipe never stops a worker.

import Synchronization

/// A bounded queue of lines before a stream. When it is full, lines are dropped and counted; the count is written as a
/// line of its own once there is room.
package final class StreamLogSink: LogSink {
  private struct Queue {
    var bytes: [UInt8] = []
    var dropped = 0
    var closed = false
  }

  private let stream: FileDescriptorStream
  private let bytesMax: Int
  private let queue = Mutex(Queue())
  private let bell = Doorbell()
  private let thread = Mutex<NamedThread?>(nil)

  /// Starts the writing thread. Throws when the system refuses one: exit 3.
  package init(stream: FileDescriptorStream = .errors, bytesMax: Int = 1 << 20) throws(Problem) {
    self.stream = stream
    self.bytesMax = bytesMax
    do {
      let started = try NamedThread(name: "log", stackBytes: 256 << 10) { [weak self] in
        while let self, self.writeNext() {}
      }
      thread.withLock { $0 = started }
    } catch {
      throw .environment(error.description)
    }
  }

  package func write(_ line: String) {
    let isFirst = queue.withLock { queue -> Bool in
      let wasEmpty = queue.bytes.isEmpty
      guard !queue.closed, queue.bytes.count + line.utf8.count <= bytesMax else {
        queue.dropped += 1
        return false
      }
      queue.bytes += line.utf8
      return wasEmpty
    }
    if isFirst { bell.ring() }
  }

  /// Writes what is queued and ends the thread; lines that come later are dropped. Call it once, before the process
  /// ends; it waits for the stream, so a process that must end at once does not call it.
  package func close() {
    queue.withLock { $0.closed = true }
    bell.ring()
    thread.withLock { thread in
      thread?.join()
      thread = nil
    }
  }

  /// One turn of the thread; false: closed and empty.
  private func writeNext() -> Bool {
    bell.wait()
    let (bytes, dropped, closed) = queue.withLock { queue in
      defer {
        queue.bytes = []
        queue.dropped = 0
      }
      return (queue.bytes, queue.dropped, queue.closed)
    }
    stream.write(bytes)
    if dropped > 0 {
      stream.write("{\"level\":\"warning\",\"message\":\"log lines dropped\",\"dropped\":\(dropped)}\n")
    }
    return !closed
  }
}

/// Keeps lines in memory: for tests and for a command that shows its log at the end.
package final class InMemoryLogSink: LogSink {
  private let kept = Mutex<[String]>([])

  /// An empty sink.
  package init() {}

  package func write(_ line: String) { kept.withLock { $0.append(line) } }

  /// Everything written so far, in order.
  package var lines: [String] { kept.withLock { $0 } }
}
