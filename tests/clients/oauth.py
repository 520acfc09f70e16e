"""Authlib and requests-oauthlib, unmodified, against the provider."""

import os
import time

import requests
from authlib.common.security import generate_token
from authlib.integrations.requests_client import OAuth2Session as Authlib
from authlib.integrations.base_client.errors import OAuthError
from joserfc import jwt
from joserfc.jwk import KeySet
from oauthlib.oauth2 import (
    BackendApplicationClient,
    DeviceClient,
    LegacyApplicationClient,
    OAuth2Error,
)
from requests_oauthlib import OAuth2Session as Oauthlib

from oauth_user import URL, Person, register, run

# The libraries insist on TLS, which a proxy adds in front of the server.
os.environ["OAUTHLIB_INSECURE_TRANSPORT"] = "1"

CALLBACK = "http://127.0.0.1:9/cb"
DEVICE = "urn:ietf:params:oauth:grant-type:device_code"
TOKEN = f"{URL}/oauth/token"
PERSON = Person()
PASSWORD = os.environ["TENON_ROOT_PASSWORD"]


def who_is(session):
    """The user that the API takes a session for."""
    reply = session.get(f"{URL}/api/v4/user")
    return reply.json().get("username") if reply.status_code == 200 else reply.status_code


def refused(error, call):
    """The call must be refused with this code."""
    try:
        call()
    except (OAuthError, OAuth2Error) as refusal:
        assert refusal.error == error, refusal
        return
    raise AssertionError(f"expected {error}")


def begin_device(client_id, scope, secret=None):
    """What a device shows, and how it asks."""
    form = {"client_id": client_id, "scope": scope}
    if secret:
        form["client_secret"] = secret
    reply = requests.post(f"{URL}/oauth/authorize_device", data=form)
    assert reply.status_code == 200, reply.text
    return reply.json()


def authlib_signs_in(method):
    client_id, secret = register(CALLBACK, "openid email read_user")
    known = requests.get(f"{URL}/.well-known/openid-configuration").json()
    session = Authlib(
        client_id,
        secret,
        scope="openid email read_user",
        redirect_uri=CALLBACK,
        code_challenge_method="S256",
        token_endpoint=known["token_endpoint"],
        token_endpoint_auth_method=method,
        revocation_endpoint_auth_method=method,
    )
    verifier, nonce = generate_token(48), generate_token(20)
    address, state = session.create_authorization_url(
        known["authorization_endpoint"], code_verifier=verifier, nonce=nonce
    )
    back = PERSON.authorize(address)
    token = session.fetch_token(authorization_response=back, state=state, code_verifier=verifier)
    assert who_is(session) == "root"

    keys = KeySet.import_key_set(requests.get(known["jwks_uri"]).json())
    claims = jwt.decode(token["id_token"], keys, algorithms=["RS256"]).claims
    assert (claims["iss"], claims["aud"], claims["nonce"]) == (URL, client_id, nonce)
    userinfo = session.get(known["userinfo_endpoint"]).json()
    assert (userinfo["sub"], userinfo["email_verified"]) == (claims["sub"], True)

    old = dict(token)
    session.refresh_token()
    assert session.token["access_token"] != old["access_token"]
    assert who_is(session) == "root"
    introspected = session.introspect_token(
        known["introspection_endpoint"], token=session.token["access_token"]
    ).json()
    assert introspected["active"] and introspected["client_id"] == client_id
    session.revoke_token(known["revocation_endpoint"], token=session.token["access_token"])
    assert who_is(session) == 401
    refused("invalid_grant", session.refresh_token)


def test_authlib_signs_in_by_basic():
    authlib_signs_in("client_secret_basic")


def test_authlib_signs_in_by_form():
    authlib_signs_in("client_secret_post")


def test_authlib_is_a_public_client():
    client_id, _ = register(CALLBACK, "read_user", confidential=False)
    session = Authlib(
        client_id,
        scope="read_user",
        redirect_uri=CALLBACK,
        code_challenge_method="S256",
        token_endpoint_auth_method="none",
        token_endpoint=TOKEN,
    )
    verifier = generate_token(48)
    address, state = session.create_authorization_url(
        f"{URL}/oauth/authorize", code_verifier=verifier
    )
    session.fetch_token(
        authorization_response=PERSON.authorize(address), state=state, code_verifier=verifier
    )
    assert who_is(session) == "root"
    session.refresh_token()
    assert who_is(session) == "root"

    address, _ = session.create_authorization_url(
        f"{URL}/oauth/authorize", code_verifier=verifier
    )
    assert "error=access_denied" in PERSON.authorize(address, "Cancel")


def test_authlib_takes_a_password_with_and_without_basic():
    client_id, secret = register(CALLBACK, "read_user")
    session = Authlib(client_id, secret, scope="read_user")
    session.fetch_token(TOKEN, username="root", password=PASSWORD)
    assert (who_is(session), session.token["scope"]) == ("root", "read_user")
    session.refresh_token(TOKEN)
    assert who_is(session) == "root"
    refused(
        "invalid_grant", lambda: session.fetch_token(TOKEN, username="root", password="wrong one")
    )

    alone = Authlib(None, token_endpoint_auth_method="none")
    reply = requests.post(
        TOKEN, data={"grant_type": "password", "username": "root", "password": PASSWORD}
    )
    alone.token = reply.json()
    assert (who_is(alone), alone.token["scope"]) == ("root", "api")


def test_authlib_connects_a_device():
    client_id, _ = register(CALLBACK, "read_user", confidential=False)
    session = Authlib(client_id, token_endpoint_auth_method="none")
    begun = begin_device(client_id, "read_user")
    poll = lambda: session.fetch_token(TOKEN, grant_type=DEVICE, device_code=begun["device_code"])
    refused("authorization_pending", poll)
    PERSON.connect_device(begun["verification_uri"], begun["user_code"])
    while not session.token:
        try:
            poll()
        except OAuthError as waiting:
            assert waiting.error == "slow_down", waiting
            time.sleep(begun["interval"])
    assert who_is(session) == "root"
    refused("invalid_grant", poll)


def oauthlib_signs_in(pkce):
    client_id, secret = register(CALLBACK, "read_user openid")
    session = Oauthlib(
        client_id, scope=["openid", "read_user"], redirect_uri=CALLBACK, pkce=pkce
    )
    address, _ = session.authorization_url(f"{URL}/oauth/authorize")
    back = PERSON.authorize(address)
    token = session.fetch_token(TOKEN, authorization_response=back, client_secret=secret)
    assert who_is(session) == "root"
    later = session.refresh_token(TOKEN, client_id=client_id, client_secret=secret)
    assert later["access_token"] != token["access_token"]
    assert who_is(session) == "root"
    replay = lambda: session.fetch_token(
        TOKEN, authorization_response=back, client_secret=secret
    )
    refused("invalid_grant", replay)


def test_requests_oauthlib_signs_in():
    oauthlib_signs_in(None)


def test_requests_oauthlib_signs_in_with_pkce():
    oauthlib_signs_in("S256")


def test_requests_oauthlib_takes_a_password_with_and_without_basic():
    client_id, secret = register(CALLBACK, "read_user")
    session = Oauthlib(client=LegacyApplicationClient(client_id, scope="read_user"))
    basic = requests.auth.HTTPBasicAuth(client_id, secret)
    session.fetch_token(TOKEN, username="root", password=PASSWORD, auth=basic)
    assert who_is(session) == "root"
    session.refresh_token(TOKEN, auth=basic)
    assert who_is(session) == "root"

    posted = Oauthlib(client=LegacyApplicationClient(client_id, scope="read_user"))
    posted.fetch_token(
        TOKEN, username="root", password=PASSWORD, client_secret=secret, include_client_id=True
    )
    assert who_is(posted) == "root"

    alone = Oauthlib(client=LegacyApplicationClient(None))
    alone.fetch_token(TOKEN, username="root", password=PASSWORD, include_client_id=False)
    assert who_is(alone) == "root"
    refused(
        "invalid_client",
        lambda: alone.fetch_token(
            TOKEN, username="root", password=PASSWORD, auth=(client_id, "wrong")
        ),
    )


def test_requests_oauthlib_connects_a_device():
    client_id, secret = register(CALLBACK, "read_user")
    begun = begin_device(client_id, "read_user", secret)
    PERSON.connect_device(begun["verification_uri_complete"], begun["user_code"])
    session = Oauthlib(client=DeviceClient(client_id))
    session.fetch_token(
        TOKEN, device_code=begun["device_code"], client_secret=secret, include_client_id=True
    )
    assert who_is(session) == "root"

    begun = begin_device(client_id, "read_user", secret)
    PERSON.connect_device(begun["verification_uri"], begun["user_code"], "Deny")
    other = Oauthlib(client=DeviceClient(client_id))
    refused(
        "access_denied",
        lambda: other.fetch_token(
            TOKEN, device_code=begun["device_code"], client_secret=secret, include_client_id=True
        ),
    )


def test_nobody_gets_a_token_without_a_user():
    client_id, secret = register(CALLBACK, "read_user")
    session = Oauthlib(client=BackendApplicationClient(client_id))
    refused(
        "unsupported_grant_type", lambda: session.fetch_token(TOKEN, client_secret=secret)
    )


run(globals())
