import Foundation
import Gatehouse
import GatehouseModel
import SwiftUI

struct RequestHeader: View {
    let details: OAuthAuthorizationDetails
    @Environment(\.branding) private var branding
    @Environment(\.dynamicTypeSize) private var size
    @ScaledMetric(relativeTo: .title2) private var symbolSize: CGFloat = 44

    var body: some View {
        VStack(spacing: 12) {
            // With the largest text, who asks would be far below it.
            if !size.isAccessibilitySize {
                Image(systemName: details.flow == .device ? "laptopcomputer" : "key.fill")
                    .font(.system(size: symbolSize))
                    .foregroundStyle(branding.accent)
                    .accessibilityHidden(true)
            }
            Text(ui: "\(client.shownName.isolated) wants to access your account")
                .textStyle(.title3, .title, weight: .bold)
                .accessibilityAddTraits(.isHeader)
            if let host = client.shownHost { Text(verbatim: host.isolated).textStyle(.subheadline) }
            VerifiedMark(isVerified: client.isVerified)
            VStack(spacing: 4) {
                if let date = client.createdAt { Text(ui: "Registered on \(day(date))") }
                if let email = details.user.email { Text(ui: "Your account: \(email.shownAddress.isolated)") }
            }
            .textStyle(.footnote)
            .foregroundStyle(.secondary)
        }
        .frame(maxWidth: .infinity)
        .multilineTextAlignment(.center)
        .padding(.vertical, 8)
    }

    private var client: OAuthAuthorizationClient { details.client }
}

/// In words and with a symbol, not only in colour.
struct VerifiedMark: View {
    let isVerified: Bool

    var body: some View {
        Label {
            isVerified ? Text(ui: "Verified") : Text(ui: "Not verified: anyone can use this name.")
        } icon: {
            Image(systemName: isVerified ? "checkmark.circle.fill" : "exclamationmark.triangle.fill")
        }
        .textStyle(.subheadline)
        .foregroundStyle(isVerified ? Color.secondary : Color.red)
        .accessibilityElement(children: .combine)
    }
}

/// Codes are also sent by strangers (RFC 8628 §5.4).
struct DeviceWarning: View {
    let code: OAuthUserCode?

    var body: some View {
        VStack(alignment: .leading, spacing: 8) {
            Label {
                Text(ui: "Only approve if you started this on a screen in front of you.")
            } icon: {
                Image(systemName: "exclamationmark.triangle.fill")
            }
            .foregroundStyle(.red)
            .accessibilityElement(children: .combine)
            if let code { Text(ui: "That screen must show the code \(code.text.isolated).") }
        }
        .textStyle(.subheadline)
        .padding(.vertical, 4)
    }
}

/// The user may have signed in with the wrong account.
struct ExpectedAccountWarning: View {
    let expected: OAuthExpectedAccount

    var body: some View {
        VStack(alignment: .leading, spacing: 8) {
            Label {
                Text(ui: "Not the Expected Account")
            } icon: {
                Image(systemName: "exclamationmark.triangle.fill")
            }
            .foregroundStyle(.red)
            .accessibilityElement(children: .combine)
            if let name = expected.shownName { Text(ui: "The app expects \(name).") }
            if expected.isRequired { Text(ui: "Only the expected account can approve.") }
        }
        .textStyle(.subheadline)
        .padding(.vertical, 4)
    }
}

struct PermissionSection: View {
    let details: OAuthAuthorizationDetails

    var body: some View {
        if !details.scopes.isEmpty {
            Section {
                ForEach(details.scopes, id: \.self) { PermissionRow(text: $0.content) }
            } header: {
                Text(ui: "What It May Do")
            }
        }
        let places = details.resources.compactMap { $0.shownLine }
        if !places.isEmpty {
            Section {
                ForEach(places, id: \.self) { Text(verbatim: $0.isolated) }
            } header: {
                Text(ui: "Where It May Do This")
            }
        }
    }
}

private struct PermissionRow: View {
    let text: ModelText

    var body: some View {
        Label {
            Text(model: text)
        } icon: {
            Image(systemName: "checkmark")
        }
    }
}

struct OriginSection: View {
    let details: OAuthAuthorizationDetails

    var body: some View {
        Section {
            if let requester = details.requester { sender(requester) }
            if let place = details.redirectURI?.shownPlace { Text(ui: "Sends you back to \(place.isolated)") }
            if let date = details.expiresAt { Text(ui: "Valid until \(time(date))") }
        } header: {
            Text(ui: "About This Request")
        }
    }

    private func sender(_ requester: OAuthRequester) -> some View {
        VStack(alignment: .leading, spacing: 2) {
            Text(ui: "Sent from \(name(of: requester))")
            if let details = requester.device?.details {
                Text(verbatim: details).textStyle(.footnote).foregroundStyle(.secondary)
            }
            if let address = requester.ipAddress?.shownLine {
                Text(ui: "IP address \(address.isolated)").textStyle(.footnote).foregroundStyle(.secondary)
            }
        }
    }

    private func name(of requester: OAuthRequester) -> Text {
        requester.device.map { Text(verbatim: $0.name.isolated) } ?? Text(ui: "Unknown Device")
    }

    private func time(_ date: Date) -> Text { Text(date, format: .dateTime.hour().minute()) }
}
