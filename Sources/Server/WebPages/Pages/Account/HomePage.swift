import GatehouseWire

struct HomePage: SitePage {
    var visit: Visit

    static let routes = [
        shows("") { try await $0.show() }
    ]

    mutating func show() async throws -> Outcome {
        let offer = try await visit.offer()
        let user = try await visit.user()
        var menu = [
            entry(.security, say("Security")),
            entry(.email, user.email == nil ? say("Add Email") : say("Change Email")),
            entry(.methods, say("Sign-In Methods")),
            entry(.devices, say("Devices")),
        ]
        if offer.hasClients { menu.append(entry(.apps, say("Connected Apps"))) }
        if offer.hasPhone {
            let title = user.phone == nil ? say("Add Phone Number") : say("Change Phone Number")
            menu.insert(entry(.phone, title), at: 2)
        }
        if pages.settings.hasGateway { menu.insert(entry(.profile, say("Profile")), at: 0) }
        menu.append(entry(.data, say("Your Data")))
        if pages.settings.hasGateway { menu.append(entry(.delete, say("Delete Account"))) }
        return .page(
            Page(
                say("Account"),
                [
                    .soft(visit.emailSentence(of: user)),
                    user.phone.map { .soft(say("Your phone number is %@.", CallingCode.formatted($0))) },
                ].compactMap(\.self) + standing(of: user) + [
                    .menu(menu),
                    .form(Form(action: Place.prefix + "/sign-out", button: say("Sign Out"), style: .plain)),
                ]))
    }
}

extension HomePage {
    private func entry(_ place: Place, _ title: String) -> Link { Link(title: title, address: place.path) }

    /// A moved address, and sign-in methods that were set aside.
    func standing(of user: AuthUser) -> [Block] {
        let moved = user.formerEmail.map {
            say(
                "%@ now belongs to another account. You can't sign in to this one with emailed codes anymore, but your other sign-in methods still work.",
                $0.readableAddress)
        }
        return ([moved].compactMap(\.self) + user.setAside.map(sentence)).map(Block.text)
    }

    private func sentence(_ credential: AuthSetAsideCredential) -> String {
        switch credential.kind {
        case .password:
            say("Your earlier password is set aside. To use it again, sign in with it and enter the code we email you.")
        case .passkey(_, let name?):
            say(
                "The passkey “%@” is set aside. To use it again, sign in with it and enter the code we email you.", name
            )
        case .passkey:
            say("A passkey is set aside. To use it again, sign in with it and enter the code we email you.")
        case .identity(_, let provider):
            say(
                "%@ is set aside. To use it again, sign in with it and confirm that this account is yours.",
                ProviderTitle.text(of: provider))
        }
    }
}
