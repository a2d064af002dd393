"""Reads the mails that a server under test wrote to a folder (the setting `mail_folder`)."""

import json
import os
import time

# Only stops a test that hangs.
PATIENCE_SECONDS = 300


class Mails:
    """The mails of one server. Each is read once."""

    def __init__(self, folder):
        self.folder, self.read = str(folder), set()

    def unread(self, address):
        """The unread mails to an address, oldest first."""
        names = sorted(os.listdir(self.folder)) if os.path.isdir(self.folder) else []
        found = []
        for name in names:
            if name.endswith(".json") and name not in self.read:
                with open(os.path.join(self.folder, name), encoding="utf-8") as file:
                    mail = json.load(file)
                if mail["to"] == address:
                    found.append((name, mail))
        return found

    def next(self, address):
        """Waits for the next mail to an address."""
        end = time.monotonic() + PATIENCE_SECONDS
        while time.monotonic() < end:
            if found := self.unread(address):
                self.read.add(found[0][0])
                return found[0][1]
            time.sleep(0.02)
        raise TimeoutError(f"no mail to {address}")
