import GatehouseWire

/// By Python's cryptography 50, for algorithms without an example in the RFCs.
enum ForeignSignatures {
    /// A P-384 key of these tests.
    static let es384: AuthJSON = [
        "kty": "EC", "crv": "P-384",
        "x": "tmzhanANVYZAr5y7rrfNL1MGJvSUgT7F_0ooUEDYj9cwMnre7z4zY_9weXoFNyrh",
        "y": "ypI8XP9qi_aVZhmAnikehmpf2SGV9Qg-LTiqzLYmA16MFVb9FFYCJUc7oHGiF0T_",
        "d": "liwPXCr2V0QT9nf3s1tx2Wy1GVnw6nM1dZ2XuaQ4foC5MvxU2krHqh2cTUvOnyNs",
    ]

    /// Key, signed text, signature.
    static let all: [(key: AuthJSON, input: String, signature: String)] = [
        (
            es384.with(["alg": "ES384"]), "eyJhbGciOiJFUzM4NCJ9.UGF5bG9hZA",
            """
            HqeJp8jeSyc6qWn8NUBOUrs4zOsKmmE-3uERciM5dxzBu8hH4_q_v17IlejnbwPLMBOPKICGnj76TaZgpR7Y_A3GSOHv1ytjK897\
            D_1mnGzTuRd2lU5VorXj4KQ7lJcH
            """
        ),
        (
            Specified.rs256.with(["alg": "RS384"]), "eyJhbGciOiJSUzM4NCJ9.UGF5bG9hZA",
            """
            FiSa_9VEMsSaTPZxYH_icsWfp3UHqG0rX90jurMLXlwvwlmpWQZstclTs3ULwG3y8z-bq5BxADNuYmmA38ROWXq4ckSx5Z7RuNQ6\
            6uT-q0b_-NMmLq-N6-RmJVK-rzqVa1zuezvODymvWr9WMbXBbPq3F8R3iOCGaUMT2BWH_qYEFpkG1gJmDXTqluwDsDrXOCS-Sfhz\
            AMPF3aCaentgzkQs3UbsA1xkTqJWm6E37Z85zXFGorO0ATIRxl2NtKilEGv9l-aRfBzLtmiczth4b2_UwaxJ8dMMdRCg-YIfh6D3\
            I_PooNSRVr42MNaUX36NbIWH8JeovC6UgDm015zbWA
            """
        ),
        (
            Specified.rs256.with(["alg": "RS512"]), "eyJhbGciOiJSUzUxMiJ9.UGF5bG9hZA",
            """
            NGnrvHlcqw269SWeAEzRTM2gXJOud7LBSiiGGFosQhHetmBAfppr9PJw6QQYotr9Yl618tqbDoaLPCHWPMC07rupNr1Mi9BEOy-L\
            3CeV2NbF_KrBGcQ1DIfWiDu6ZM8O5BuFjQ4U7NC7bKKllbKnVyNTO-eMfOlES-6DTnD9iGcFr5PhReFIVaT-rzxI1_e0HlW-zxdw\
            wqMe74zp_ztHHFDysMyC8XpBHmsXxldaRZUsDHRWHMlUzEeni3QjI6h3Al8yyWZ2nlXTIU4g9eAysmT0Kaq-XGGwPLh4L84f8s_9\
            hER3Gy5jB-HUmCFD1pUemGJBh9S4al2wmRUtxc6l7w
            """
        ),
        (
            Specified.rs256.with(["alg": "PS256"]), "eyJhbGciOiJQUzI1NiJ9.UGF5bG9hZA",
            """
            JMNBvPCthiU45J3uemXucInlRLx4vgxWMosOA4hwD-oeapOjuRNvMUfqhlPb1RtqWMd_tpOJ2w39S2zMQUZrIm2w5E9raiOoiZMF\
            p-5wwMhGUqAqEkS8C31lB7qv3eHJ35RsL75M6hYGbp3RcLlP6liamUlocofVbdkry6wP_oncVBrC4Bl5PI6VQKtBLzIOa-caV43q\
            c_Y_qcYdjACBScsLapW83Z3AUOswchZ9rwTPqSh2uVNiY1V4S8Os1os2Wsnc2I0r0Mll6FqYVxJ76cGFXxsNRcEqqpqCqu9YGr8k\
            J9jNBk5XjDtDukz83bXbzoKmSEtq6mCi1wEp4srYDQ
            """
        ),
        (
            Specified.rs256.with(["alg": "PS384"]), "eyJhbGciOiJQUzM4NCJ9.UGF5bG9hZA",
            """
            BNHoNA4zmGXm0LbcQjCePe1nhSbuTle8LQPS242MZsp5fYF5_Kbb3UeoSEFo0t9hPXyoZMRT6SD17LMK4LdFlji2HPwRDx14r2jO\
            3D2luzdW5S2ABeHjJBoP2-sfe3hCgjZgLsaZM9ySLekRg15x7Jnt8jpS2f25cIsNH3i_BXth7-jeohHuhEmHTMlvn2FAxTWGyEIi\
            YGYme8-A8xAn1OICpX_-pa-Dzf8D03ZBCNbOymKYKPNyhW697m0V3aCKgfH8Wo_DkzEAcbOQeWaZzf9jLnb7oACYFnP7ex65TOyP\
            T5MPMflR4CPkkF-gi4ULYKZgk1H7N3MV7q92QF1M2A
            """
        ),
        (
            Specified.rs256.with(["alg": "PS512"]), "eyJhbGciOiJQUzUxMiJ9.UGF5bG9hZA",
            """
            OUquNuazCjZBWxeKQi17NJs2FCidrPp93BguCmHE46d9p0OvUOtl2dS-xpf9Q6MtHVQ1GzXsKmIQgCjFe7g__UfVn69QTUW_cZ5s\
            d__I31FdUxQFDU2qppByLijFihUtheL4uwYhgsvuAIvYipJMHhyepL6n6F6xEPojWkZttVzpCLVANlHR7PGkXuCGgLCzGsKsSVk6\
            VHdFj3XT08S-S8GBUXU4u0US1c2Jwy4mHs6Ldj6e8IOzGvGX7YkPsO9UgCMfMY0OGxWHaFAmaG_hZMJyrBAW76TxlcJl-VcJNdbU\
            c7BqkE2g3AQzqa3NEv2uIte_fRnNmfKJ2Zy5lEcxNA
            """
        ),
    ]
}
