import GatehouseWire
import SoftAuthenticator
import Testing
import WebAuthn

@Suite("CBOR and COSE keys")
struct EncodingTests {
    @Test("Integers, bytes, texts, arrays, maps and simple values are read")
    func values() throws {
        let item = CBORWriter.map([
            (CBORWriter.integer(-257), CBORWriter.array([CBORWriter.integer(1_000_000), [0xF5], [0xF4], [0xF6]])),
            (CBORWriter.text("é"), CBORWriter.bytes([1, 2])),
            (CBORWriter.integer(Int64.max), CBORWriter.integer(Int64.min)),
        ])
        let map = try #require(try CBORReader.read(item[...]).mapValue)
        #expect(map[-257]?.arrayValue == [.integer(1_000_000), .bool(true), .bool(false), .null])
        #expect(map["é"]?.bytesValue == [1, 2])
        #expect(map[Int64.max]?.integerValue == Int64.min)
        let (value, rest) = try CBORReader.readPrefix(item + [7])
        #expect(value.mapValue?.count == 3 && rest.elementsEqual([7]))
    }

    @Test(
        "What CTAP2 does not allow is refused",
        arguments: [
            ([], .truncated), ([0x18], .truncated), ([0x42, 1], .truncated),
            ([0x9A, 0xFF, 0xFF, 0xFF, 0xFF], .truncated),
            ([0xBB, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF], .truncated), ([0, 0], .trailingBytes),
            ([0x5F, 0x41, 0, 0xFF], .unsupportedItem), ([0x9F, 0xFF], .unsupportedItem),
            ([0xBF, 0xFF], .unsupportedItem), ([0x1C], .unsupportedItem), ([0xC0, 0x60], .unsupportedItem),
            ([0xF9, 0x3C, 0], .unsupportedItem), ([0xF7], .unsupportedItem), ([0xF8, 0x20], .unsupportedItem),
            ([0xFF], .unsupportedItem), ([0x1B, 0x80, 0, 0, 0, 0, 0, 0, 0], .integerTooLarge),
            ([0x3B, 0xFF, 0, 0, 0, 0, 0, 0, 0], .integerTooLarge), ([0x61, 0xFF], .invalidText),
            ([0x62, 0xC0, 0x80], .invalidText), ([0xA1, 0x40, 0], .unsupportedKey), ([0xA1, 0xF5, 0], .unsupportedKey),
            ([0xA2, 1, 0, 1, 0], .duplicateKey), ([0xA2, 1, 0, 0x18, 1, 0], .duplicateKey),
            ([0xA2, 0x61, 0x61, 0, 0x61, 0x61, 0], .duplicateKey),
            ([UInt8](repeating: 0x81, count: 9) + [0], .tooDeep),
            ([UInt8](repeating: 0x81, count: 60_000), .tooDeep),
            ([UInt8](repeating: 0, count: 65_537), .tooLong),
        ] as [([UInt8], CBORProblem)])
    func refusals(bytes: [UInt8], problem: CBORProblem) {
        #expect(throws: problem) { try CBORReader.read(bytes[...]) }
    }

    @Test("A map of many members is read in linear time")
    func manyMembers() throws {
        let members = (0..<10_000).map { (CBORWriter.integer(Int64($0)), CBORWriter.integer(0)) }
        #expect(try CBORReader.read(CBORWriter.map(members)[...]).mapValue?.count == 10_000)
    }

    @Test("Keys of all algorithms are read", arguments: COSEAlgorithm.allCases)
    func keys(_ algorithm: COSEAlgorithm) throws {
        let key = try Ceremonies.key(algorithm)
        let publicKey = try CredentialPublicKey(key.publicKey())
        #expect(publicKey.algorithm == algorithm)
        #expect(publicKey.isValid(try key.sign([1, 2, 3]), for: [1, 2, 3]))
        #expect(!publicKey.isValid(try key.sign([1, 2, 3]), for: [1, 2, 4]))
        #expect(!publicKey.isValid([], for: [1, 2, 3]))
    }

    private typealias Parameter = (Int64, [UInt8])

    private static func key(_ parameters: [Parameter]) -> [UInt8] {
        CBORWriter.map(parameters.map { (CBORWriter.integer($0.0), $0.1) })
    }

    private static func ec(_ edit: (inout [Parameter]) -> Void) throws -> [UInt8] {
        let map = try #require(try CBORReader.read(try SoftKey(.es256).publicKey()[...]).mapValue)
        let (x, y) = (try #require(map[-2]?.bytesValue), try #require(map[-3]?.bytesValue))
        var parameters: [Parameter] = [
            (1, CBORWriter.integer(2)), (3, CBORWriter.integer(-7)), (-1, CBORWriter.integer(1)),
            (-2, CBORWriter.bytes(x)), (-3, CBORWriter.bytes(y)),
        ]
        edit(&parameters)
        return key(parameters)
    }

    @Test("A key of another type, curve or form is refused")
    func ellipticRefusals() throws {
        let problems: [(COSEKeyProblem, (inout [Parameter]) -> Void)] = [
            (.unsupportedAlgorithm, { $0[1].1 = CBORWriter.integer(-47) }),
            (.unsupportedAlgorithm, { $0.remove(at: 1) }),
            (.algorithmDoesNotFit, { $0[0].1 = CBORWriter.integer(3) }),
            (.algorithmDoesNotFit, { $0[2].1 = CBORWriter.integer(2) }),
            (.algorithmDoesNotFit, { $0[1].1 = CBORWriter.integer(-35) }),
            (.malformedParameter, { $0[3].1 = CBORWriter.bytes([1]) }),
            (.malformedParameter, { $0[3].1 = CBORWriter.bytes([UInt8](repeating: 1, count: 32)) }),
            (.malformedParameter, { $0[3].1 = CBORWriter.bytes([UInt8](repeating: 0xFF, count: 32)) }),
            // A compressed point has a sign instead of y.
            (.malformedParameter, { $0[4].1 = [0xF5] }),
            (.unexpectedParameter, { $0.append((2, CBORWriter.bytes([1]))) }),
            (.unexpectedParameter, { $0.removeLast() }),
        ]
        for (problem, edit) in problems {
            let bytes = try Self.ec(edit)
            #expect(throws: problem) { try CredentialPublicKey(bytes) }
        }
        #expect(throws: COSEKeyProblem.notAMap) { try CredentialPublicKey([0x80]) }
        #expect(throws: COSEKeyProblem.notAMap) { try CredentialPublicKey([]) }
    }

    @Test("Ed25519 keys of small order, with either sign, and ones in another form are refused")
    func edwardsRefusals() throws {
        func edwards(_ point: [UInt8]) -> [UInt8] {
            Self.key([
                (1, CBORWriter.integer(1)), (3, CBORWriter.integer(-8)), (-1, CBORWriter.integer(6)),
                (-2, CBORWriter.bytes(point)),
            ])
        }
        let map = try #require(try CBORReader.read(try Ceremonies.key(.edDSA).publicKey()[...]).mapValue)
        let point = try #require(map[-2]?.bytesValue)
        #expect(throws: Never.self) { try CredentialPublicKey(edwards(point)) }
        func number(_ first: UInt8, _ middle: UInt8, _ last: UInt8) -> [UInt8] {
            [first] + [UInt8](repeating: middle, count: 30) + [last]
        }
        let orderEight: [[UInt8]] = [
            try #require(Base64URL.decode("xxdqcD1N2E-6PAt2DRBnDyogU_osOczGTsf9d5KsA3o")),
            try #require(Base64URL.decode("JuiVj8KyJ7BFw_SJ8u-Y8NXfrAXTxjM5sTgCiG1T_AU")),
        ]
        // 0, 1 and -1, then the same and more from 2^255 - 19 on.
        let reduced = [number(0, 0, 0), number(1, 0, 0), number(0xEC, 0xFF, 0x7F)] + orderEight
        let others = [number(0xED, 0xFF, 0x7F), number(0xEE, 0xFF, 0x7F), number(0xFF, 0xFF, 0x7F)]
        for refused in reduced + others {
            for sign in [0, 0x80] as [UInt8] {
                let bytes = Array(refused.dropLast()) + [refused[31] | sign]
                #expect(throws: COSEKeyProblem.malformedParameter) { try CredentialPublicKey(edwards(bytes)) }
            }
        }
        #expect(throws: COSEKeyProblem.malformedParameter) { try CredentialPublicKey(edwards(point + [0])) }
    }

    @Test("RSA keys outside of 2,048 to 4,096 bits, and weak exponents, are refused")
    func rsaRefusals() throws {
        func rsa(_ n: [UInt8], _ e: [UInt8]) -> [UInt8] {
            Self.key([
                (1, CBORWriter.integer(3)), (3, CBORWriter.integer(-257)), (-1, CBORWriter.bytes(n)),
                (-2, CBORWriter.bytes(e)),
            ])
        }
        let map = try #require(try CBORReader.read(try Ceremonies.key(.rs256).publicKey()[...]).mapValue)
        let n = try #require(map[-1]?.bytesValue)
        #expect(throws: Never.self) { try CredentialPublicKey(rsa(n, [1, 0, 1])) }
        let refused: [(COSEKeyProblem, [UInt8], [UInt8])] = [
            (.unsafeModulus, Array(n.dropFirst()), [1, 0, 1]), (.unsafeModulus, [1] + n + n, [1, 0, 1]),
            (.malformedParameter, [0] + n, [1, 0, 1]), (.malformedParameter, [], [1, 0, 1]),
            (.malformedParameter, n, []), (.malformedParameter, n, [0, 3]), (.unsafeModulus, n, [1]),
            (.unsafeModulus, n, [2]), (.unsafeModulus, n, [1, 0, 0, 0, 1]), (.unsafeModulus, n.dropLast() + [2], [3]),
        ]
        for (problem, n, e) in refused { #expect(throws: problem) { try CredentialPublicKey(rsa(n, e)) } }
    }
}
