// Written by Scripts/documentation/make-examples: the examples of Gatehouse's documentation. They are compiled, and the tests
// among them run.
import Foundation
import Gatehouse
import GatehouseDesktop
import GatehouseModel
import GatehouseTesting
import GatehouseUI
import SwiftUI
import Testing

// Sources/Client/Gatehouse/GatehouseClient+OAuth.swift
extension Given {
    @MainActor private func example1() async throws {
        guard let link = OAuthConsentLink(url), case .authorization(let id) = link else { return }
        switch try await client.authorizationDetails(id: id) {
        case .details(let details): show(details.client.shownName)
        case .redirect(let redirect): openURL(redirect.redirectURL)
        case .approved: break
        }
    }
}
