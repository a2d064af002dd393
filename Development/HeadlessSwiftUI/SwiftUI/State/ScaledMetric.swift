@propertyWrapper public struct ScaledMetric<Value: BinaryFloatingPoint>: DynamicProperty {
    private let base: Value
    private var factor: CGFloat = 1

    public init(wrappedValue: Value) { base = wrappedValue }
    public init(wrappedValue: Value, relativeTo textStyle: Font.TextStyle) { base = wrappedValue }

    public var wrappedValue: Value { base * Value(factor) }
}

extension ScaledMetric: LinkedProperty {
    @MainActor mutating func link(to context: RenderContext, as name: String) {
        factor = context.environment.dynamicTypeSize.factor
    }
}

@nonexhaustive public enum DynamicTypeSize: Comparable, CaseIterable, Hashable, Sendable {
    case xSmall, small, medium, large, xLarge, xxLarge, xxxLarge
    case accessibility1, accessibility2, accessibility3, accessibility4, accessibility5

    public var isAccessibilitySize: Bool { self >= .accessibility1 }

    var index: Int { Self.allCases.firstIndex(of: self) ?? 0 }

    /// Relative to `large`, by Apple's table of body text sizes.
    package var factor: CGFloat {
        let points: [CGFloat] = [14, 15, 16, 17, 19, 21, 23, 28, 33, 40, 47, 53]
        return points[index] / 17
    }
}

extension View {
    nonisolated public func dynamicTypeSize(_ size: DynamicTypeSize) -> some View { setting(\.dynamicTypeSize, size) }

    nonisolated public func dynamicTypeSize<T>(
        _ range: T
    ) -> some View where T: RangeExpression, T.Bound == DynamicTypeSize {
        change(TypeSizeLimit(allowed: DynamicTypeSize.allCases.filter { range.contains($0) }))
    }
}

private struct TypeSizeLimit: ViewChange {
    let allowed: [DynamicTypeSize]

    func prepare(_ context: inout RenderContext) {
        guard let least = allowed.first, let most = allowed.last else { return }
        context.environment.dynamicTypeSize = min(max(context.environment.dynamicTypeSize, least), most)
    }
}
