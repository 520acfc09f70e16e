"""Keys of OpenPGP as `gpg` would export them, made without it (RFC 9580)."""

import base64
import hashlib
import struct
import time

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

# The curve Ed25519 as the algorithm EdDSA names it.
CURVE = bytes.fromhex("092b06010401da470f01")
EDDSA, SHA256 = 22, 8
CERTIFIES_AND_SIGNS = 3
POSITIVE_CERTIFICATION = 0x13
PUBLIC_KEY, USER_ID, SIGNATURE = 6, 13, 2


def packet(tag, body):
    return bytes([0xC0 | tag, 255]) + struct.pack(">I", len(body)) + body


def number(value):
    """A number as OpenPGP writes it: how many bits, and those."""
    bits = int.from_bytes(value, "big").bit_length()
    return struct.pack(">H", bits) + value[len(value) - (bits + 7) // 8 :]


def subpacket(kind, body):
    return bytes([len(body) + 1, kind]) + body


def public_key(user):
    """A new armoured public key of `Name <address>`."""
    pair = Ed25519PrivateKey.generate()
    now = struct.pack(">I", int(time.time()) - 60)
    point = b"\x40" + pair.public_key().public_bytes_raw()
    key = b"\x04" + now + bytes([EDDSA]) + CURVE + number(point)
    signed_key = b"\x99" + struct.pack(">H", len(key)) + key
    fingerprint = hashlib.sha1(signed_key).digest()
    about = subpacket(2, now) + subpacket(27, bytes([CERTIFIES_AND_SIGNS]))
    about += subpacket(33, b"\x04" + fingerprint)
    head = bytes([4, POSITIVE_CERTIFICATION, EDDSA, SHA256]) + struct.pack(">H", len(about)) + about
    name = user.encode()
    signed = signed_key + b"\xb4" + struct.pack(">I", len(name)) + name
    signed += head + b"\x04\xff" + struct.pack(">I", len(head))
    digest = hashlib.sha256(signed).digest()
    signature = pair.sign(digest)
    issuer = subpacket(16, fingerprint[-8:])
    tail = struct.pack(">H", len(issuer)) + issuer + digest[:2]
    tail += number(signature[:32]) + number(signature[32:])
    whole = packet(PUBLIC_KEY, key) + packet(USER_ID, name) + packet(SIGNATURE, head + tail)
    text = base64.encodebytes(whole).decode()
    begin, end = "-----BEGIN PGP PUBLIC KEY BLOCK-----", "-----END PGP PUBLIC KEY BLOCK-----"
    return f"{begin}\n\n{text}{end}\n"
