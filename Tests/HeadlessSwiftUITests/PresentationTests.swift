import ScreenDriver
import SwiftUI
import Testing

@MainActor @Suite("Presentations")
struct PresentationTests {
    @Test("Elements below a sheet cannot be tapped, and a swipe closes the sheet")
    func sheet() async throws {
        let screen = Screen(Sheets())
        try await screen.tap("Open")
        #expect(screen.presentations == ["sheet"])
        #expect(!screen.has(button: "Open"))
        #expect(await screen.swipeDown())
        #expect(screen.has(button: "Open"))
        #expect(screen.shows("dismissed 1"))
        #expect(screen.complaints.isEmpty)
    }

    @Test("A sheet inherits the environment, but not the text style of the page below")
    func inheritance() async throws {
        let counter = Counter()
        let screen = Screen(Sheets().environment(counter).environment(\.locale, Locale(identifier: "de")))
        try await screen.tap("Open")
        #expect(screen.shows("de, counted 0, enabled"))
    }

    @Test("A sheet of a toolbar's button shows whole labels, unlike the toolbar")
    func sheetOfToolbar() {
        let view = NavigationStack {
            Text("Page").toolbar {
                ToolbarItem(placement: .topBarTrailing) {
                    Label("In the bar", systemImage: "star.fill")
                        .sheet(isPresented: .constant(true)) { Label("In the sheet", systemImage: "star.fill") }
                }
            }
        }
        #expect(Screen(view).shows("In the sheet") && !Screen(view).shows("In the bar"))
    }

    @Test("A sheet with disabled dismissal stays open")
    func staysOpen() async throws {
        let screen = Screen(Sheets(staysOpen: true))
        try await screen.tap("Open")
        #expect(await !screen.swipeDown())
        #expect(screen.presentations == ["sheet"])
    }

    @Test("State ends with its sheet")
    func stateOfSheet() async throws {
        let screen = Screen(Sheets())
        try await screen.tap("Open")
        try await screen.tap("row 1: 0")
        await screen.swipeDown()
        try await screen.tap("Open")
        #expect(screen.has(button: "row 1: 0"))
    }

    @Test("dismiss pops the nearest push, else the presentation, else nothing")
    func dismiss() async throws {
        let screen = Screen(Sheets())
        try await screen.tap("Open")
        try await screen.tap("Push")
        #expect(screen.title == "Pushed")
        try await screen.tap("Leave")
        #expect(screen.title == "Sheet")
        try await screen.tap("Leave")
        #expect(screen.presentations.isEmpty)
        try await screen.tap("Leave")
        #expect(screen.has(button: "Open"))
    }

    @Test("A dialog runs its action and closes; without a cancel button it gets one")
    func dialog() async throws {
        let screen = Screen(Questions())
        try await screen.tap("Ask")
        #expect(screen.presentations == ["dialog"])
        #expect(screen.buttons == ["Delete", "Cancel"])
        #expect(screen.shows("Delete it?"))
        try await screen.tap("Cancel")
        #expect(screen.shows("log "))
        try await screen.tap("Ask")
        try await screen.tap("Delete")
        #expect(screen.shows("log deleted while shown"))
        #expect(screen.presentations.isEmpty)
        try await screen.tap("Ask")
        #expect(await screen.swipeDown())
    }

    @Test("An alert without actions gets OK and cannot be swiped away")
    func alert() async throws {
        let screen = Screen(Questions())
        try await screen.tap("Warn")
        #expect(screen.buttons == ["OK"])
        #expect(screen.shows("It failed."))
        #expect(await !screen.swipeDown())
        try await screen.tap("OK")
        #expect(screen.presentations.isEmpty)
    }

    @Test("The system's texts are in the reader's language")
    func systemTexts() async throws {
        let screen = Screen(Questions(), settings: Screen.Settings(locale: Locale(identifier: "ja_JP")))
        try await screen.tap("Ask")
        #expect(screen.buttons == ["Delete", "キャンセル"])
    }

    @Test("An alert shows its error's own description, and nothing without an error")
    func errorAlert() async throws {
        let screen = Screen(Failing())
        try await screen.tap("Show")
        #expect(screen.presentations.isEmpty)
        try await screen.tap("Fail")
        #expect(screen.shows("The disk is full."))
    }

    @Test("A sheet of an item shows that item, and another sheet another item")
    func itemSheet() async throws {
        let screen = Screen(Items())
        try await screen.tap("Second")
        #expect(screen.shows("item 2"))
        await screen.swipeDown()
        try await screen.tap("First")
        #expect(screen.shows("item 1"))
    }
}

private struct Sheets: View {
    var staysOpen = false
    @State private var isOpen = false
    @State private var dismissals = 0
    @Environment(\.dismiss) private var dismiss

    var body: some View {
        VStack {
            Button("Open") { isOpen = true }
            Button("Leave") { dismiss() }
            Text("dismissed \(dismissals)")
        }
        .sheet(isPresented: $isOpen) {
            dismissals += 1
        } content: {
            SheetContent().interactiveDismissDisabled(staysOpen).disabled(false)
        }
        .font(.caption)
    }
}

private struct SheetContent: View {
    @Environment(\.locale) private var locale
    @Environment(\.isEnabled) private var isEnabled
    @Environment(Counter.self) private var counter: Counter?
    @Environment(\.dismiss) private var dismiss

    var body: some View {
        NavigationStack {
            VStack {
                Text("\(locale.identifier), counted \(counter?.count ?? -1), \(isEnabled ? "enabled" : "disabled")")
                Row(id: 1)
                NavigationLink("Push") { Pushed() }
                Button("Leave") { dismiss() }
            }
            .navigationTitle("Sheet")
        }
    }
}

private struct Pushed: View {
    @Environment(\.dismiss) private var dismiss
    var body: some View { Button("Leave") { dismiss() }.navigationTitle("Pushed") }
}

private struct Questions: View {
    @State private var isAsking = false
    @State private var isWarning = false
    @State private var log = ""

    var body: some View {
        VStack {
            Button("Ask") { isAsking = true }
            Button("Warn") { isWarning = true }
            Text("log \(log)")
        }
        .confirmationDialog("Delete it?", isPresented: $isAsking, titleVisibility: .visible) {
            Button("Delete", role: .destructive) { log = isAsking ? "deleted while shown" : "deleted too late" }
        }
        .alert("It failed.", isPresented: $isWarning) {}
    }
}

private struct DiskFull: LocalizedError {
    var errorDescription: String? { "The disk is full." }
}

private struct Failing: View {
    @State private var isShown = false
    @State private var error: DiskFull?

    var body: some View {
        VStack {
            Button("Show") { isShown = true }
            Button("Fail") { (error, isShown) = (DiskFull(), true) }
        }
        .alert(isPresented: $isShown, error: error) {}
    }
}

private struct Items: View {
    struct Item: Identifiable { let id: Int }
    @State private var item: Item?

    var body: some View {
        VStack {
            Button("First") { item = Item(id: 1) }
            Button("Second") { item = Item(id: 2) }
        }
        .sheet(item: $item) { Text("item \($0.id)") }
    }
}
