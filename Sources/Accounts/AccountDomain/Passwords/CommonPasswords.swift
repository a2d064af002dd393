import CCommonPasswords
import Crypto

/// The most common passwords, unfiltered: ASVS 5.0 V6.2.4 and NIST SP 800-63B §5.1.1.2.
///
/// Origin: the `passwords` list of zxcvbn-python 4.5.0 (https://github.com/dwolfhub/zxcvbn-python), which comes from
/// zxcvbn (https://github.com/dropbox/zxcvbn), and `common-passwords.txt.gz` of Django 5.2.8
/// (https://www.djangoproject.com). `Scripts/make-common-passwords` computes the digests of both. zxcvbn and
/// zxcvbn-python are under the MIT licence:
///
/// Copyright (c) 2012-2016 Dan Wheeler and Dropbox, Inc.
/// Copyright (c) 2016 Daniel Wolf
///
/// Permission is hereby granted, free of charge, to any person obtaining a copy of this software and associated
/// documentation files (the "Software"), to deal in the Software without restriction, including without
/// limitation the rights to use, copy, modify, merge, publish, distribute, sublicense, and/or sell copies of the
/// Software, and to permit persons to whom the Software is furnished to do so, subject to the following
/// conditions: The above copyright notice and this permission notice shall be included in all copies or
/// substantial portions of the Software.
///
/// THE SOFTWARE IS PROVIDED "AS IS", WITHOUT WARRANTY OF ANY KIND, EXPRESS OR IMPLIED, INCLUDING BUT NOT LIMITED
/// TO THE WARRANTIES OF MERCHANTABILITY, FITNESS FOR A PARTICULAR PURPOSE AND NONINFRINGEMENT. IN NO EVENT SHALL
/// THE AUTHORS OR COPYRIGHT HOLDERS BE LIABLE FOR ANY CLAIM, DAMAGES OR OTHER LIABILITY, WHETHER IN AN ACTION OF
/// CONTRACT, TORT OR OTHERWISE, ARISING FROM, OUT OF OR IN CONNECTION WITH THE SOFTWARE OR THE USE OR OTHER
/// DEALINGS IN THE SOFTWARE.
///
/// Django is under the BSD licence with three clauses:
///
/// Copyright (c) Django Software Foundation and individual contributors.
/// All rights reserved.
///
/// Redistribution and use in source and binary forms, with or without modification, are permitted provided that the
/// following conditions are met:
///
///     1. Redistributions of source code must retain the above copyright notice, this list of conditions and the
///        following disclaimer.
///
///     2. Redistributions in binary form must reproduce the above copyright notice, this list of conditions and the
///        following disclaimer in the documentation and/or other materials provided with the distribution.
///
///     3. Neither the name of Django nor the names of its contributors may be used to endorse or promote products
///        derived from this software without specific prior written permission.
///
/// THIS SOFTWARE IS PROVIDED BY THE COPYRIGHT HOLDERS AND CONTRIBUTORS "AS IS" AND ANY EXPRESS OR IMPLIED WARRANTIES,
/// INCLUDING, BUT NOT LIMITED TO, THE IMPLIED WARRANTIES OF MERCHANTABILITY AND FITNESS FOR A PARTICULAR PURPOSE ARE
/// DISCLAIMED. IN NO EVENT SHALL THE COPYRIGHT OWNER OR CONTRIBUTORS BE LIABLE FOR ANY DIRECT, INDIRECT, INCIDENTAL,
/// SPECIAL, EXEMPLARY, OR CONSEQUENTIAL DAMAGES (INCLUDING, BUT NOT LIMITED TO, PROCUREMENT OF SUBSTITUTE GOODS OR
/// SERVICES; LOSS OF USE, DATA, OR PROFITS; OR BUSINESS INTERRUPTION) HOWEVER CAUSED AND ON ANY THEORY OF LIABILITY,
/// WHETHER IN CONTRACT, STRICT LIABILITY, OR TORT (INCLUDING NEGLIGENCE OR OTHERWISE) ARISING IN ANY WAY OUT OF THE USE
/// OF THIS SOFTWARE, EVEN IF ADVISED OF THE POSSIBILITY OF SUCH DAMAGE.
enum CommonPasswords {
    /// Case-insensitive. False positives are below one in a million.
    ///
    /// - Parameter password: At most ``PasswordPolicy/longest`` bytes.
    static func contains(_ password: String) -> Bool {
        let digest = digest(of: password)
        let table = common_passwords()
        var (low, high) = (0, table.count)
        while low < high {
            let middle = (low + high) / 2
            let entry = UnsafeBufferPointer(start: table.digests + middle * (characters + 1), count: characters)
            if entry.elementsEqual(digest) { return true }
            if entry.lexicographicallyPrecedes(digest) { low = middle + 1 } else { high = middle }
        }
        return false
    }

    private static let characters = 6
    /// In ASCII order, so that digests sort like their characters.
    private static let alphabet = Array("-0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ_abcdefghijklmnopqrstuvwxyz".utf8)

    /// The first 36 bits of SHA-256, six bits per character.
    private static func digest(of password: String) -> [UInt8] {
        let hash = SHA256.hash(data: Array(password.lowercased().utf8))
        let bits = hash.prefix(5).reduce(UInt64(0)) { $0 << 8 | UInt64($1) } >> 4
        return (0..<characters).map { alphabet[Int(bits >> UInt64(6 * (characters - 1 - $0)) & 63)] }
    }
}
