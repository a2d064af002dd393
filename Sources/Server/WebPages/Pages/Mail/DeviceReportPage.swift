import GatehouseWire
import HTTPServing
import HTTPTypes

/// For the link of a notice about a new device. Needs no sign-in: its owner may have lost the password. The typed email
/// keeps mail scanners, which open links and press buttons, from reporting.
struct DeviceReportPage: SitePage {
    var visit: Visit

    static let routes = [
        shows("/unknown-device") { $0.show() },
        takes("/unknown-device", isOnce: true) { try await $0.report() },
    ]

    func show() -> Outcome { .page(page()) }

    mutating func report() async throws -> Outcome {
        do {
            let json = try await visit.call(
                .post, "/sessions/report",
                ["token_hash": .string(visit.fields["token"] ?? ""), "email": .string(visit.fields["email"] ?? "")])
            return .page(reportedPage(setsPasswordAside: json["password_set_aside"]?.boolValue ?? false))
        } catch let refusal as CallRefusal where refusal.code == .otpExpired {
            return .page(
                page(
                    .problem(
                        visit.both(
                            say("The link has expired or was already used, or this isn't the account's email."),
                            say("Sign in to see your devices.")))))
        } catch let refusal as CallRefusal {
            return .page(page(.problem(visit.message(for: refusal))))
        }
    }
}

extension DeviceReportPage {
    private func page(_ notice: Notice? = nil) -> Page {
        var page = Page(
            say("Report a Sign-In"),
            [
                .text(
                    visit.both(
                        say("Don't recognize the sign-in that we emailed you about?"),
                        say("Enter your email to sign out that device and every later sign-in."))),
                .soft(say("The next sign-in with your password will also need a code from your email.")),
                .form(
                    Form(
                        action: Place.deviceReport.path, fields: [visit.emailField(visit.entered("email"))],
                        hidden: [("token", visit.fields["token"]?.cut(to: 64) ?? "")], button: say("This Wasn't Me"),
                        style: .danger)),
                .links([Link(title: say("Sign In"), address: Place.signIn.path)]),
            ])
        page.notice = notice
        return page
    }

    private func reportedPage(setsPasswordAside: Bool) -> Page {
        let method = setsPasswordAside ? Place.forgotPassword : .signIn
        return Page(
            say("Device Signed Out"),
            [
                .text(
                    setsPasswordAside
                        ? say("Someone else may know your password. Choose a new one.")
                        : say("Sign in, and remove sign-in methods and connected apps that aren't yours.")),
                .links([
                    Link(
                        title: setsPasswordAside ? say("Choose a New Password") : say("Sign In"), address: method.path)
                ]),
            ])
    }
}
