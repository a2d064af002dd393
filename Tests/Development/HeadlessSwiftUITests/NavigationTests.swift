import ScreenDriver
import SwiftUI
import Testing

@MainActor @Suite("Navigation")
struct NavigationTests {
    @Test("A link pushes a page whose back button has the title of the page below")
    func link() async throws {
        let screen = Screen(Stack())
        try await screen.tap("Settings")
        #expect(screen.title == "Settings page")
        #expect(screen.has(button: "Home"))
        try await screen.goBack()
        #expect(screen.title == "Home")
        #expect(screen.complaints.isEmpty)
    }

    @Test("Values push their destination, and the path has them")
    func path() async throws {
        let screen = Screen(Stack())
        try await screen.tap("Seven")
        #expect(screen.title == "Number 7")
        try await screen.goBack()
        #expect(screen.shows("path []"))
        try await screen.tap("Jump")
        #expect(screen.title == "Number 2")
        try await screen.goBack()
        #expect(screen.title == "Number 1")
    }

    @Test("A value without a destination is reported")
    func nowhere() async throws {
        let screen = Screen(NavigationStack { NavigationLink("Lost", value: "text") })
        try await screen.tap("Lost")
        #expect(screen.complaints == ["no navigationDestination for text"])
    }

    @Test("A binding pushes and pops its page")
    func bound() async throws {
        let screen = Screen(Stack())
        try await screen.tap("Bound")
        #expect(screen.shows("bound page"))
        try await screen.goBack()
        #expect(!screen.shows("bound page"))
    }

    @Test("A covered page disappears, and its task ends; it appears again as the top page")
    func covered() async throws {
        let log = Log()
        let screen = Screen(Covered(log: log))
        try await screen.wait { _ in log.lines == ["appear", "task"] }
        try await screen.tap("Next")
        try await screen.wait { _ in log.lines.count == 4 }
        #expect(Set(log.lines.suffix(2)) == ["disappear", "task ended"])
        try await screen.goBack()
        try await screen.wait { _ in log.lines.count == 6 }
        #expect(Set(log.lines.suffix(2)) == ["appear", "task"])
    }

    @Test("Toolbar items are in the bar, and a label there is its symbol with its name")
    func toolbar() async throws {
        let screen = Screen(Barred())
        #expect(screen.buttons == ["Close", "Add"])
        #expect(screen.symbols == ["plus"])
        try await screen.tap("Close")
        #expect(screen.title == "closed")
    }

    @Test("A search field is in the bar and filters")
    func search() async throws {
        let screen = Screen(Searching())
        try await screen.type("Bo", into: "Find a team")
        #expect(screen.texts == ["Teams", "Boston"])
        #expect(try screen.attribute("enterkeyhint", of: "Find a team") == "search")
    }
}

@MainActor final class Log {
    var lines: [String] = []
}

private struct Stack: View {
    @State private var path: [Int] = []
    @State private var isBound = false

    var body: some View {
        NavigationStack(path: $path) {
            VStack {
                NavigationLink("Settings") { Text("page").navigationTitle("Settings page") }
                NavigationLink("Seven", value: 7)
                Button("Jump") { path = [1, 2] }
                Button("Bound") { isBound = true }
                Text("path \("\(path)")")
            }
            .navigationTitle("Home")
            .navigationDestination(for: Int.self) { Text("page").navigationTitle("Number \($0)") }
            .navigationDestination(isPresented: $isBound) { Text("bound page") }
        }
    }
}

private struct Covered: View {
    let log: Log

    var body: some View {
        NavigationStack {
            NavigationLink("Next") { Text("next") }
                .onAppear { log.lines.append("appear") }
                .onDisappear { log.lines.append("disappear") }
                .task {
                    log.lines.append("task")
                    await untilCancelled()
                    log.lines.append("task ended")
                }
        }
    }
}

/// Returns when the task is cancelled.
func untilCancelled() async {
    let (stream, _) = AsyncStream<Void>.makeStream()
    for await _ in stream {}
}

private struct Barred: View {
    @State private var title = "open"
    var body: some View {
        NavigationStack {
            Text("page").navigationTitle(title)
                .toolbar {
                    ToolbarItem(placement: .cancellationAction) { Button("Close") { title = "closed" } }
                    ToolbarItem(placement: .primaryAction) { Button("Add", systemImage: "plus") {} }
                }
        }
    }
}

private struct Searching: View {
    @State private var text = ""
    var body: some View {
        NavigationStack {
            List {
                ForEach(["Boston", "Miami"].filter { text.isEmpty || $0.hasPrefix(text) }, id: \.self) { Text($0) }
            }
            .navigationTitle("Teams")
            .searchable(text: $text, prompt: "Find a team")
        }
    }
}
