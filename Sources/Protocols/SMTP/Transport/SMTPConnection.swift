import CCurl
import CurlTransfers
import Foundation
import GatehouseWire

/// Sends one email after the other. One thread creates and uses it.
final class SMTPConnection {
    private let server: SMTPServer
    private let multi: CurlMulti
    private var handle: CurlHandle?
    private var job: SMTPJob?
    private var dialogue = SMTPDialogue()
    private var message: [UInt8] = []
    private var sent = 0

    init(_ server: SMTPServer, _ multi: CurlMulti) {
        (self.server, self.multi) = (server, multi)
        transfer_block_sigpipe()
        transfers_keep(multi.pointer, 1)
    }

    func end() { handle = nil }

    /// Makes a second attempt if the server has closed the kept connection.
    func outcome(of job: SMTPJob) -> Result<SMTPReply, SMTPFailure> {
        let needsNew = job.mail.map { $0.from.needsSMTPUTF8 || $0.to.needsSMTPUTF8 } ?? true
        var outcome = attempt(job, onNewConnection: needsNew)
        if case .failure(.temporary) = outcome, dialogue.wantsNewConnection {
            outcome = attempt(job, onNewConnection: true)
        }
        (self.job, message) = (nil, [])
        return outcome
    }

    private func attempt(_ job: SMTPJob, onNewConnection: Bool) -> Result<SMTPReply, SMTPFailure> {
        dialogue = SMTPDialogue(
            needsSMTPUTF8: job.mail.map { $0.from.needsSMTPUTF8 || $0.to.needsSMTPUTF8 } ?? false)
        (self.job, message, sent) = (job, job.mail?.bytes ?? [], 0)
        do {
            let handle = try prepared(job, onNewConnection: onNewConnection)
            return result(handle, try perform(handle), job)
        } catch {
            let trouble =
                (error as? CurlFailure).map { SMTPTrouble(stage: .connection, cause: $0.cause) }
                ?? SMTPTrouble(
                    stage: .authentication, cause: "the access token cannot be read: \(error)", isConfiguration: true)
            return .failure(.temporary(trouble))
        }
    }

    /// Ends soon after the caller is cancelled (``setCallbacks(_:)``). Nothing else may end it: libcurl completes an
    /// email whose handle is removed with whatever part has been sent.
    private func perform(_ handle: CurlHandle) throws(CurlFailure) -> CURLcode {
        guard curl_multi_add_handle(multi.pointer, handle.pointer) == CURLM_OK else {
            throw CurlFailure("out of memory")
        }
        defer { curl_multi_remove_handle(multi.pointer, handle.pointer) }
        while true {
            var count: Int32 = 0
            curl_multi_perform(multi.pointer, &count)
            while let message = curl_multi_info_read(multi.pointer, &count) {
                if message.pointee.msg == CURLMSG_DONE { return message.pointee.data.result }
            }
            multi.wait()
        }
    }

    private func result(_ handle: CurlHandle, _ code: CURLcode, _ job: SMTPJob) -> Result<SMTPReply, SMTPFailure> {
        let isAccepted = job.mail != nil && dialogue.hasSentMail && dialogue.reply?.code == 250
        if code == CURLE_OK || isAccepted {
            // libcurl would send without authentication.
            guard job.mail != nil || dialogue.isAuthenticated || !server.hasCredential else {
                let trouble = SMTPTrouble(
                    stage: .authentication, cause: "the server offers no authentication", isConfiguration: true)
                return .failure(.temporary(trouble))
            }
            return .success(dialogue.reply ?? SMTPReply(code: 250))
        }
        let (stage, cause) = Self.trouble(code)
        return .failure(
            dialogue.failure(
                settingsAt: stage, cause: cause ?? handle.cause(code), isCancelled: code == CURLE_ABORTED_BY_CALLBACK))
    }

    /// - Returns: The stage at which the settings fail, if they do, and a better text than libcurl's.
    private static func trouble(_ code: CURLcode) -> (SMTPStage?, String?) {
        switch code {
        case CURLE_OPERATION_TIMEDOUT: (nil, "the server did not answer in time")
        case CURLE_USE_SSL_FAILED: (.tls, "the server does not offer STARTTLS")
        case CURLE_PEER_FAILED_VERIFICATION, CURLE_SSL_CONNECT_ERROR, CURLE_SSL_CACERT_BADFILE, CURLE_SSL_CIPHER,
            CURLE_SSL_ISSUER_ERROR:
            (.tls, nil)
        case CURLE_LOGIN_DENIED: (.authentication, "the server offers no way to authenticate that is known")
        case CURLE_RECV_ERROR, CURLE_SEND_ERROR, CURLE_GOT_NOTHING, CURLE_WEIRD_SERVER_REPLY:
            (nil, "the server closed the connection")
        default: (nil, nil)
        }
    }
}

// By default libcurl verifies the certificate and its name.
extension SMTPConnection {
    private func prepared(_ job: SMTPJob, onNewConnection: Bool) throws -> CurlHandle {
        let handle = try self.handle ?? CurlHandle()
        self.handle = handle
        try handle.reset()
        try handle.set(CURLOPT_URL, server.url)
        try handle.check(transfer_set_mail_only(handle.pointer))
        try handle.set(CURLOPT_PROXY, "")
        try handle.set(CURLOPT_NOSIGNAL, 1)
        try handle.check(transfer_leave_resolver(handle.pointer))
        try handle.set(CURLOPT_CONNECTTIMEOUT_MS, Self.milliseconds(server.connectTimeLimit))
        try handle.set(CURLOPT_TIMEOUT_MS, Self.milliseconds(server.timeLimit))
        try handle.check(transfer_set_reply_limit(handle.pointer, Self.milliseconds(server.timeLimit) / 1_000 + 1))
        if onNewConnection { try handle.set(CURLOPT_FRESH_CONNECT, 1) }
        try setSecurity(handle)
        try setCredential(handle)
        try setMail(handle, job.mail)
        try setCallbacks(handle)
        return handle
    }

    private static func milliseconds(_ duration: Duration) -> Int { max(1, Int(duration / .milliseconds(1))) }

    private func setSecurity(_ handle: CurlHandle) throws(CurlFailure) {
        try handle.set(CURLOPT_SSLVERSION, Int(CURL_SSLVERSION_TLSv1_2))
        if server.security == .startTLS { try handle.set(CURLOPT_USE_SSL, Int(CURLUSESSL_ALL.rawValue)) }
        if let file = server.authorityFile {
            try handle.set(CURLOPT_CAINFO, file)
            try handle.set(CURLOPT_CAPATH, nil)
        }
    }

    private func setCredential(_ handle: CurlHandle) throws {
        switch server.credential {
        case .none: break
        case .password(let user, let password):
            try handle.set(CURLOPT_USERNAME, user)
            try handle.set(CURLOPT_PASSWORD, password.reveal())
            try handle.set(CURLOPT_LOGIN_OPTIONS, "AUTH=PLAIN;AUTH=LOGIN")
        case .token(let user, let token):
            try handle.set(CURLOPT_USERNAME, user)
            try handle.set(CURLOPT_XOAUTH2_BEARER, token().reveal())
            try handle.set(CURLOPT_LOGIN_OPTIONS, "AUTH=XOAUTH2")
        }
    }

    private func setMail(_ handle: CurlHandle, _ mail: SMTPJob.Mail?) throws(CurlFailure) {
        guard let mail else { return try handle.set(CURLOPT_CUSTOMREQUEST, "NOOP") }
        try handle.set(CURLOPT_MAIL_FROM, mail.from.text)
        try handle.set(CURLOPT_MAIL_RCPT, lines: [mail.to.text])
        // Without its size: libcurl compares that with the bytes it sends, including doubled dots.
        try handle.set(CURLOPT_UPLOAD, 1)
    }

    private func setCallbacks(_ handle: CurlHandle) throws(CurlFailure) {
        let owner = Unmanaged.passUnretained(self).toOpaque()
        // Otherwise libcurl would print the replies.
        try handle.set(CURLOPT_WRITEFUNCTION, receiver: { _, _, count, _ in count })
        try handle.set(CURLOPT_HEADERDATA, pointer: owner)
        try handle.set(
            CURLOPT_HEADERFUNCTION,
            receiver: { bytes, _, count, owner in
                SMTPConnection.of(owner).receive(UnsafeRawBufferPointer(start: bytes, count: count)) ? count : 0
            })
        try handle.set(CURLOPT_READDATA, pointer: owner)
        try handle.set(
            CURLOPT_READFUNCTION,
            receiver: { bytes, one, count, owner in
                SMTPConnection.of(owner).give(UnsafeMutableRawBufferPointer(start: bytes, count: one * count))
            })
        try handle.set(CURLOPT_XFERINFODATA, pointer: owner)
        try handle.check(
            transfer_set_watch(handle.pointer) { owner, _, _, _, _ in
                SMTPConnection.of(owner).job?.isCancelled == true ? 1 : 0
            })
        try handle.set(CURLOPT_VERBOSE, 1)
        try handle.set(CURLOPT_DEBUGDATA, pointer: owner)
        try handle.check(
            transfer_set_observer(handle.pointer) { _, kind, bytes, count, owner in
                guard kind == CURLINFO_HEADER_OUT else { return 0 }
                SMTPConnection.of(owner).dialogue.addCommand(UnsafeRawBufferPointer(start: bytes, count: count))
                return 0
            })
    }

    private static func of(_ owner: UnsafeMutableRawPointer?) -> SMTPConnection {
        Unmanaged<SMTPConnection>.fromOpaque(owner!).takeUnretainedValue()
    }

    private func receive(_ line: UnsafeRawBufferPointer) -> Bool {
        let goesOn = dialogue.addReplyLine(line)
        // After a refusal libcurl sends QUIT without reporting anything; the wait for the reply must not take minutes.
        if dialogue.isRefused, let handle { transfer_set_reply_limit(handle.pointer, 5) }
        return goesOn
    }

    private func give(_ room: UnsafeMutableRawBufferPointer) -> Int {
        let count = min(room.count, message.count - sent)
        if count == 0 { dialogue.hasSentMail = true }
        room.copyBytes(from: message[sent..<(sent + count)])
        sent += count
        return count
    }
}
