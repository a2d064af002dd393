@propertyWrapper public struct FocusState<Value: Hashable>: DynamicProperty {
    private let empty: Value
    private var location: FocusLocation<Value>?

    public init() where Value == Bool { empty = false }
    public init<T: Hashable>() where Value == T? { empty = nil }

    public var wrappedValue: Value {
        get { location?.stored.value ?? empty }
        nonmutating set { location?.stored.value = newValue }
    }

    public var projectedValue: FocusState<Value>.Binding { Binding(empty: empty, location: location) }

    @propertyWrapper public struct Binding {
        fileprivate let empty: Value
        fileprivate let location: FocusLocation<Value>?

        public var wrappedValue: Value {
            get { location?.stored.value ?? empty }
            nonmutating set { location?.stored.value = newValue }
        }

        public var projectedValue: FocusState<Value>.Binding { self }
    }
}

extension FocusState: LinkedProperty {
    @MainActor mutating func link(to context: RenderContext, as name: String) {
        location = FocusLocation.linked(name, empty, context)
    }
}

@propertyWrapper public struct AccessibilityFocusState<Value: Hashable>: DynamicProperty {
    private let empty: Value
    private var location: FocusLocation<Value>?

    public init() where Value == Bool { empty = false }
    public init<T: Hashable>() where Value == T? { empty = nil }

    public var wrappedValue: Value {
        get { location?.stored.value ?? empty }
        nonmutating set { location?.stored.value = newValue }
    }

    public var projectedValue: AccessibilityFocusState<Value>.Binding { Binding(empty: empty, location: location) }

    @propertyWrapper public struct Binding {
        fileprivate let empty: Value
        fileprivate let location: FocusLocation<Value>?

        public var wrappedValue: Value {
            get { location?.stored.value ?? empty }
            nonmutating set { location?.stored.value = newValue }
        }

        public var projectedValue: AccessibilityFocusState<Value>.Binding { self }
    }
}

extension AccessibilityFocusState: LinkedProperty {
    @MainActor mutating func link(to context: RenderContext, as name: String) {
        location = FocusLocation.linked(name, empty, context)
    }
}

extension View {
    nonisolated public func focused<Value>(
        _ binding: FocusState<Value>.Binding, equals value: Value
    ) -> some View where Value: Hashable {
        change(FocusedChange(location: binding.location, value: value))
    }

    nonisolated public func focused(_ condition: FocusState<Bool>.Binding) -> some View {
        change(FocusedChange(location: condition.location, value: true))
    }

    nonisolated public func defaultFocus<V>(
        _ binding: FocusState<V>.Binding, _ value: V
    ) -> some View where V: Hashable {
        onAppear { binding.wrappedValue = value }
    }

    nonisolated public func accessibilityFocused<Value>(
        _ binding: AccessibilityFocusState<Value>.Binding, equals value: Value
    ) -> some View where Value: Hashable {
        change(SpokenFocusChange(location: binding.location, value: value))
    }

    nonisolated public func accessibilityFocused(
        _ condition: AccessibilityFocusState<Bool>.Binding
    ) -> some View {
        change(SpokenFocusChange(location: condition.location, value: true))
    }
}

private struct FocusedChange<Value: Hashable>: ViewChange {
    let location: FocusLocation<Value>?
    let value: Value

    func prepare(_ context: inout RenderContext) {
        guard let location else { return }
        context.focusClaims.append(location.claim(value))
    }
}

private struct SpokenFocusChange<Value: Hashable>: ViewChange {
    let location: FocusLocation<Value>?
    let value: Value

    func finish(_ elements: [ScreenElement], in context: RenderContext) -> [ScreenElement] {
        guard let location, let element = elements.first(where: { !$0.isPresentation })?.subject else {
            return elements
        }
        let claim = location.claim(value)
        if context.isOnTop, claim.wants() { element.spoken.isFocused = claim.take() }
        element.spoken.focus = { claim.set($0) }
        return elements
    }
}
