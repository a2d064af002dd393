import ScreenDriver
import SwiftUI
import Testing

@MainActor @Suite("Lifecycle")
struct LifecycleTests {
    @Test("A task starts with its view and is cancelled with it")
    func task() async throws {
        let log = Log()
        let screen = Screen(Working(log: log))
        try await screen.wait(for: "ran")
        try await screen.tap("Remove")
        try await screen.wait { _ in log.lines.count == 2 }
        #expect(Set(log.lines) == ["gone", "cancelled"])
    }

    @Test("A task with a new id ends the previous one")
    func taskID() async throws {
        let log = Log()
        let screen = Screen(Restarting(log: log))
        try await screen.wait { _ in log.lines == ["began 0"] }
        try await screen.tap("Again")
        try await screen.wait { _ in log.lines.count == 3 }
        #expect(Set(log.lines) == ["began 0", "ended 0", "began 1"])
        screen.close()
        try await screen.wait { _ in log.lines.contains("ended 1") }
    }

    @Test("onChange has the old and the new value, and the first one on request")
    func change() async throws {
        let log = Log()
        let screen = Screen(Changing(log: log))
        #expect(log.lines == ["initial 0"])
        try await screen.tap("Add")
        #expect(Set(log.lines) == ["initial 0", "0 to 1", "initial 1"])
        #expect(screen.complaints.isEmpty)
    }

    @Test("A modifier of a group applies to each member: a swapped branch restarts, in a stack it does not")
    func members() async throws {
        let (group, stack) = (Log(), Log())
        for (log, isStack) in [(group, false), (stack, true)] {
            let screen = Screen(Branching(log: log, isStack: isStack))
            try await screen.wait { _ in log.lines.contains("began") }
            try await screen.tap("Swap")
            try await screen.wait(for: "second")
            await screen.settle()
        }
        #expect(group.lines.filter { $0 == "began" }.count == 2)
        #expect(group.lines.filter { $0 == "appeared" }.count == 2)
        #expect(group.lines.filter { $0 == "gone" }.count == 1)
        #expect(stack.lines.filter { ["began", "appeared"].contains($0) }.count == 2)
        #expect(!stack.lines.contains("gone"))
    }

    @Test("Each row of a section, and each view of a loop, appears by itself; an empty one does not")
    func rows() async throws {
        let log = Log()
        let screen = Screen(
            List {
                Section {
                    ForEach(0..<2, id: \.self) { Text("row \($0)") }
                } header: {
                    Text("head")
                }
                .onAppear { log.lines.append("section") }
                Group {}.onAppear { log.lines.append("nothing") }
                VStack { Text("one").onAppear { log.lines.append("inner") } }.onAppear { log.lines.append("stack") }
            })
        await screen.settle()
        #expect(log.lines.sorted() == ["inner", "section", "section", "section", "stack"])
    }

    @Test("A custom modifier keeps its state and sees the environment")
    func modifier() async throws {
        let screen = Screen(Text("content").modifier(Counting()))
        try await screen.tap("tapped 0 in en")
        #expect(screen.has(button: "tapped 1 in en"))
        #expect(screen.shows("content"))
    }

    @Test("The scene's phase and the device's settings reach the views at once")
    func settings() {
        let screen = Screen(Phase())
        #expect(screen.shows("active light large"))
        screen.scenePhase = .background
        screen.settings.colorScheme = .dark
        screen.settings.dynamicTypeSize = .accessibility3
        #expect(screen.shows("background dark accessibility3"))
    }

    @Test("A pull reloads the list")
    func refresh() async throws {
        let log = Log()
        let screen = Screen(
            List { Text("row") }.refreshable { await MainActor.run { log.lines.append("reloaded") } })
        try await screen.pullToRefresh()
        #expect(log.lines == ["reloaded"])
        await #expect(throws: ScreenError.self) { try await Screen(List { Text("row") }).pullToRefresh() }
    }

    @Test("A link opens its address outside")
    func link() async throws {
        let url = try #require(URL(string: "https://example.com/terms"))
        let screen = Screen(Link("Terms", destination: url))
        try await screen.tap("Terms")
        #expect(screen.device.openedURLs == [url])
    }

    @Test("A missing or disabled element is reported with the screen")
    func errors() async throws {
        let screen = Screen(Button("Send") {}.disabled(true))
        await #expect(throws: ScreenError.self) { try await screen.tap("Nothing") }
        let error = await #expect(throws: ScreenError.self) { try await screen.tap("Send") }
        #expect(error?.description == "the button \"Send\" is disabled, on\n[Send] disabled\n")
    }
}

private struct Working: View {
    let log: Log
    @State private var text = "waiting"
    @State private var isThere = true

    var body: some View {
        VStack {
            Text(text)
            if isThere {
                Text("worker")
                    .task {
                        text = "ran"
                        await untilCancelled()
                        log.lines.append("cancelled")
                    }
                    .onDisappear { log.lines.append("gone") }
            }
            Button("Remove") { isThere = false }
        }
    }
}

private struct Restarting: View {
    let log: Log
    @State private var id = 0

    var body: some View {
        Button("Again") { id += 1 }
            .task(id: id) {
                let mine = id
                log.lines.append("began \(mine)")
                await untilCancelled()
                log.lines.append("ended \(mine)")
            }
    }
}

private struct Branching: View {
    let log: Log
    let isStack: Bool
    @State private var isSecond = false

    var body: some View {
        Button("Swap") { isSecond = true }
        if isStack {
            watched(ZStack { branches })
        } else {
            watched(Group { branches })
        }
    }

    @ViewBuilder private var branches: some View { if isSecond { Text("second") } else { Text("first") } }

    private func watched(_ view: some View) -> some View {
        view
            .task { log.lines.append("began") }
            .onAppear { log.lines.append("appeared") }
            .onDisappear { log.lines.append("gone") }
    }
}

private struct Changing: View {
    let log: Log
    @State private var count = 0

    var body: some View {
        Button("Add") { count += 1 }
            .onChange(of: count) { old, new in log.lines.append("\(old) to \(new)") }
            .onChange(of: count, initial: true) { log.lines.append("initial \(count)") }
    }
}

private struct Counting: ViewModifier {
    @State private var count = 0
    @Environment(\.locale) private var locale

    func body(content: Content) -> some View {
        content
        Button("tapped \(count) in \(locale.identifier)") { count += 1 }
    }
}

private struct Phase: View {
    @Environment(\.scenePhase) private var phase
    @Environment(\.colorScheme) private var scheme
    @Environment(\.dynamicTypeSize) private var size

    var body: some View { Text("\("\(phase)") \("\(scheme)") \("\(size)")") }
}

#Preview("Counting") {
    Text("content").modifier(Counting())
}
