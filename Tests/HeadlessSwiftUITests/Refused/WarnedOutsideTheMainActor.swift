// main actor-isolated
import AuthenticationServices
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

func color(_ view: Text) -> some View {
    view.signInWithAppleButtonStyle(.white)  // warned
}
