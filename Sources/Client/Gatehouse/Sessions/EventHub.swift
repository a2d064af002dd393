/// Buffers without limit, so no listener delays another or misses a value. Runs no listener's code.
struct EventHub<Value: Sendable>: Sendable {
    private var continuations: [Int: AsyncStream<Value>.Continuation] = [:]
    private var nextID = 0

    mutating func add(_ continuation: AsyncStream<Value>.Continuation) -> Int {
        nextID += 1
        continuations[nextID] = continuation
        return nextID
    }

    mutating func remove(_ id: Int) { continuations[id] = nil }

    func send(_ value: Value) {
        for continuation in continuations.values { continuation.yield(value) }
    }

    func finish() {
        for continuation in continuations.values { continuation.finish() }
    }
}
