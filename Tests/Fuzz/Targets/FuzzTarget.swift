/// Every parser of untrusted bytes, and the writer of emails with untrusted texts, as functions over bytes. `make fuzz`
/// mutates the bytes by coverage (libFuzzer); FuzzTests parses the same corpus with random mutations in every `make
/// test`.
package enum FuzzTarget: String, CaseIterable, Sendable {
    case json, token, form, redirect, address, header, agent, dump, lines, mail, replies, cbor, ceremony

    /// - Throws: ``FuzzFinding`` for a violated invariant.
    package func run(_ input: [UInt8]) throws(FuzzFinding) {
        switch self {
        case .json: try Inputs.json(input)
        case .token: try Inputs.token(input)
        case .form: try Inputs.form(input)
        case .redirect: try Inputs.redirect(input)
        case .address: try Inputs.address(input)
        case .header: try Inputs.header(input)
        case .agent: try Inputs.agent(input)
        case .dump: try Inputs.dump(input)
        case .lines: try Inputs.lines(input)
        case .mail: try Inputs.mail(input)
        case .replies: try Inputs.replies(input)
        case .cbor: try Inputs.cbor(input)
        case .ceremony: try Inputs.ceremony(input)
        }
    }
}

package struct FuzzFinding: Error, CustomStringConvertible {
    package let description: String

    init(_ description: String) { self.description = description }
}

/// One function for each ``FuzzTarget``.
enum Inputs {
    static func expect(_ holds: Bool, _ otherwise: @autoclosure () -> String) throws(FuzzFinding) {
        guard holds else { throw FuzzFinding(otherwise()) }
    }

    static func text(_ input: some Sequence<UInt8>) -> String { String(decoding: Array(input), as: UTF8.self) }
}
