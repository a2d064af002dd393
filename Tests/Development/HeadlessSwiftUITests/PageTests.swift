import ScreenDriver
import SwiftUI
import Testing

@MainActor @Suite("Snapshots and pages")
struct PageTests {
    @Test("The snapshot has all readable and tappable elements, the same for the same screen")
    func snapshot() async throws {
        let screen = Screen(Sample())
        #expect(
            screen.snapshot() == """
                bar
                  # Account
                list
                  section
                    "Name" header
                    row
                      field First name: Ada <keyboard>
                    row
                      secret Password: ••••
                    row
                      [Save] disabled
                    row
                      image star.fill

                """)
        #expect(Screen(Sample()).snapshot() == screen.snapshot())
    }

    @Test("The page is self-contained, in the scheme, direction and size of the settings")
    func page() throws {
        let plain = try HTMLPage().text(of: Screen(Sample()))
        #expect(plain.contains("<html lang=\"en\" dir=\"ltr\" class=\"light\">"))
        #expect(plain.contains("type=\"password\""))
        #expect(!plain.contains("http://") && !plain.contains("https://"))
        let settings = Screen.Settings(
            colorScheme: .dark, dynamicTypeSize: .accessibility5, locale: Locale(identifier: "ar"))
        let other = try HTMLPage().text(of: Screen(Sample(), settings: settings))
        #expect(other.contains("<html lang=\"ar\" dir=\"rtl\" class=\"dark\">"))
        #expect(other.contains("font-size: 53.0px"))
    }

    @Test("Text grows with the reader's size; a fixed font does not")
    func sizes() throws {
        let view = VStack {
            Text("grows").font(.body)
            Text("stays").font(.system(size: 14))
        }
        let page = try HTMLPage().text(of: Screen(view, settings: Screen.Settings(dynamicTypeSize: .accessibility1)))
        #expect(page.contains("font-size:28.0px"))
        #expect(page.contains("font-size:14.0px"))
    }

    @Test("A row, or each row of a section, with a clear background stands on no card")
    func clearRows() throws {
        let row = Form {
            Section {
                Text("On a card")
                Text("On the screen").listRowBackground(Color.clear)
            }
        }
        let section = Form { Section { Text("On the screen") }.listRowBackground(Color.clear) }
        let colored = Form { Text("On a card").listRowBackground(Color.red) }
        let pages = try [Screen(row), Screen(section), Screen(colored)].map { try HTMLPage().text(of: $0) }
        #expect(pages.map { $0.ranges(of: " data-clear").count } == [1, 1, 0])
    }

    @Test("A symbol without a drawing is refused")
    func unknownSymbol() {
        #expect(throws: ScreenError.self) { try HTMLPage().text(of: Screen(Image(systemName: "no.such.symbol"))) }
    }

    @Test("Text is always text, whatever its content")
    func escaping() throws {
        let page = try HTMLPage().text(of: Screen(Text(verbatim: "<b>\"&")))
        #expect(page.contains("&lt;b>&quot;&amp;"))
        let marked = try HTMLPage().text(of: Screen(Text(verbatim: "\"\u{308}<\u{308}")))
        #expect(marked.contains("&quot;\u{308}&lt;\u{308}"), "a combining mark hides nothing")
    }

    @Test("A custom style draws the button, whose role and action stay")
    func buttonStyle() async throws {
        let counter = Counter()
        let screen = Screen(Button("Send") { counter.count += 1 }.buttonStyle(Framed()))
        #expect(screen.shows("framed"))
        try await screen.tap("framed, Send")
        #expect(counter.count == 1)
    }

    @Test("A custom style draws the label; labels inside it have the system's look")
    func labelStyle() {
        let screen = Screen(Label("Add", systemImage: "star.fill").labelStyle(Reversed()))
        #expect(screen.texts == ["Add", "before", "A label inside"])
        #expect(screen.symbols == ["star.fill", "plus"])
        let icon = Screen(
            Button {
            } label: {
                Label("Add", systemImage: "plus").labelStyle(.iconOnly)
            })
        #expect(icon.texts == [] && icon.has(button: "Add"))
        let title = Screen(Label("Add", systemImage: "plus").labelStyle(.titleOnly))
        #expect(title.texts == ["Add"] && title.symbols == [])
    }

    @Test("A shape has the corners of its path")
    func shapes() throws {
        let view = VStack {
            Ticket()
            Text("a").background(.blue, in: RoundedRectangle(cornerRadius: 9).inset(by: 2))
            Text("b").clipShape(.circle)
        }
        let page = try HTMLPage().text(of: Screen(view))
        for corner in ["4.0px", "7.0px", "50%"] { #expect(page.contains("border-radius:\(corner)")) }
    }

    @Test("Progress shows its label and its value")
    func progress() {
        let view = ProgressView(value: 1, total: 4) {
            Text("Loading")
        } currentValueLabel: {
            Text("a quarter")
        }
        #expect(Screen(view).progress == ["Loading, a quarter"])
    }
}

private struct Reversed: LabelStyle {
    func makeBody(configuration: Configuration) -> some View {
        HStack {
            configuration.title
            Text("before")
            configuration.icon
            Label("A label inside", systemImage: "plus")
        }
    }
}

private struct Ticket: Shape {
    func path(in rect: CGRect) -> Path { Path(roundedRect: rect, cornerRadius: 4) }
}

private struct Framed: ButtonStyle {
    func makeBody(configuration: Configuration) -> some View {
        VStack {
            Text("framed")
            configuration.label.opacity(configuration.isPressed ? 0.5 : 1)
        }
    }
}

private struct Sample: View {
    @FocusState private var isFocused: Bool

    var body: some View {
        NavigationStack {
            List {
                Section("Name") {
                    TextField("First name", text: .constant("Ada")).focused($isFocused)
                    SecureField("Password", text: .constant("1234"))
                    Button("Save") {}.disabled(true)
                    Image(systemName: "star.fill").foregroundStyle(.tint)
                }
            }
            .navigationTitle("Account")
        }
        .onAppear { isFocused = true }
    }
}
