/// Imported hashes, with their passwords.
enum Known {
    /// Not the hash of a known password.
    static let tag = "MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3ODlhYmNkZWY"

    /// From libargon2's `src/test.c`: "password", "somesalt".
    static let argon2id =
        "$argon2id$v=19$m=65536,t=2,p=1$c29tZXNhbHQ$CTFhFdXPJO1aFaMaO6Mm5c8y7cJHAph8ArZWb2GRPPc"
    static let argon2idTwoLanes =
        "$argon2id$v=19$m=256,t=2,p=2$c29tZXNhbHQ$bQk8UB/VmZZF4Oo79iDXuL5/0ttZwg2f/5U52iv1cDc"
    static let argon2i = "$argon2i$v=19$m=256,t=2,p=1$c29tZXNhbHQ$iekCn0Y3spW+sCcFanM2xBT63UP2sghkUoHLIUpWRS8"

    /// Made with argon2-cffi 25.1, "password", "somesalt".
    static let argon2idFourLanes =
        "$argon2id$v=19$m=64,t=3,p=4$c29tZXNhbHQ$T4fNMJtyzPmC46C+DDai6FF5I8o+6vKMbvxnbQkvttU"

    /// By pyca/bcrypt; the password is 72 times "a".
    static let bcryptOf72Bytes = "$2b$04$abcdefghijklmnopqrstuuBzzIgyKkz7xMWYSzkIjUSnxEQFQ0WNe"
    /// Made with pyca/bcrypt; the password is "pass".
    static let bcryptOfPass = "$2b$04$abcdefghijklmnopqrstuufznL8bkzdtHwLhca4To/v9Lo9bA7fR6"
    /// Made with pyca/bcrypt; the password is "påssword🔑".
    static let bcryptOfUnicode = "$2b$04$abcdefghijklmnopqrstuu73pbtMy.VtpjCS6duv/zfPhwaoXXUdi"

    /// Well formed, without a known password.
    static func bcrypt(prefix: String) -> String {
        prefix + "XajjQvNhvvRt5GSeFk1xFeyqRrsxkhBkUiQeg0dt.wU1qD4aFDcga"
    }

    /// From Firebase's scrypt repository; the password is "user1password".
    static func firebase(
        costs: String = "v=1,n=14,r=8,p=1", keys: String = "ss=Bw==,sk=\(signerKey)", salt: String = "42xEC+ixf3L2lw=="
    ) -> String {
        "$fbscrypt$\(costs),\(keys)$\(salt)$"
            + "lSrfV15cpx95/sZS2W9c9Kp6i/LVgQNDNC/qzrCnh1SAyZvqmZqAjTdn3aoItz+VHjoZilo78198JAdRuid5lQ=="
    }

    private static let signerKey =
        "jxspr8Ki0RYycVU8zykbdLGjFQ3McFUH0uiiTvC8pVMXAn210wjLNmdZJzxUECKbm0QsEmYUSDzZvpjeJ9WmXA=="
}
