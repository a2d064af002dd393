@propertyWrapper public struct State<Value>: DynamicProperty {
    private let initial: Value
    private var location: Location<Value>?

    public init(wrappedValue value: Value) { initial = value }
    public init(initialValue value: Value) { initial = value }

    public var wrappedValue: Value {
        get { location?.value ?? initial }
        nonmutating set { location?.value = newValue }
    }

    public var projectedValue: Binding<Value> {
        guard let location else { return .constant(initial) }
        return Binding(
            BindingAccess {
                location.value
            } set: { value, _ in
                location.value = value
            })
    }
}

extension State where Value: ExpressibleByNilLiteral {
    public init() { self.init(wrappedValue: nil) }
}

extension State: Sendable where Value: Sendable {}

extension State: LinkedProperty {
    @MainActor mutating func link(to context: RenderContext, as name: String) {
        let (initial, signal) = (initial, context.host.signal)
        location = context.node.remembered(name) { Location(initial, signal) }
    }
}

@propertyWrapper @dynamicMemberLookup public struct Bindable<Value> {
    public var wrappedValue: Value
    public var projectedValue: Bindable<Value> { self }

    public init(wrappedValue: Value) where Value: AnyObject & Observable { self.wrappedValue = wrappedValue }
    public init(_ wrappedValue: Value) where Value: AnyObject & Observable { self.wrappedValue = wrappedValue }
    public init(projectedValue: Bindable<Value>) where Value: AnyObject & Observable { self = projectedValue }

    public subscript<Subject>(
        dynamicMember keyPath: ReferenceWritableKeyPath<Value, Subject>
    ) -> Binding<Subject> where Value: AnyObject {
        let object = wrappedValue
        return Binding(
            BindingAccess {
                object[keyPath: keyPath]
            } set: { value, _ in
                object[keyPath: keyPath] = value
            })
    }
}

extension Bindable: Sendable where Value: Sendable {}
