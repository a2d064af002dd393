import GatehouseWire
import SMTP
import Testing

@Suite("Sending mails")
struct TransportTests {
    private let from: MailAddress
    private let to: MailAddress
    private let mail: [UInt8]

    init() throws {
        from = try MailAddress("no-reply@example.com")
        to = try MailAddress("ada@example.org")
        mail = TestMail.bytes(try TestMail.message(text: ".\nHello\n"))
    }

    private func send(_ transport: SMTPTransport, to recipient: MailAddress? = nil) async throws(SMTPFailure)
        -> SMTPReply
    {
        try await transport.send(mail, from: from, to: recipient ?? to)
    }

    private func failure(
        _ change: (inout SMTPServer) -> Void = { _ in },
        _ script: @escaping @Sendable (_ connection: Int, _ command: String) -> ScriptedServer.Step?
    ) async throws -> SMTPFailure? {
        let server = try ScriptedServer(script)
        let transport = try server.transport(change)
        do throws(SMTPFailure) {
            _ = try await send(transport)
            return nil
        } catch {
            return error
        }
    }

    @Test("A mail arrives byte for byte, with its envelope and our name, and the reply is returned")
    func arrives() async throws {
        let server = try ScriptedServer()
        let reply = try await send(try server.transport())
        #expect(reply == SMTPReply(code: 250, status: "2.0.0", text: "2.0.0 queued as 1"))
        let heard = try #require(server.connections.first)
        #expect(
            heard.commands.prefix(5) == [
                "EHLO client.example", "MAIL FROM:<no-reply@example.com>", "RCPT TO:<ada@example.org>", "DATA", ".",
            ])
        #expect(server.mails == [mail])
    }

    @Test("A connection is kept for the next mail")
    func kept() async throws {
        let server = try ScriptedServer()
        // A reply may reach its caller before its connection is free.
        let transport = try server.transport { $0.connections = 1 }
        for _ in 0..<3 { _ = try await send(transport) }
        #expect(server.connections.count == 1 && server.mails == [mail, mail, mail])
        #expect(server.connections[0].commands.count { $0.hasPrefix("EHLO") } == 1)
    }

    @Test(
        "A server that ends a kept connection gets the mail on a new one",
        arguments: [
            ScriptedServer.Step.replyAndClose("421 4.7.0 enough for this connection\r\n"), .close,
        ])
    func renewed(step: ScriptedServer.Step) async throws {
        let server = try ScriptedServer { connection, command in
            // The first connection's second MAIL comes after its first email.
            connection == 0 && command == "MAIL FROM:<second@example.com>" ? step : nil
        }
        let transport = try server.transport()
        _ = try await send(transport)
        _ = try await transport.send(mail, from: try MailAddress("second@example.com"), to: to)
        #expect(server.connections.map(\.mails.count) == [1, 1])
    }

    @Test(
        "4xx is temporary, 5xx to recipient or mail is permanent, and the settings are to blame for others",
        arguments: [
            ("", "421 4.3.2 busy", .connection, false, false), ("", "554 5.3.2 go away", .connection, false, false),
            ("MAIL", "451 4.7.1 later", .sender, false, false), ("MAIL", "550 5.7.1 not you", .sender, false, true),
            ("MAIL", "552 5.3.4 too big", .sender, true, false),
            ("RCPT", "450 4.2.1 greylisted", .recipient, false, false),
            ("RCPT", "550 5.1.1 nobody", .recipient, true, false),
            ("RCPT", "550 relay denied", .recipient, true, false),
            ("RCPT", "550 5.1.8 no such domain", .recipient, false, true),
            ("RCPT", "553 5.1.7 bad sender", .recipient, false, true),
            ("DATA", "451 4.3.0 later", .message, false, false),
            ("DATA", "554 5.5.1 no", .message, true, false), (".", "452 4.3.1 full", .message, false, false),
            (".", "554 5.7.1 spam", .message, true, false),
        ] as [(String, String, SMTPStage, Bool, Bool)])
    func refused(command: String, line: String, stage: SMTPStage, isPermanent: Bool, isConfiguration: Bool) async throws
    {
        let found = try await failure { _, heard in heard.prefix(4) == command ? .reply(line + "\r\n") : nil }
        let words = line.split(ascii: " ", maxSplits: 1).map(String.init)
        let status = String(words[1].prefix { $0 != " " })
        let reply = SMTPReply(
            code: Int(words[0]) ?? 0, status: status.contains(".") ? status : nil, text: words[1])
        let trouble = SMTPTrouble(
            stage: stage, reply: reply, cause: "the server answered \(reply)", isConfiguration: isConfiguration)
        #expect(found == (isPermanent ? .permanent(trouble) : .temporary(trouble)))
    }

    @Test(
        "A connection lost before the end of the mail is a temporary failure; after the end, the outcome is unknown",
        arguments: [("", false), ("EHLO", false), ("MAIL", false), ("RCPT", false), ("DATA", false), (".", true)])
    func lost(command: String, isUnknown: Bool) async throws {
        let found = try #require(
            try await failure { _, heard in heard.prefix(4) == command ? .close : nil })
        if case .unknown = found { #expect(isUnknown, "\(found)") } else { #expect(!isUnknown, "\(found)") }
        if case .permanent = found { Issue.record("\(found)") }
        #expect(found.trouble?.reply == nil)
    }

    @Test("A mail is accepted although the server closes at once")
    func closes() async throws {
        let found = try await failure { _, command in
            command == "." ? .replyAndClose("250 2.0.0 queued\r\n") : nil
        }
        #expect(found == nil)
    }

    @Test("Where nothing listens, the failure is temporary")
    func nobody() async throws {
        let port = try ScriptedServer().port
        let transport = SMTPTransport(try #require(SMTPServer(host: "127.0.0.1", port: port, security: .off)))
        do throws(SMTPFailure) {
            _ = try await send(transport)
            Issue.record("sent")
        } catch {
            #expect("\(error)" == "temporary, connection: Couldn't connect to server: Connection refused")
        }
    }

    @Test("A slow server is given up at the time limit", arguments: [("", false), ("MAIL", false), (".", true)])
    func slow(command: String, isUnknown: Bool) async throws {
        let found = try await failure({ $0.timeLimit = .seconds(3) }) { _, heard in
            heard.prefix(4) == command ? .nothing : nil
        }
        let stage: SMTPStage = command == "" ? .connection : isUnknown ? .message : .sender
        let trouble = SMTPTrouble(stage: stage, cause: "the server did not answer in time")
        #expect(found == (isUnknown ? .unknown(trouble) : .temporary(trouble)))
    }

    @Test("A cancelled caller learns whether the mail may have been accepted", arguments: ["MAIL", "."])
    func cancelled(command: String) async throws {
        let server = try ScriptedServer { _, heard in heard.prefix(4) == command ? .nothing : nil }
        let transport = try server.transport()
        let sending = Task { () -> SMTPFailure? in
            do throws(SMTPFailure) { _ = try await send(transport) } catch { return error }
            return nil
        }
        for await event in server.events where event.prefix(4) == command { break }
        sending.cancel()
        let unknown = SMTPFailure.unknown(SMTPTrouble(stage: .message, cause: "cancelled"))
        #expect(await sending.value == (command == "." ? unknown : .cancelled))
    }

    @Test("A mail that is cancelled halfway is not delivered in part")
    func cancelledHalfway() async throws {
        let server = try ScriptedServer { _, command in command == "DATA" ? .replyAndPause("354 go on\r\n") : nil }
        let transport = try server.transport()
        // More than a socket's buffers.
        let long = [UInt8](repeating: UInt8(ascii: "a"), count: 32 << 20)
        let sending = Task { try await transport.send(long, from: from, to: to) }
        var events = server.events.makeAsyncIterator()
        while let event = await events.next(), event != "DATA" {}
        sending.cancel()
        await #expect(throws: SMTPFailure.cancelled) { try await sending.value }
        server.resume()
        while let event = await events.next(), event != "end" {}
        #expect(server.mails.isEmpty)
    }

    @Test("A caller that waits for a connection can be cancelled")
    func cancelledWhileWaiting() async throws {
        let server = try ScriptedServer { _, command in command == "DATA" ? .nothing : nil }
        let transport = try server.transport { $0.connections = 1 }
        let first = Task { try await send(transport) }
        for await event in server.events where event == "DATA" { break }
        let second = Task { try await send(transport) }
        second.cancel()
        await #expect(throws: SMTPFailure.cancelled) { try await second.value }
        first.cancel()
        await #expect(throws: SMTPFailure.cancelled) { try await first.value }
        #expect(server.connections.count == 1)
    }

    @Test("Many mails share the connections, and each arrives once")
    func shared() async throws {
        let server = try ScriptedServer()
        let transport = try server.transport { $0.connections = 3 }
        let recipients = try (0..<200).map { try MailAddress("person\($0)@example.org") }
        try await withThrowingTaskGroup(of: Void.self) { group in
            for recipient in recipients { group.addTask { _ = try await send(transport, to: recipient) } }
            try await group.waitForAll()
        }
        #expect(server.connections.count == 3 && server.mails.count == 200)
        let heard = server.connections.flatMap(\.commands).filter { $0.hasPrefix("RCPT") }
        #expect(heard.sorted() == recipients.map { "RCPT TO:<\($0.text)>" }.sorted())
    }
}

@Suite("What is asked of the server")
struct ServerDemandTests {
    private func failure(
        of server: ScriptedServer, to recipient: String = "ada@example.org",
        _ change: (inout SMTPServer) -> Void = { _ in }
    ) async throws -> SMTPFailure? {
        let mail = TestMail.bytes(try TestMail.message(to: recipient))
        let transport = try server.transport(change)
        let (from, to) = (try MailAddress("no-reply@example.com"), try MailAddress(recipient))
        do throws(SMTPFailure) {
            _ = try await transport.send(mail, from: from, to: to)
            return nil
        } catch {
            return error
        }
    }

    @Test("A server without STARTTLS gets no mail and no password")
    func noSTARTTLS() async throws {
        let server = try ScriptedServer { _, command in
            command.hasPrefix("EHLO") ? .reply("250-test\r\n250 AUTH PLAIN LOGIN\r\n") : nil
        }
        let found = try await failure(of: server) {
            ($0.security, $0.credential) = (.startTLS, .password(user: "ada", Secret("secret")))
        }
        #expect(
            found
                == .temporary(
                    SMTPTrouble(stage: .tls, cause: "the server does not offer STARTTLS", isConfiguration: true)))
        #expect(server.connections.allSatisfy { $0.commands.allSatisfy { $0.hasPrefix("EHLO") || $0 == "QUIT" } })
    }

    @Test("A local part beyond ASCII goes only to a server with SMTPUTF8", arguments: [true, false])
    func internationalised(isOffered: Bool) async throws {
        let server = try ScriptedServer { _, command in
            command.hasPrefix("EHLO") && isOffered ? .reply("250-test\r\n250-SMTPUTF8\r\n250 8BITMIME\r\n") : nil
        }
        let found = try await failure(of: server, to: "grüße@münchen.example")
        let heard = try #require(server.connections.first).commands
        if isOffered {
            #expect(found == nil)
            #expect(heard.contains("MAIL FROM:<no-reply@example.com> SMTPUTF8"))
            #expect(heard.contains("RCPT TO:<grüße@xn--mnchen-3ya.example>"))
        } else {
            let cause = "the server does not accept addresses with characters beyond ASCII"
            #expect(found == .permanent(SMTPTrouble(stage: .recipient, cause: cause)))
            #expect(!heard.contains { $0.hasPrefix("RCPT") })
        }
    }

    @Test("The check wants authentication if there is a password")
    func noAuthentication() async throws {
        let server = try ScriptedServer()
        try await server.transport().check()
        let trouble = SMTPTrouble(
            stage: .authentication, cause: "the server offers no authentication", isConfiguration: true)
        await #expect(throws: SMTPFailure.temporary(trouble)) {
            try await server.transport { $0.credential = .password(user: "ada", Secret("secret")) }.check()
        }
        #expect(server.connections.allSatisfy { $0.mails.isEmpty && $0.commands.contains("NOOP") })
    }

    @Test("A token is for XOAUTH2")
    func token() async throws {
        // user=ada^Aauth=Bearer a token^A^A
        let token = "dXNlcj1hZGEBYXV0aD1CZWFyZXIgYSB0b2tlbgEB"
        let server = try ScriptedServer { _, command in
            if command.hasPrefix("EHLO") { return .reply("250-test\r\n250 AUTH XOAUTH2 PLAIN\r\n") }
            if command == "AUTH XOAUTH2" { return .reply("334 \r\n") }
            return command == token ? .reply("235 2.7.0 welcome\r\n") : nil
        }
        let credential = SMTPServer.Credential.token(user: "ada") { Secret("a token") }
        #expect(try await failure(of: server) { $0.credential = credential } == nil)
        #expect(try #require(server.connections.first).commands.contains(token))
    }

    @Test("Replies without end are cut off")
    func endless() async throws {
        let server = try ScriptedServer { _, command in
            command.hasPrefix("EHLO") ? .reply(String(repeating: "250-and more of it\r\n", count: 10_000)) : nil
        }
        let found = try await failure(of: server)
        guard case .temporary(let trouble) = found else {
            Issue.record("\(found?.description ?? "sent")")
            return
        }
        #expect(trouble.stage == .connection && trouble.reply == nil)
    }
}
