import Foundation
import Gatehouse

extension InMemoryFactors {
    func isPhone(factor: UUID) -> Bool {
        server.accounts.contains { account in
            (account.user.factors ?? []).contains { $0.id == factor && $0.factorType == .phone }
        }
    }

    mutating func enrollPhone(
        _ caller: Caller, _ request: InMemoryRequest, at now: Date
    ) throws(AuthClientError) -> AuthEnrolledFactor {
        guard settings.allowsPhoneFactors else { throw Fault.refused(422, .mfaPhoneEnrollNotEnabled) }
        let (id, phone) = (caller.user, try InMemoryPhones.digits(request.text("phone")))
        let same = factors(of: id).filter { $0.phone == phone }
        guard same.allSatisfy({ $0.status != .verified }) else { throw Fault.refused(422, .mfaVerifiedFactorExists) }
        let (known, name) = (
            factors(of: id).filter { !same.contains($0) }, request.body["friendly_name"]?.stringValue
        )
        setFactors(known, of: id)
        guard !known.contains(where: { $0.friendlyName == name }) else {
            throw Fault.refused(422, .mfaFactorNameConflict)
        }
        guard known.count < 10 else { throw Fault.refused(422, .tooManyEnrolledMFAFactors) }
        try requireLevel(caller.id)
        let factor = AuthFactor(
            id: Fixtures.id(number()), factorType: .phone, status: .unverified, friendlyName: name, phone: phone,
            createdAt: now, updatedAt: now)
        setFactors(known + [factor], of: id)
        var enrolled = AuthEnrolledFactor(id: factor.id, type: .phone, friendlyName: name)
        enrolled.phone = request.text("phone")
        return enrolled
    }

    /// Texts a code that answers only this challenge.
    mutating func challenge(_ caller: Caller, phone factor: UUID?, at now: Date) throws(AuthClientError) -> AuthJSON {
        guard let known = factors(of: caller.user).first(where: { $0.id == factor }), let phone = known.phone else {
            throw Fault.refused(404, .mfaFactorNotFound)
        }
        guard settings.allowsPhoneFactors else { throw Fault.refused(422, .mfaPhoneVerifyNotEnabled) }
        let challenge = Fixtures.id(number())
        server.texts.append(InMemoryAuthService.TextMessage(kind: .secondFactor, phone: "+" + phone))
        server.mailing.mint(.factor, to: phone, of: caller.user, lifetime: 300, at: now) { $0.challenge = challenge }
        return [
            "id": .string(challenge.wire), "type": .string(AuthFactorType.phone.rawValue),
            "expires_at": .double(now.timeIntervalSince1970 + 300),
        ]
    }

    mutating func verify(_ caller: Caller, _ request: InMemoryRequest, at now: Date) throws(AuthClientError) -> Opened {
        guard let factor = request.id, isPhone(factor: factor) else {
            return try verify(caller, code: request.text("code"), of: request.id, at: now)
        }
        let known = factors(of: caller.user)
        guard let proven = known.first(where: { $0.id == factor }) else {
            throw Fault.refused(404, .mfaFactorNotFound)
        }
        if proven.status != .verified { try requireLevel(caller.id) }
        let challenge = UUID(uuidString: request.text("challenge_id"))
        let open = server.codes.indices.filter { index in
            server.codes[index].slot == .factor && server.codes[index].challenge == challenge
                && server.codes[index].isGood(at: now)
        }
        guard open.contains(where: { server.codes[$0].text == request.text("code") }) else {
            for index in open { server.codes[index].attempts += 1 }
            throw Fault.refused(422, .mfaVerificationFailed)
        }
        server.codes.removeAll { $0.challenge == challenge }
        setFactors(
            known.filter { $0.factorType != .phone || $0.status == .verified || $0.id == factor }.map { other in
                var changed = other
                if other.id == factor { changed.status = .verified }
                return changed
            }, of: caller.user)
        return try raise(caller, by: factor, at: now)
    }
}
