import GatehouseWire

/// Evicts its oldest entry when it is full.
struct Bounded<Value> {
    let capacity: Int
    private var values: [ExternalName: Value] = [:]
    private var order: [ExternalName] = []

    init(capacity: Int) { self.capacity = max(1, capacity) }

    var count: Int { values.count }

    subscript(key: String) -> Value? { ExternalName(key).flatMap { values[$0] } }

    mutating func insert(_ value: Value, for key: String) {
        let key = ExternalName(trusted: key)
        if values.updateValue(value, forKey: key) == nil { order.append(key) }
        guard values.count > capacity else { return }
        values[order.removeFirst()] = nil
    }

    mutating func remove(where isOver: (Value) -> Bool) {
        order.removeAll { key in
            guard let value = values[key], isOver(value) else { return false }
            values[key] = nil
            return true
        }
    }
}
