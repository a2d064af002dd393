import Foundation
import Gatehouse
import GatehouseModel
import GatehouseWire

extension InMemoryPhones {
    private static let textLifetime: TimeInterval = 600

    func account(phone: String) -> Account? { server.accounts.first { $0.user.phone == phone } }

    /// - Throws: `validation_failed` unless E.164.
    static func digits(_ phone: String) throws(AuthClientError) -> String {
        guard let number = CallingCode.number(typed: phone.hasPrefix("+") ? phone : "+" + phone, region: nil) else {
            throw Fault.refused(400, .validationFailed)
        }
        return String(number.dropFirst())
    }

    /// - Returns: The user if a message must confirm the sign-up.
    mutating func signUpByPhone(
        _ request: InMemoryRequest, at now: Date
    ) throws(AuthClientError) -> (Opened?, AuthUser) {
        try requirePhones()
        guard settings.allowsSignUp else { throw Fault.refused(422, .signupDisabled) }
        let (phone, password) = (try Self.digits(request.text("phone")), request.text("password"))
        guard InMemoryServer.isLongEnough(password) else {
            throw .refused(AuthRefusal(status: 422, code: .weakPassword, weakPasswordReasons: ["length"]))
        }
        let name = request.body["data"]?["first_name"]?.stringValue
        let isConfirmed = settings.confirmsPhoneAutomatically
        if let known = account(phone: phone) {
            guard !isConfirmed else { throw Fault.refused(422, .userAlreadyExists) }
            repeatSignUp(
                of: known, CompetingSignUp(password: password, metadata: InMemoryServer.metadata(name)), at: now)
            // Hides that the number is registered.
            let id = Fixtures.id(number())
            return (nil, AuthUser(id: id, role: nil, phone: phone, createdAt: now, updatedAt: now))
        }
        let id = add(phone: phone, firstName: name, at: now)
        update(id) { account in
            (account.password, account.isConfirmed) = (password, isConfirmed)
            account.entered = account.user.userMetadata
        }
        guard let account = account(id) else { throw Fault.refused(500, .unexpectedFailure) }
        if !isConfirmed { textConfirmation(to: phone, at: now) }
        return (isConfirmed ? try open(id, at: now) : nil, account.user)
    }

    private mutating func add(phone: String, firstName: String?, at now: Date) -> UUID {
        let id = server.add(email: nil, firstName: firstName, at: now)
        update(id) { ($0.user.phone, $0.isConfirmed) = (phone, false) }
        server.link(.phone, person: id.wire, email: nil, to: id, at: now)
        return id
    }

    private func requirePhones(status: Int = 400) throws(AuthClientError) {
        guard settings.allowsPhone else { throw Fault.refused(status, .phoneProviderDisabled) }
    }

    /// As for an email address: a different password waits for a client that proves the number and shows it.
    private mutating func repeatSignUp(of account: Account, _ entered: CompetingSignUp, at now: Date) {
        guard let phone = account.user.phone, account.isAbandoned else { return }
        let isWithin = server.mailing.isWithinInterval(.textConfirmation, phone, at: now)
        let isSame = account.password == entered.password
        if !isSame, let password = entered.password {
            update(account.user.id) { $0.add(OtherPassword(text: password, data: entered.metadata, at: now)) }
            server.proving.showSetAside(of: account.user.id)
        }
        guard !isWithin else { return }
        textConfirmation(to: phone, confirming: isSame ? nil : entered, at: now)
    }

    mutating func signIn(phone text: String, _ password: String, at now: Date) throws(AuthClientError) -> Opened {
        try requirePhones(status: 422)
        guard let account = account(phone: try Self.digits(text)),
            account.password == password || account.otherPasswords.contains(where: { $0.text == password })
        else { throw Fault.refused(400, .invalidCredentials) }
        guard account.isConfirmed else { throw Fault.refused(400, .phoneNotConfirmed) }
        guard account.password == password else {
            if let phone = account.user.phone, !server.mailing.isWithinInterval(.text, phone, at: now) {
                textSignIn(to: phone, at: now)
            }
            throw Fault.refused(403, .credentialSetAside)
        }
        return try open(account.user.id, at: now)
    }
}

extension InMemoryPhones {
    /// The paths `otp` and `resend`.
    mutating func text(_ request: InMemoryRequest, at now: Date) throws(AuthClientError) {
        try requirePhones()
        let phone = try Self.digits(request.text("phone"))
        switch request.text("type") {
        case "": textSignIn(to: phone, creates: request.body["create_user"]?.boolValue ?? true, request, at: now)
        case PhoneCodeType.sms.rawValue: textConfirmation(to: phone, at: now)
        case PhoneCodeType.phoneChange.rawValue:
            guard let account = account(phone: phone), let new = account.user.newPhone else { return }
            textChange(to: new, of: account.user.id, at: now)
        default: throw Fault.refused(400, .validationFailed)
        }
    }

    private mutating func textSignIn(
        to phone: String, creates: Bool = false, _ request: InMemoryRequest? = nil, at now: Date
    ) {
        if account(phone: phone) == nil {
            guard creates, settings.allowsSignUp else { return }
            _ = add(phone: phone, firstName: request?.body["data"]?["first_name"]?.stringValue, at: now)
        }
        guard let account = account(phone: phone) else { return }
        server.texts.append(InMemoryAuthService.TextMessage(kind: .signIn, phone: "+" + phone))
        // This code does not prove who chose the earlier sign-up's password.
        let competes = account.isAbandoned && account.password != nil
        server.mailing.mint(
            account.isConfirmed ? .text : .textConfirmation, to: phone, of: account.user.id,
            lifetime: Self.textLifetime, at: now
        ) { code in
            if competes { code.competing = CompetingSignUp(password: nil, metadata: [:]) }
        }
    }

    private mutating func textConfirmation(
        to phone: String, confirming competing: CompetingSignUp? = nil, at now: Date
    ) {
        guard let account = account(phone: phone), !account.isConfirmed else { return }
        let id = account.user.id
        server.texts.append(InMemoryAuthService.TextMessage(kind: .confirmation, phone: "+" + phone))
        // Only the code from its own message confirms a competing sign-up's input.
        let didCompete = server.codes.contains { $0.owner == id && $0.competing != nil }
        server.mailing.mint(.textConfirmation, to: phone, of: id, lifetime: Self.textLifetime, at: now) { code in
            code.competing = competing ?? (didCompete ? CompetingSignUp(password: nil, metadata: [:]) : nil)
        }
    }

    private mutating func textChange(to phone: String, of id: UUID, at now: Date) {
        server.texts.append(InMemoryAuthService.TextMessage(kind: .phoneChange, phone: "+" + phone))
        server.mailing.mint(.newPhone, to: phone, of: id, lifetime: Self.textLifetime, at: now)
    }

    mutating func begin(phone text: String, of id: UUID, at now: Date) throws(AuthClientError) {
        try requirePhones(status: 422)
        let phone = try Self.digits(text)
        guard phone != account(id)?.user.phone else { return }
        let (holder, isAutomatic) = (account(phone: phone), settings.confirmsPhoneAutomatically)
        guard holder.map({ $0.isConfirmed || isAutomatic }) != true else { throw Fault.refused(422, .phoneExists) }
        guard !isAutomatic else { return setPhone(phone, of: id, isProven: false, at: now) }
        if account(id)?.user.newPhone != phone { server.codes.removeAll { $0.owner == id && $0.slot == .newPhone } }
        update(id) { $0.user.newPhone = phone }
        textChange(to: phone, of: id, at: now)
    }

    /// Takes the number from an account that has not confirmed it.
    mutating func setPhone(_ phone: String, of id: UUID, isProven: Bool, at now: Date) {
        if let holder = account(phone: phone)?.user, holder.id != id {
            update(holder.id) { $0.user.phone = nil }
            server.setIdentities(
                (holder.identities ?? []).filter { $0.provider != AuthProvider.phone.rawValue }, of: holder.id)
            server.codes.removeAll { $0.owner == holder.id && $0.slot == .textConfirmation }
        }
        update(id) { account in
            (account.user.phone, account.user.newPhone) = (phone, nil)
            (account.isConfirmed, account.isPhoneProven) = (true, isProven)
            account.user.times["phone_confirmed_at"] = now
        }
        let others = (account(id)?.user.identities ?? []).filter { $0.provider != AuthProvider.phone.rawValue }
        server.setIdentities(others, of: id)
        server.link(.phone, person: id.wire, email: nil, to: id, at: now)
    }
}

extension AuthProvider {
    static let phone: AuthProvider = "phone"
}

extension AuthUserIdentity {
    /// The account's own address or number.
    var isAddress: Bool { [AuthProvider.email, .phone].contains(AuthProvider(rawValue: provider)) }
}
