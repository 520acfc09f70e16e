"""fido2, unmodified, adds a security key and signs in with it.

The library is the browser's half: it reads the server's options, collects the
client data and speaks CTAP2 with the key. Only the key itself is ours: one in
memory, in place of one in a USB port.
"""

import json
import os
import urllib.parse

from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec
from fido2 import cbor
from fido2.client import ClientError, DefaultClientDataCollector, Fido2Client
from fido2.cose import ES256
from fido2.ctap import CtapDevice, CtapError
from fido2.ctap2 import Ctap2
from fido2.hid import CAPABILITY, CTAPHID
from fido2.webauthn import (
    AttestedCredentialData,
    Aaguid,
    AuthenticatorData,
    PublicKeyCredentialCreationOptions,
    PublicKeyCredentialRequestOptions,
)

import oauth_user
from oauth_user import URL, Forms, Person, api

PASSWORD = "correct horse battery"
KEYS = f"{URL}/-/profile/two_factor_auth/keys"
STEP = "/users/sign_in/two_factor"


class SoftKey(CtapDevice):
    """A key that answers CTAP2 commands and is always touched."""

    def __init__(self):
        self.credentials = {}
        self.counter = 0

    capabilities = CAPABILITY.CBOR

    @classmethod
    def list_devices(cls):
        return iter(())

    def call(self, cmd, data=b"", event=None, on_keepalive=None):
        assert cmd == CTAPHID.CBOR, cmd
        arguments = cbor.decode(data[1:]) if data[1:] else {}
        answers = {
            Ctap2.CMD.GET_INFO: self.info,
            Ctap2.CMD.MAKE_CREDENTIAL: self.make,
            Ctap2.CMD.GET_ASSERTION: self.sign,
        }
        try:
            return b"\0" + cbor.encode(answers[data[0]](arguments))
        except CtapError as error:
            return bytes([error.code])

    def info(self, _):
        return {1: ["FIDO_2_0"], 3: bytes(Aaguid.NONE), 4: {"rk": False, "up": True}, 5: 4096}

    def make(self, arguments):
        rp_id = arguments[2]["id"]
        excluded = [known["id"] for known in arguments.get(5, [])]
        if any(self.credentials.get(known, ("",))[0] == rp_id for known in excluded):
            raise CtapError(CtapError.ERR.CREDENTIAL_EXCLUDED)
        assert {"type": "public-key", "alg": ES256.ALGORITHM} in arguments[4]
        secret = ec.generate_private_key(ec.SECP256R1())
        credential = os.urandom(48)
        self.credentials[credential] = (rp_id, secret)
        public = ES256.from_cryptography_key(secret.public_key())
        made = AttestedCredentialData.create(Aaguid.NONE, credential, public)
        return {1: "none", 2: bytes(self.data(rp_id, made)), 3: {}}

    def sign(self, arguments):
        rp_id, options = arguments[1], arguments.get(5, {})
        for known in arguments.get(3, []):
            if self.credentials.get(known["id"], ("",))[0] == rp_id:
                break
        else:
            raise CtapError(CtapError.ERR.NO_CREDENTIALS)
        secret = self.credentials[known["id"]][1]
        data = bytes(self.data(rp_id, touched=options.get("up", True)))
        signature = secret.sign(data + arguments[2], ec.ECDSA(hashes.SHA256()))
        return {1: {"type": "public-key", "id": known["id"]}, 2: data, 3: signature}

    def data(self, rp_id, made=None, touched=True):
        flags = AuthenticatorData.FLAG(0)
        if touched:
            self.counter += 1
            flags |= AuthenticatorData.FLAG.UP
        if made:
            flags |= AuthenticatorData.FLAG.AT
        digest = hashes.Hash(hashes.SHA256())
        digest.update(rp_id.encode())
        return AuthenticatorData.create(digest.finalize(), flags, self.counter, made or b"")


def client(key, origin=URL):
    """The library's client on a page of this origin."""
    return Fido2Client(key, DefaultClientDataCollector(origin))


def new_person(name):
    """A browser in which a new user is signed in."""
    api(
        "POST",
        "/users",
        username=name,
        name=name,
        email=f"{name}@example.com",
        password=PASSWORD,
        skip_confirmation=True,
    )
    person, page = sign_in(name)
    assert STEP not in page.url
    return person


def sign_in(name):
    """The page after the password."""
    person = Person()
    page = person.open_bare(f"{URL}/users/sign_in")
    return person, person.press(page, "Sign in", login=name, password=PASSWORD)


class Person(Person):
    def open_bare(self, address):
        return self.follow(self.session.get(address, allow_redirects=False))

    def options(self, page, button, **typed):
        """What the page's script asks for before it asks the key."""
        form = next(form for form in Forms(page.text).found if button in form["buttons"])
        address = urllib.parse.urljoin(page.url, form["action"]) + "/options"
        reply = self.session.post(address, data=form["fields"] | typed)
        assert reply.ok, (reply.status_code, reply.text)
        return reply.json()

    def add(self, key, name):
        """Adds a key as the page's script does."""
        page = self.open_bare(KEYS)
        told = self.options(page, "Add a key", current_password=PASSWORD)
        options = PublicKeyCredentialCreationOptions.from_dict(told)
        answer = client(key).make_credential(options)
        return self.press(page, "Add a key", name=name, answer=json.dumps(dict(answer)))

    def answer(self, page, key):
        """Answers the question after the password as the page's script does."""
        told = self.options(page, "Use your security key")
        options = PublicKeyCredentialRequestOptions.from_dict(told)
        answer = client(key).get_assertion(options).get_response(0)
        return self.press(page, "Use your security key", answer=json.dumps(dict(answer)))


def is_in(person):
    return person.session.get(f"{URL}/api/v4/user").status_code == 200


def test_a_key_is_added_and_signs_in():
    key = SoftKey()
    person = new_person("fiona")
    codes = person.add(key, "USB")
    assert codes.text.count("<li><code>") == 10, codes.text
    assert "USB" in person.open_bare(KEYS).text

    for _ in range(2):
        person, page = sign_in("fiona")
        assert page.url.endswith(STEP) and not is_in(person)
        person.answer(page, key)
        assert is_in(person)


def test_a_second_key_is_added_and_either_signs_in():
    first, second = SoftKey(), SoftKey()
    person = new_person("frieda")
    person.add(first, "first")
    person.add(second, "second")
    for key in (first, second):
        person, page = sign_in("frieda")
        person.answer(page, key)
        assert is_in(person)


def test_a_key_that_is_there_declines_to_be_added_again():
    key = SoftKey()
    person = new_person("fabia")
    person.add(key, "once")
    try:
        person.add(key, "twice")
    except ClientError as error:
        assert error.code == ClientError.ERR.DEVICE_INELIGIBLE, error
    else:
        raise AssertionError("it was asked for a second credential")


def test_a_key_of_somebody_else_is_not_asked():
    person = new_person("felix")
    person.add(SoftKey(), "own")
    person, page = sign_in("felix")
    try:
        person.answer(page, SoftKey())
    except ClientError as error:
        assert error.code == ClientError.ERR.DEVICE_INELIGIBLE, error
    else:
        raise AssertionError("it answered")
    assert not is_in(person)


def test_another_site_gets_no_answer():
    person = new_person("flora")
    page = person.open_bare(KEYS)
    told = person.options(page, "Add a key", current_password=PASSWORD)
    options = PublicKeyCredentialCreationOptions.from_dict(told)
    try:
        client(SoftKey(), "https://evil.example").make_credential(options)
    except ClientError as error:
        assert error.code == ClientError.ERR.BAD_REQUEST, error
    else:
        raise AssertionError("the client let another site ask")


if __name__ == "__main__":
    oauth_user.run(dict(globals()))
