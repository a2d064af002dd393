// main actor-isolated
import AuthenticationServices
import Foundation
import SwiftUI

func action() -> OpenURLAction {
    OpenURLAction { _ in .handled }  // warned
}

func list() -> InsetGroupedListStyle {
    .insetGrouped  // warned
}

func picker() -> SegmentedPickerStyle {
    .segmented  // warned
}

func field() -> PlainTextFieldStyle {
    .plain  // warned
}

func label() -> IconOnlyLabelStyle {
    .iconOnly  // warned
}

func button() -> PlainButtonStyle {
    .plain  // warned
}

func prominentButton() -> BorderedProminentButtonStyle {
    .borderedProminent  // warned
}

func close(_ dismiss: DismissAction) {
    dismiss()  // warned
}

func browse(_ open: OpenURLAction, _ url: URL) {
    open(url)  // warned
}

func image() {
    _ = Image(systemName: "plus").body  // warned
}

func color(_ view: Text) -> some View {
    view.signInWithAppleButtonStyle(.white)  // warned
}
