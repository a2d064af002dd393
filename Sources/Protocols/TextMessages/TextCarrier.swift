import Foundation
package import GatehouseWire
package import IdentityProviders
import MailTemplates

/// Sends text messages through a provider.
package struct TextCarrier: Sendable {
    private let settings: TextMessageSettings
    private let transport: ProviderTransport

    package init(_ settings: TextMessageSettings, transport: @escaping ProviderTransport) {
        (self.settings, self.transport) = (settings, transport)
    }

    package var provider: TextProvider { settings.provider }

    /// - Throws: Only if the caller is cancelled. The provider may have sent the message.
    package func send(_ message: TextMessage) async throws(CancellationError) -> TextResult {
        guard Self.isNumber(message.to) else { return .refused(reason: "the number is not valid") }
        let values = settings.values.merging(values(of: message)) { setting, _ in setting }
        let forms = provider.forms[message.channel] ?? []
        guard let form = forms.lazy.compactMap({ $0.filled(values) }).first else {
            let reason = "\(provider.name): does not send over \(message.channel.rawValue)"
            return .failed(TextFailure(.configuration, reason))
        }
        switch try await post(form, to: provider.url, values) {
        case .failure(let failure): return .failed(failure)
        case .success(let response):
            // Ignored: a response that is no JSON has no id.
            let document = try? JSONReader.read(response.body)
            if let error = provider.errors.result(status: response.status, document, of: provider.name) {
                return error
            }
            guard let id = document.flatMap({ provider.id.text(in: $0) }), id.isPlainWord else {
                return .failed(TextFailure(.uncertain, "\(provider.name): a response without the message's id"))
            }
            return .accepted(id: id)
        }
    }

    /// Checks a code that the provider generated for a number. Call this only if ``TextProvider/generatesCodes``.
    ///
    /// - Throws: Only if the caller is cancelled. An approved code is used up.
    package func check(_ code: Secret, of number: String) async throws(CancellationError) -> TextCheck {
        guard Self.isNumber(number), (4...10).contains(code.utf8Count), code.reveal().utf8.allSatisfy(\.isDigit) else {
            return .wrong
        }
        let values = settings.values.merging(["to": Secret(number), "code": code]) { setting, _ in setting }
        guard let check = provider.check, let form = check.form.filled(values) else {
            return .failed(TextFailure(.configuration, "\(provider.name): does not check codes"))
        }
        switch try await post(form, to: check.url, values) {
        case .failure(let failure): return .failed(failure)
        case .success(let response): return verdict(response, check)
        }
    }

    private func verdict(_ response: ProviderResponse, _ check: TextProviderCheck) -> TextCheck {
        // Ignored: the status decides.
        let document = try? JSONReader.read(response.body)
        if let code = provider.errors.code(in: document), check.over.contains(code) { return .over }
        switch provider.errors.result(status: response.status, document, of: provider.name) {
        case .failed(let failure): return .failed(failure)
        case .refused(let reason): return .failed(TextFailure(.configuration, reason))
        case .accepted, nil: break
        }
        guard let status = document.flatMap({ check.status.text(in: $0) }) else {
            return .failed(TextFailure(.uncertain, "\(provider.name): a response without a status"))
        }
        if status == check.approved { return .approved }
        return check.wrong.contains(status) ? .wrong : .over
    }

    private func post(
        _ form: [(name: String, value: Secret)], to url: TextPattern, _ values: [String: Secret]
    ) async throws(CancellationError) -> Result<ProviderResponse, TextFailure> {
        guard let url = (url.filled(values)?.reveal()).flatMap({ ProviderURL($0) }) else {
            return .failure(TextFailure(.configuration, "\(provider.name): the address is not valid"))
        }
        let request = ProviderRequest.post(
            url, form: form, authorization: provider.authorization?.filled(values).map(Self.encoded),
            maximumBytes: ProviderLimits.answer, hasFixedPath: false)
        do {
            let response = try await transport(request)
            guard response.body.count <= request.maximumBytes else { throw ProviderTransportFailure.tooLong }
            return .success(response)
        } catch let cancellation as CancellationError {
            throw cancellation
        } catch {
            return .failure(Self.failure(error as? ProviderTransportFailure, of: provider.name))
        }
    }

    /// Without the transport's own words, which may quote the request.
    private static func failure(_ failure: ProviderTransportFailure?, of provider: String) -> TextFailure {
        switch failure {
        case .addressRefused: TextFailure(.configuration, "\(provider): the address is not allowed")
        case .timedOut: TextFailure(.uncertain, "\(provider): timed out")
        case .tooLong: TextFailure(.uncertain, "\(provider): the response is too long")
        case .noConnection, nil: TextFailure(.uncertain, "\(provider): no connection")
        }
    }

    private func values(of message: TextMessage) -> [String: Secret] {
        let isUnicode = TextSegments(of: message.text.reveal()).alphabet == .ucs2
        var values = [
            "to": Secret(message.to), "text": message.text, "code": message.code,
            "encoding": Secret(isUnicode ? "unicode" : "text"),
        ]
        let tag = message.language?.rawValue
        values["language"] = tag.map { Secret(provider.languages[$0] ?? $0) }
        return values
    }

    /// RFC 7617 §2, without the form encoding of OAuth's clients.
    private static func encoded(_ authorization: Secret) -> Secret {
        let (text, scheme) = (authorization.reveal(), "Basic ")
        guard text.hasPrefix(scheme) else { return authorization }
        return Secret(scheme + Data(text.utf8.dropFirst(scheme.utf8.count)).base64EncodedString())
    }

    private static func isNumber(_ text: String) -> Bool {
        (4...15).contains(text.utf8.count) && text.utf8.allSatisfy(\.isDigit)
    }
}
