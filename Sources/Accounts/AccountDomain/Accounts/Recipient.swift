package import GatehouseWire

/// An address that gets codes.
package enum Recipient: Hashable, Sendable {
    case email(EmailAddress)
    case phone(PhoneNumber)

    /// An email address contains an at sign, a number only digits.
    package var text: String {
        switch self {
        case .email(let email): email.text
        case .phone(let phone): phone.text
        }
    }

    package init?(_ text: String) {
        if let email = EmailAddress(text) {
            self = .email(email)
        } else if let phone = PhoneNumber(text) {
            self = .phone(phone)
        } else {
            return nil
        }
    }

    package var email: EmailAddress? { if case .email(let email) = self { email } else { nil } }
    package var phone: PhoneNumber? { if case .phone(let phone) = self { phone } else { nil } }
    /// Of the identity for this address.
    package var provider: String { phone == nil ? "email" : "phone" }
}

/// In E.164, as digits without the plus sign.
package struct PhoneNumber: Hashable, Sendable {
    package let text: String

    /// Drops spaces and a leading plus sign. The rest must be 2 to 15 digits, the first not zero.
    package init?(_ text: String) {
        var digits = text.utf8.filter { $0 != UInt8(ascii: " ") }[...]
        if digits.first == UInt8(ascii: "+") { digits = digits.dropFirst() }
        guard (2...15).contains(digits.count), digits.first != UInt8(ascii: "0"),
            digits.allSatisfy(\.isDigit)
        else { return nil }
        self.text = String(decoding: digits, as: UTF8.self)
    }
}

extension User {
    package mutating func dropPhone() {
        (phone, newPhone) = (nil, nil)
        (times.phoneConfirmedAt, times.phoneProvenAt) = (nil, nil)
    }

    /// For the audit log.
    package var name: String { email ?? phone ?? "" }

    package func hasOwn(_ recipient: Recipient) -> Bool {
        switch recipient {
        case .email(let email): self.email == email.text
        case .phone(let phone): self.phone == phone.text
        }
    }

    package func confirmedAt(_ recipient: Recipient) -> Instant? {
        recipient.phone == nil ? times.emailConfirmedAt : times.phoneConfirmedAt
    }

    /// Where its codes go: the email address, or else the number.
    package var recipient: Recipient? {
        email.flatMap(EmailAddress.init).map(Recipient.email) ?? phone.flatMap(PhoneNumber.init).map(Recipient.phone)
    }
}
