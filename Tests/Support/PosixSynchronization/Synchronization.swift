import Glibc

/// For the thread sanitizer: on Linux `Synchronization.Mutex` is a futex in uninstrumented code, so each `withLock`
/// would look like a race. (Swift 6.3.1, 2026-11.)
public struct Mutex<Value: ~Copyable>: ~Copyable, @unchecked Sendable {
    private let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
    private let value = UnsafeMutablePointer<Value>.allocate(capacity: 1)

    public init(_ value: consuming sending Value) {
        pthread_mutex_init(mutex, nil)
        self.value.initialize(to: value)
    }

    deinit {
        value.deinitialize(count: 1).deallocate()
        pthread_mutex_destroy(mutex)
        mutex.deallocate()
    }

    public borrowing func withLock<Result: ~Copyable, Failure: Error>(
        _ body: (inout sending Value) throws(Failure) -> sending Result
    ) throws(Failure) -> sending Result {
        pthread_mutex_lock(mutex)
        defer { pthread_mutex_unlock(mutex) }
        return try body(&value.pointee)
    }
}

/// The part that Gatehouse uses, over the same lock.
public struct Atomic<Value: Sendable>: ~Copyable, Sendable {
    private let value: Mutex<Value>

    public init(_ value: Value) { self.value = Mutex(value) }

    public borrowing func load(ordering: AtomicOrdering) -> Value { value.withLock { $0 } }
    public borrowing func store(_ new: Value, ordering: AtomicOrdering) { value.withLock { $0 = new } }

    public borrowing func exchange(_ new: Value, ordering: AtomicOrdering) -> Value {
        value.withLock { value in
            defer { value = new }
            return value
        }
    }
}

extension Atomic where Value: FixedWidthInteger {
    public borrowing func add(_ step: Value, ordering: AtomicOrdering) -> (oldValue: Value, newValue: Value) {
        value.withLock { value in
            defer { value += step }
            return (value, value + step)
        }
    }
}

public enum AtomicOrdering: Sendable { case relaxed, acquiring, releasing }
