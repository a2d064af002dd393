public protocol EnvironmentKey {
    associatedtype Value
    static var defaultValue: Self.Value { get }
}

@propertyWrapper public struct Environment<Value>: DynamicProperty {
    private let read: (EnvironmentValues) -> Value
    private var value: Value?

    public init(_ keyPath: KeyPath<EnvironmentValues, Value>) { read = { $0[keyPath: keyPath] } }

    public init(_ objectType: Value.Type) where Value: AnyObject & Observable {
        read = { environment in
            guard let object = environment.object(objectType) else {
                preconditionFailure(
                    "No Observable object of type \(objectType) found: an ancestor's environment(_:) is missing.")
            }
            return object
        }
    }

    public init<T: AnyObject & Observable>(_ objectType: T.Type) where Value == T? {
        read = { $0.object(objectType) }
    }

    public var wrappedValue: Value { value ?? read(EnvironmentValues()) }
}

extension Environment: LinkedProperty {
    @MainActor mutating func link(to context: RenderContext, as name: String) { value = read(context.environment) }
}

extension View {
    nonisolated public func environment<V>(
        _ keyPath: WritableKeyPath<EnvironmentValues, V>, _ value: V
    ) -> some View {
        setting(keyPath, value)
    }

    nonisolated public func environment<T>(_ object: T?) -> some View where T: AnyObject & Observable {
        change(ObjectChange(object: object))
    }

    nonisolated public func transformEnvironment<V>(
        _ keyPath: WritableKeyPath<EnvironmentValues, V>, transform: @escaping (inout V) -> Void
    ) -> some View {
        change(EnvironmentTransform(keyPath: keyPath, transform: transform))
    }
}

private struct ObjectChange<Object: AnyObject & Observable>: ViewChange {
    let object: Object?

    func prepare(_ context: inout RenderContext) { context.environment.set(object) }
}

private struct EnvironmentTransform<Value>: ViewChange {
    let keyPath: WritableKeyPath<EnvironmentValues, Value>
    let transform: (inout Value) -> Void

    func prepare(_ context: inout RenderContext) { transform(&context.environment[keyPath: keyPath]) }
}
