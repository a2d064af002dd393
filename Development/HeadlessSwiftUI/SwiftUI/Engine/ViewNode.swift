/// Lives from the first rendering that contains the view to the last.
@MainActor package final class ViewNode {
    package enum Key: Hashable {
        case index(Int)
        case type(ObjectIdentifier)
        case id(AnyHashable)
        case slot(String)
    }

    final class Numbers {
        fileprivate var last = 0
    }

    private let numbers: Numbers
    private let number: Int
    private var children: [Key: ViewNode] = [:]
    /// Also values that modifiers keep between renderings.
    var memory: [String: Any] = [:]
    var epoch = 0
    var task: Task<Void, Never>?
    private(set) package var hasEnded = false
    var onEnd: (@MainActor () -> Void)?

    init(_ numbers: Numbers = Numbers()) {
        self.numbers = numbers
        numbers.last += 1
        number = numbers.last
    }

    /// Gives elements without an id the node's id, which they may share; callers that need unique ids add a number.
    func naming(_ elements: [ScreenElement]) -> [ScreenElement] {
        for element in elements where element.id == nil { element.id = "e\(number)" }
        return elements
    }

    func child(_ key: Key) -> ViewNode {
        if let child = children[key] { return child }
        let child = ViewNode(numbers)
        children[key] = child
        return child
    }

    package func remembered<Value>(_ name: String, _ make: () -> Value) -> Value {
        if let value = memory[name] as? Value { return value }
        let value = make()
        memory[name] = value
        return value
    }

    func sweep(_ epoch: Int) {
        for (key, child) in children {
            if child.epoch == epoch {
                child.sweep(epoch)
            } else {
                children[key] = nil
                child.end()
            }
        }
    }

    func end() {
        hasEnded = true
        task?.cancel()
        onEnd?()
        for child in children.values { child.end() }
        children = [:]
    }
}
