"""An agent of SSH that answers as one with a FIDO security key would (OpenSSH, PROTOCOL.u2f).

The key signs the hash of what it is for, flags that say whether somebody touched it, a
counter, and the hash of the message.
"""

import base64
import hashlib
import pathlib
import socket
import struct
import tempfile
import threading

from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec, ed25519, utils
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

APPLICATION = b"ssh:"
TOUCHED = 1
REQUEST_IDENTITIES, IDENTITIES, SIGN, SIGNED, FAILURE = 11, 12, 13, 14, 5


def text(value):
    return struct.pack(">I", len(value)) + value


def number(value):
    """An integer with room for its sign."""
    return text(value.to_bytes(value.bit_length() // 8 + 1, "big"))


def texts(value):
    """What a message is made of."""
    while len(value) >= 4:
        (length,) = struct.unpack_from(">I", value)
        yield value[4 : 4 + length]
        value = value[4 + length :]


class Ed25519:
    kind = b"sk-ssh-ed25519@openssh.com"

    def __init__(self):
        self.pair = ed25519.Ed25519PrivateKey.generate()

    def public(self):
        point = self.pair.public_key().public_bytes_raw()
        return text(self.kind) + text(point) + text(APPLICATION)

    def sign(self, message):
        return text(self.pair.sign(message))


class Ecdsa:
    kind = b"sk-ecdsa-sha2-nistp256@openssh.com"

    def __init__(self):
        self.pair = ec.generate_private_key(ec.SECP256R1())

    def public(self):
        key = self.pair.public_key()
        point = key.public_bytes(Encoding.X962, PublicFormat.UncompressedPoint)
        return text(self.kind) + text(b"nistp256") + text(point) + text(APPLICATION)

    def sign(self, message):
        signature = self.pair.sign(message, ec.ECDSA(hashes.SHA256()))
        r, s = utils.decode_dss_signature(signature)
        return text(number(r) + number(s))


class Agent:
    """Listens at `socket` until it is closed."""

    def __init__(self, key):
        self.key, self.counter = key, 0
        self.directory = tempfile.TemporaryDirectory()
        self.socket = str(pathlib.Path(self.directory.name) / "agent")
        self.listener = socket.socket(socket.AF_UNIX)
        self.listener.bind(self.socket)
        self.listener.listen()
        threading.Thread(target=self.serve, daemon=True).start()

    @property
    def public(self):
        return f"{self.key.kind.decode()} {base64.b64encode(self.key.public()).decode()}"

    def serve(self):
        while True:
            asking, _ = self.listener.accept()
            with asking, asking.makefile("rwb") as stream:
                while len(head := stream.read(4)) == 4:
                    request = stream.read(struct.unpack(">I", head)[0])
                    stream.write(text(self.answer(request)))
                    stream.flush()

    def answer(self, request):
        if request[0] == REQUEST_IDENTITIES:
            one = text(self.key.public()) + text(b"security key")
            return bytes([IDENTITIES]) + struct.pack(">I", 1) + one
        if request[0] == SIGN:
            _, message, *_ = texts(request[1:])
            return bytes([SIGNED]) + text(self.signature(message))
        return bytes([FAILURE])

    def signature(self, message):
        self.counter += 1
        state = bytes([TOUCHED]) + struct.pack(">I", self.counter)
        digest = hashlib.sha256
        said = digest(APPLICATION).digest() + state + digest(message).digest()
        return text(self.key.kind) + self.key.sign(said) + state
