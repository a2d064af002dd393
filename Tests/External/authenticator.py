"""An authenticator app (RFC 6238)."""

import base64
import hashlib
import hmac
import time


class App:
    """It never gives the code of a step twice, and waits for the next one instead."""

    def __init__(self, key):
        self.key, self.last = base64.b32decode(key.replace(" ", "")), 0

    def code(self):
        # The server also accepts the next step's code: its clock may be half a minute behind.
        step = max(int(time.time()) // 30, self.last + 1)
        while step > int(time.time()) // 30 + 1:
            time.sleep(0.5)
        self.last = step
        digest = hmac.new(self.key, step.to_bytes(8, "big"), hashlib.sha1).digest()
        start = digest[-1] & 15
        return f"{(int.from_bytes(digest[start:start + 4], 'big') & 0x7FFFFFFF) % 1_000_000:06}"
