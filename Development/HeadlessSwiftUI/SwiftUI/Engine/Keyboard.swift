@MainActor final class Keyboard {
    private var owner: ViewNode?
    private var wasSeen = false
    private var memories: [any FocusMemory] = []

    func begin() {
        memories = []
        wasSeen = false
    }

    func met(_ memory: any FocusMemory) {
        memory.isClaimed = false
        memories.append(memory)
    }

    func isFocused(_ node: ViewNode, _ claims: [FocusClaim], canFocus: Bool) -> Bool {
        let wanting = claims.filter { $0.wants() }
        let isFocused = canFocus && (claims.isEmpty ? owner === node : !wanting.isEmpty)
        if isFocused {
            for claim in wanting { _ = claim.take() }
            owner = node
            wasSeen = true
        } else if owner === node {
            owner = nil
        }
        return isFocused
    }

    func move(to node: ViewNode, _ claims: [FocusClaim], _ isFocused: Bool, _ signal: RenderSignal) {
        if isFocused {
            for memory in memories where !claims.contains(where: { $0.memory === memory }) { memory.clear() }
            owner = node
        } else {
            owner = nil
        }
        for claim in claims { claim.set(isFocused) }
        signal.invalidate()
    }

    /// Clears focus values that no field on the screen represents.
    func end(_ signal: RenderSignal) {
        if !wasSeen { owner = nil }
        for memory in memories where !memory.isClaimed { memory.clear() }
    }
}

@MainActor protocol FocusMemory: AnyObject {
    var isClaimed: Bool { get set }
    func clear()
}

@MainActor struct FocusClaim {
    let memory: any FocusMemory
    let wants: @MainActor () -> Bool
    let set: @MainActor (Bool) -> Void

    /// - Returns: true.
    func take() -> Bool {
        memory.isClaimed = true
        return true
    }
}

final class FocusLocation<Value: Hashable>: FocusMemory {
    nonisolated let stored: Location<Value>
    private let empty: Value
    var isClaimed = false

    private init(_ empty: Value, _ signal: RenderSignal) {
        stored = Location(empty, signal)
        self.empty = empty
    }

    static func linked(_ name: String, _ empty: Value, _ context: RenderContext) -> FocusLocation {
        let location = context.node.remembered(name) { FocusLocation(empty, context.host.signal) }
        context.host.keyboard.met(location)
        return location
    }

    func clear() { if stored.value != empty { stored.value = empty } }

    func claim(_ value: Value) -> FocusClaim {
        FocusClaim(memory: self) {
            self.stored.value == value
        } set: { isFocused in
            if isFocused {
                self.stored.value = value
            } else if self.stored.value == value {
                self.stored.value = self.empty
            }
        }
    }
}
