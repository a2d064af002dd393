import ScreenDriver
import SwiftUI
import Testing

@MainActor @Suite("State and identity")
struct IdentityTests {
    @Test("The state of a row follows its ID, and ends with it")
    func rows() async throws {
        let screen = Screen(Rows())
        try await screen.tap("row 3: 0")
        try await screen.tap("Rotate")
        #expect(screen.has(button: "row 3: 1"))
        try await screen.tap("Drop")
        try await screen.tap("All")
        #expect(screen.has(button: "row 3: 0"))
        #expect(screen.complaints.isEmpty)
    }

    @Test("One value in two places has two states")
    func places() async throws {
        let screen = Screen(Twice())
        try await screen.tap("first")
        #expect(screen.has(button: "row 9: 1"))
        #expect(screen.has(button: "row 9: 0"))
    }

    @Test("Another id resets the state")
    func newID() async throws {
        let screen = Screen(Renewed())
        try await screen.tap("row 1: 0")
        try await screen.tap("Renew")
        #expect(screen.has(button: "row 1: 0"))
    }

    @Test("The two sides of an if do not share state")
    func sides() async throws {
        let screen = Screen(Sides())
        try await screen.tap("row 1: 0")
        try await screen.tap("Flip")
        #expect(screen.has(button: "row 1: 0"))
        try await screen.tap("Flip")
        #expect(screen.has(button: "row 1: 0"))
    }

    @Test("Duplicate IDs are reported")
    func duplicates() {
        let screen = Screen(ForEach([1, 1], id: \.self) { Text("\($0)") })
        #expect(screen.complaints == ["ForEach: the ID 1 occurs more than once"])
    }

    @Test("A state change while a body is read is reported")
    func stateInBody() async {
        let screen = Screen(WritesInBody())
        await screen.settle()
        #expect(screen.complaints.contains("state changed while the view was being built"))
    }

    @Test("A view that changes itself forever is reported and does not hang")
    func neverSettles() {
        let screen = Screen(Restless())
        #expect(screen.complaints.contains("the view never settles"))
    }

    @Test("Only a property that was read renders again")
    func observation() async {
        let counter = Counter()
        let screen = Screen(Watching(counter: counter))
        let before = screen.bodyCount
        counter.other = 5
        await screen.settle()
        #expect(screen.bodyCount == before)
        counter.count = 3
        #expect(screen.shows("count 3"))
        counter.count = 4
        counter.count = 5
        await screen.settle()
        #expect(screen.shows("count 5"))
    }

    @Test("A binding reaches into a model, and into a value")
    func bindings() async throws {
        let counter = Counter()
        let screen = Screen(Editing(counter: counter))
        try await screen.type("abc", into: "Name")
        #expect(counter.name.text == "abc")
        #expect(screen.shows("3 letters"))
    }

    @Test("A custom property wrapper links the properties inside it")
    func ownProperty() async throws {
        let screen = Screen(OwnProperty())
        try await screen.tap("tapped 0")
        #expect(screen.has(button: "tapped 1"))
    }
}

@MainActor @Observable final class Counter {
    struct Name { var text = "" }
    var count = 0
    var other = 0
    var name = Name()
}

struct Row: View {
    let id: Int
    @State private var taps = 0
    var body: some View { Button("row \(id): \(taps)") { taps += 1 } }
}

private struct Rows: View {
    @State private var ids = [1, 2, 3]

    var body: some View {
        VStack {
            ForEach(ids, id: \.self) { Row(id: $0) }
            Button("Rotate") { ids = [3, 1, 2] }
            Button("Drop") { ids = [1] }
            Button("All") { ids = [1, 2, 3] }
        }
    }
}

private struct Twice: View {
    private let row = Row(id: 9)
    var body: some View {
        VStack {
            row.accessibilityIdentifier("first")
            row.accessibilityIdentifier("second")
        }
    }
}

private struct Renewed: View {
    @State private var count = 0
    var body: some View {
        Row(id: 1).id(count)
        Button("Renew") { count += 1 }
    }
}

private struct Sides: View {
    @State private var isFirst = true
    var body: some View {
        if isFirst { Row(id: 1) } else { Row(id: 1) }
        Button("Flip") { isFirst.toggle() }
    }
}

private struct WritesInBody: View {
    @State private var count = 0
    var body: some View {
        Text("\(grown())")
    }

    private func grown() -> Int {
        if count == 0 { count = 1 }
        return count
    }
}

private struct Restless: View {
    @State private var count = 0
    var body: some View { Text("\(count)").onChange(of: count, initial: true) { count += 1 } }
}

private struct Watching: View {
    let counter: Counter
    var body: some View { Text("count \(counter.count)") }
}

private struct Editing: View {
    @Bindable var counter: Counter
    var body: some View {
        TextField("Name", text: $counter.name.text)
        Text("\(counter.name.text.count) letters")
    }
}

private struct Taps: DynamicProperty {
    @State var count = 0
}

private struct OwnProperty: View {
    private var taps = Taps()
    var body: some View { Button("tapped \(taps.count)") { taps.count += 1 } }
}
