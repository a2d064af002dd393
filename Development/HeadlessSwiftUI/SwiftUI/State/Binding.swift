@propertyWrapper @dynamicMemberLookup public struct Binding<Value> {
    private let access: BindingAccess<Value>
    // The parts of the transaction, which is not `Sendable` itself.
    private var animation: Animation?
    private var disablesAnimations = false

    init(_ access: BindingAccess<Value>) { self.access = access }

    @preconcurrency public init(
        @_inheritActorContext get: @escaping @isolated(any) @Sendable () -> Value,
        @_inheritActorContext set: @escaping @isolated(any) @Sendable (Value) -> Void
    ) {
        // The engine calls both on the main actor, where they were created. An `@isolated(any)` function would require
        // `await`.
        let get = unsafeBitCast(get, to: (@Sendable () -> Value).self)
        let set = unsafeBitCast(set, to: (@Sendable (Value) -> Void).self)
        access = BindingAccess(get: get) { value, _ in set(value) }
    }

    public static func constant(_ value: Value) -> Binding<Value> {
        Binding(
            BindingAccess {
                value
            } set: { _, _ in
            })
    }

    public var wrappedValue: Value {
        get { access.get() }
        nonmutating set { access.set(newValue, transaction) }
    }

    public var transaction: Transaction {
        get {
            var transaction = Transaction(animation: animation)
            transaction.disablesAnimations = disablesAnimations
            return transaction
        }
        set { (animation, disablesAnimations) = (newValue.animation, newValue.disablesAnimations) }
    }

    public var projectedValue: Binding<Value> { self }
    public init(projectedValue: Binding<Value>) { self = projectedValue }

    public subscript<Subject>(dynamicMember keyPath: WritableKeyPath<Value, Subject>) -> Binding<Subject> {
        let access = access
        return Binding<Subject>(
            BindingAccess<Subject> {
                access.get()[keyPath: keyPath]
            } set: { value, transaction in
                var whole = access.get()
                whole[keyPath: keyPath] = value
                access.set(whole, transaction)
            })
    }

    public func transaction(_ transaction: Transaction) -> Binding<Value> {
        var binding = self
        binding.transaction = transaction
        return binding
    }

    public func animation(_ animation: Animation? = .default) -> Binding<Value> {
        transaction(Transaction(animation: animation))
    }
}

extension Binding {
    public init<V>(_ base: Binding<V>) where Value == V? {
        let access = base.access
        self.init(
            BindingAccess {
                access.get()
            } set: { value, transaction in
                if let value { access.set(value, transaction) }
            })
    }

    public init?(_ base: Binding<Value?>) {
        guard let first = base.wrappedValue else { return nil }
        let access = base.access
        self.init(
            BindingAccess {
                access.get() ?? first
            } set: {
                access.set($0, $1)
            })
    }
}

extension Binding: Sendable where Value: Sendable {}

extension Binding: Identifiable where Value: Identifiable {
    public var id: Value.ID { wrappedValue.id }
}

public struct Transaction {
    public var animation: Animation?
    public var disablesAnimations = false

    public init() {}
    public init(animation: Animation?) { self.animation = animation }
}

@available(*, unavailable) extension Transaction: Sendable {}

/// Animations have no effect.
public struct Animation: Equatable, Sendable {
    private let name: String

    public static let `default` = Animation(name: "default")
    public static let linear = Animation(name: "linear")
    public static let easeIn = Animation(name: "easeIn")
    public static let easeOut = Animation(name: "easeOut")
    public static let easeInOut = Animation(name: "easeInOut")
    public static var spring: Animation { Animation(name: "spring") }
    public static var snappy: Animation { Animation(name: "snappy") }
    public static func easeInOut(duration: TimeInterval) -> Animation { .easeInOut }
    public static func linear(duration: TimeInterval) -> Animation { .linear }
}

public func withAnimation<Result>(
    _ animation: Animation? = .default, _ body: () throws -> Result
) rethrows -> Result {
    try body()
}
