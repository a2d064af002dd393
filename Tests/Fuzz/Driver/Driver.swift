import FuzzTargets
import Glibc

/// CPU limit: a millisecond per kilobyte, plus a page fault for the first.
private let millisecondsPerKilobyte = 1.0
private let leastMilliseconds = 5.0

/// GATEHOUSE_FUZZ_TARGET names it.
private let target = getenv("GATEHOUSE_FUZZ_TARGET").flatMap { FuzzTarget(rawValue: String(cString: $0)) }

/// libFuzzer calls it with each input, and keeps an input that ends the process.
@_cdecl("LLVMFuzzerTestOneInput")
public func testOneInput(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    guard let target else { stop("GATEHOUSE_FUZZ_TARGET is none of \(FuzzTarget.allCases.map(\.rawValue))") }
    let input = Array(UnsafeBufferPointer(start: start, count: count))
    let allowed = max(leastMilliseconds, millisecondsPerKilobyte * Double(count) / 1_000)
    // A slow input is slow again.
    var taken = milliseconds(target, input)
    for _ in 0..<3 where taken > allowed { taken = min(taken, milliseconds(target, input)) }
    if taken > allowed { stop("slow: \(taken) ms for \(count) bytes, \(allowed) allowed") }
    return 0
}

/// This thread's CPU time for one run.
private func milliseconds(_ target: FuzzTarget, _ input: [UInt8]) -> Double {
    let began = now()
    do { try target.run(input) } catch { stop("finding: \(error)") }
    return now() - began
}

private func now() -> Double {
    var time = timespec()
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
    return Double(time.tv_sec) * 1_000 + Double(time.tv_nsec) / 1_000_000
}

private func stop(_ why: String) -> Never {
    let line = "==\(target?.rawValue ?? "fuzz")== \(why)\n"
    _ = write(STDERR_FILENO, line, line.utf8.count)
    abort()
}
