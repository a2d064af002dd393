import AccountStore
import AuthServer
import HTTPServing
import IdentityProviders
import SMTP

extension ActiveSpan {
    /// Without the path: a hook's may be a secret.
    func note(_ method: String, _ url: ProviderURL?, route: String? = nil) {
        set(.method, method)
        if let url {
            set(.serverAddress, url.host)
            set(.serverPort, .number(Int64(url.port)))
        }
        if let route { set(.urlTemplate, route) }
    }

    /// A client's span fails with a status of 400 or more.
    func note(status: Int) {
        set(.status, .number(Int64(status)))
        if status >= 400 { fail("\(status)") }
    }
}

enum OutgoingSpan {
    /// Short and stable, without the error's text.
    static func failure(_ error: any Error) -> String {
        switch error {
        case is CancellationError: "cancelled"
        case SignedCallFailure.timedOut, ProviderTransportFailure.timedOut: "timeout"
        case SignedCallFailure.tooLong, ProviderTransportFailure.tooLong: "too_long"
        case SignedCallFailure.noConnection, ProviderTransportFailure.noConnection: "no_connection"
        case SignedCallFailure.addressRefused, ProviderTransportFailure.addressRefused: "address_refused"
        default: "\(type(of: error))"
        }
    }
}

/// - Returns: Sends through the server, in a span.
func makeMailHand(_ server: SMTPServer, _ tracer: Tracer?) -> @Sendable (WrittenMail) async -> MailResult {
    let transport = SMTPTransport(server)
    return { mail in
        await tracer.inSpan("SMTP", .client) { span in
            span?.set(.serverAddress, server.host)
            span?.set(.serverPort, .number(Int64(server.port)))
            let result = await transport.deliver(mail)
            if result != .sent { span?.fail("not_sent") }
            return result
        }
    }
}
