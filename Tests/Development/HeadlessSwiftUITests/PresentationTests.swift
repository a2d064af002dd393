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

@MainActor @Suite("Presentations of one presenter")
struct PresenterTests {
    @Test("Of two sheets the second waits until the first has closed, and is dismissed once")
    func twoSheets() async throws {
        let state = Both()
        let screen = Screen(TwoSheets(state: state))
        try await screen.tap("Both")
        #expect(screen.presentations == ["sheet"] && screen.shows("first"))
        await screen.swipeDown()
        #expect(screen.presentations == ["sheet"] && screen.shows("second"))
        #expect(state.dismissed == ["first"])
        await screen.swipeDown()
        #expect(screen.presentations.isEmpty && state.dismissed == ["first", "second"])
        #expect(screen.complaints.isEmpty)
    }

    @Test("A sheet that is no longer asked for while it waits never opens")
    func given() async throws {
        let state = Both()
        let screen = Screen(TwoSheets(state: state))
        try await screen.tap("Both")
        state.second = false
        await screen.swipeDown()
        #expect(screen.presentations.isEmpty && state.dismissed == ["first"])
    }

    @Test("An alert of the page waits for the page's sheet; the sheet's content shows its own at once")
    func alerts() async throws {
        let state = Both()
        let screen = Screen(TwoSheets(state: state))
        state.first = true
        state.warnsBelow = true
        #expect(screen.presentations == ["sheet"])
        try await screen.tap("Warn")
        #expect(screen.presentations == ["sheet", "alert"] && screen.shows("inside"))
        try await screen.tap("OK")
        await screen.swipeDown()
        #expect(screen.presentations == ["alert"] && screen.shows("below"))
    }

    @Test("A sheet whose page disappears lets the next one open")
    func pageEnds() async throws {
        let state = Both()
        let screen = Screen(TwoSheets(state: state))
        try await screen.tap("Both")
        state.hasFirst = false
        #expect(screen.presentations == ["sheet"] && screen.shows("second"))
    }

    @Test("The system's sheet opens over the app's")
    func system() async throws {
        let screen = Screen(
            Text("page").sheet(isPresented: .constant(true)) { Text("app's") }
                .belowSystemSheets()
                .sheet(isPresented: .constant(true)) { Text("system's") })
        #expect(screen.presentations == ["sheet", "sheet"] && screen.shows("system's"))
    }
}

@MainActor @Observable private final class Both {
    var first = false
    var second = false
    var warnsBelow = false
    var hasFirst = true
    @ObservationIgnored var dismissed: [String] = []
}

private struct TwoSheets: View {
    @Bindable var state: Both
    @State private var warns = false

    var body: some View {
        VStack {
            Button("Both") { (state.first, state.second) = (true, true) }
            if state.hasFirst {
                Text("page").sheet(isPresented: $state.first) {
                    state.dismissed.append("first")
                } content: {
                    VStack {
                        Text("first")
                        Button("Warn") { warns = true }
                    }
                    .alert("inside", isPresented: $warns) {}
                }
            }
        }
        .sheet(isPresented: $state.second) {
            state.dismissed.append("second")
        } content: {
            Text("second")
        }
        .alert("below", isPresented: $state.warnsBelow) {}
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
