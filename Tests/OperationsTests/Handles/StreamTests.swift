// Tests of what touches the system: streams, the log's thread, the doorbell, signals.

import Glibc
import Synchronization
import Testing

@testable import Operations

@Suite("Streams and signals")
struct StreamTests {
  /// A pipe: what is written to its end, and a reader of everything up to the end of the stream.
  private func makePipe() -> (read: Int32, write: Int32) {
    var ends: [Int32] = [-1, -1]
    // SAFETY: the array has the two elements the call fills.
    unsafe _ = pipe(&ends)
    return (ends[0], ends[1])
  }

  private func readAll(_ descriptor: Int32) -> String {
    var all: [UInt8] = []
    var chunk = [UInt8](repeating: 0, count: 4096)
    let size = chunk.count
    while true {
      // SAFETY: the array is valid for the call, and its own length bounds the read.
      let count = unsafe read(descriptor, &chunk, size)
      if count <= 0 { return String(decoding: all, as: UTF8.self) }
      all += chunk[..<count]
    }
  }

  @Test("a stream writes everything, and says when nobody reads")
  func stream() {
    let pipe = makePipe()
    let stream = FileDescriptorStream(descriptor: pipe.write)
    #expect(stream.write("hello\n"))
    #expect(!stream.isTerminal)
    #expect(stream.columns == nil)
    close(pipe.write)
    #expect(readAll(pipe.read) == "hello\n")
    close(pipe.read)
    #expect(!FileDescriptorStream(descriptor: -1).write("x"))
  }

  @Test("the log's thread writes lines in order, and closing waits for them")
  func logThread() throws {
    let pipe = makePipe()
    let sink = try StreamLogSink(stream: FileDescriptorStream(descriptor: pipe.write))
    for number in 0..<500 { sink.write("line \(number)\n") }
    sink.close()
    close(pipe.write)
    #expect(readAll(pipe.read) == (0..<500).map { "line \($0)\n" }.joined())
    close(pipe.read)
  }

  @Test("a reader that does not read costs lines, not the caller's time, and the loss is told")
  func slowReader() throws {
    let pipe = makePipe()
    let sink = try StreamLogSink(stream: FileDescriptorStream(descriptor: pipe.write), bytesMax: 1_000)
    // More than a pipe and the queue hold: written without a reader, this would block for ever.
    let line = String(repeating: "x", count: 99) + "\n"
    for _ in 0..<5_000 { sink.write(line) }
    let text = Mutex("")
    let reader = try NamedThread(name: "reader") { [self] in
      let all = readAll(pipe.read)
      text.withLock { $0 = all }
    }
    sink.close()
    close(pipe.write)
    reader.join()
    close(pipe.read)
    #expect(text.withLock { $0 }.contains("\"message\":\"log lines dropped\""))
  }

  @Test("a bell rung before the wait is not lost")
  func doorbell() throws {
    let bell = Doorbell()
    bell.ring()
    bell.wait()
    let answer = Doorbell()
    let thread = try NamedThread(name: "waiter") {
      bell.wait()
      answer.ring()
    }
    bell.ring()
    answer.wait()
    thread.join()
  }

  @Test("the first SIGTERM asks to stop; the process goes on")
  func firstSignal() async {
    await #expect(processExitsWith: .exitCode(42)) {
      let bell = Doorbell()
      let seen = Mutex<Int32>(0)
      try StopSignals.install { signal in
        seen.withLock { $0 = signal }
        bell.ring()
      }
      kill(getpid(), SIGTERM)
      bell.wait()
      exit(seen.withLock { $0 } == SIGTERM ? 42 : 1)
    }
  }

  @Test("the second signal ends the process at once: 143 for SIGTERM, 130 for SIGINT")
  func secondSignal() async {
    await #expect(processExitsWith: .exitCode(143)) {
      // To the process, as an operator's kill is: the pool's threads block signals. The second waits for the first.
      let bell = Doorbell()
      try StopSignals.install { _ in bell.ring() }
      kill(getpid(), SIGINT)
      bell.wait()
      kill(getpid(), SIGTERM)
      while true { bell.wait() }
    }
    await #expect(processExitsWith: .exitCode(130)) {
      // To the process, as an operator's kill is: the pool's threads block signals. The second waits for the first.
      let bell = Doorbell()
      try StopSignals.install { _ in bell.ring() }
      kill(getpid(), SIGTERM)
      bell.wait()
      kill(getpid(), SIGINT)
      while true { bell.wait() }
    }
  }

  @Test("a closed pipe is an error of the write, not the end of the process")
  func brokenPipe() async {
    await #expect(processExitsWith: .exitCode(7)) {
      try StopSignals.install { _ in }
      var ends: [Int32] = [-1, -1]
      // SAFETY: the array has the two elements the call fills.
      unsafe _ = pipe(&ends)
      close(ends[0])
      exit(FileDescriptorStream(descriptor: ends[1]).write("x") ? 1 : 7)
    }
  }
}
