/// A view's place in the tree, from the rendering that first has it to the one that no longer does. Holds its state.
@MainActor package final class ViewNode {
    package enum Key: Hashable {
        case index(Int)
        case type(ObjectIdentifier)
        case id(AnyHashable)
        case slot(String)
    }

    /// Counts the places of one screen.
    final class Numbers {
        fileprivate var last = 0
    }

    private let numbers: Numbers
    private let number: Int
    private var children: [Key: ViewNode] = [:]
    /// Storage of the view's own properties, and what modifiers remember from one rendering to the next.
    var memory: [String: Any] = [:]
    var epoch = 0
    var task: Task<Void, Never>?
    /// Runs when the place is gone.
    var onEnd: (@MainActor () -> Void)?

    init(_ numbers: Numbers = Numbers()) {
        self.numbers = numbers
        numbers.last += 1
        number = numbers.last
    }

    /// Gives elements that were made here, and have no name yet, the place's name. Two of one place can have the same
    /// one: whoever needs them apart counts.
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

    /// What is remembered under a name; made when it is not.
    func remembered<Value>(_ name: String, _ make: () -> Value) -> Value {
        if let value = memory[name] as? Value { return value }
        let value = make()
        memory[name] = value
        return value
    }

    /// Ends the places that the rendering did not visit.
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
        task?.cancel()
        onEnd?()
        for child in children.values { child.end() }
        children = [:]
    }
}
