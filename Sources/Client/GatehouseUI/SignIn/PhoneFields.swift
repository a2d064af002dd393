import Foundation
import Gatehouse
import GatehouseModel
import SwiftUI

/// A region, and a number in its own direction.
struct PhoneFields: View {
    @Binding var form: PhoneForm
    let focus: FocusState<Bool>.Binding
    let submit: @MainActor () -> Void
    @Environment(\.locale) private var locale

    var body: some View {
        NavigationLink {
            RegionPicker(region: $form.region)
        } label: {
            AdaptiveRow {
                Text(ui: "Country or Region")
                Spacer()
                Text(verbatim: "\(Region.name(of: form.region, in: locale)) \(form.prefix.leftToRight)")
                    .foregroundStyle(.secondary)
            }
            .accessibilityElement(children: .combine)
        }
        .accessibilityIdentifier("region")
        VStack(alignment: .leading, spacing: 4) {
            TextField(text: $form.typed) { Text(ui: "Phone Number") }
                .textContentType(.telephoneNumber)
                .typesNumber()
                .focused(focus)
                .submitLabel(.send)
                .onSubmit(submit)
                .frame(minHeight: 44)
                // Numbers are read from left to right in every language.
                .environment(\.layoutDirection, .leftToRight)
            FieldHint(text: form.hint)
        }
    }
}

private struct Region: Identifiable {
    let code: CallingCode
    let name: String

    var id: String { code.region }

    static func name(of region: String, in locale: Locale) -> String {
        locale.localizedString(forRegionCode: region) ?? region
    }

    /// By name.
    static func all(in locale: Locale) -> [Region] {
        CallingCode.all.map { Region(code: $0, name: name(of: $0.region, in: locale)) }
            .sorted { $0.name.compare($1.name, locale: locale) == .orderedAscending }
    }

    func matches(_ search: String) -> Bool {
        let typed = search.trimmingCharacters(in: .whitespaces)
        let digits = typed.hasPrefix("+") ? String(typed.dropFirst()) : typed
        return typed.isEmpty || name.range(of: typed, options: [.caseInsensitive, .diacriticInsensitive]) != nil
            || !digits.isEmpty && code.code.hasPrefix(digits)
    }
}

private struct RegionPicker: View {
    @Binding var region: String
    @Environment(\.dismiss) private var dismiss
    @Environment(\.locale) private var locale
    @State private var search = ""

    var body: some View {
        List {
            ForEach(Region.all(in: locale).filter { $0.matches(search) }) { row($0) }
        }
        .searchable(text: $search, prompt: Text(ui: "Country or Region"))
        .navigationTitle(Text(ui: "Country or Region"))
        .inlineTitle()
    }

    private func row(_ choice: Region) -> some View {
        Button {
            region = choice.code.region
            dismiss()
        } label: {
            AdaptiveRow {
                Text(verbatim: choice.name).foregroundStyle(.primary).frame(minHeight: 44)
                Spacer()
                Text(verbatim: ("+" + choice.code.code).leftToRight).foregroundStyle(.secondary)
                if choice.code.region == region { Image(systemName: "checkmark").accessibilityHidden(true) }
            }
            .accessibilityElement(children: .combine)
            .accessibilityAddTraits(choice.code.region == region ? .isSelected : [])
        }
    }
}

extension String {
    /// Isolated from surrounding text of another direction (UAX #9).
    var leftToRight: String { "\u{2066}\(self)\u{2069}" }
}
