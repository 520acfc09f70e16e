"""python-gitlab's GraphQL classes, unmodified, ask who they are."""

import asyncio
import os

import gitlab
from gql.transport.exceptions import TransportQueryError

import stories
from stories import URL

TOKEN = os.environ["TENON_TOKEN"]
QUERY = "query { currentUser { username active } }"
ROOT = {"currentUser": {"username": "root", "active": True}}


def test_the_user_of_a_token_is_known():
    with gitlab.GraphQL(URL, token=TOKEN) as client:
        assert client.execute(QUERY) == ROOT


def test_the_user_of_a_token_is_known_without_waiting():
    async def ask():
        async with gitlab.AsyncGraphQL(URL, token=TOKEN) as client:
            answers = await asyncio.gather(*(client.execute(QUERY) for _ in range(5)))
            assert answers == [ROOT] * 5

    asyncio.run(ask())


def test_a_stranger_is_nobody():
    with gitlab.GraphQL(URL) as client:
        assert client.execute(QUERY) == {"currentUser": None}


def test_a_bad_token_is_refused():
    with gitlab.GraphQL(URL, token="wrong") as client:
        refused(lambda: client.execute(QUERY))


def test_a_bad_token_is_refused_without_waiting():
    async def ask():
        async with gitlab.AsyncGraphQL(URL, token="wrong") as client:
            await client.execute(QUERY)

    refused(lambda: asyncio.run(ask()))


def test_local_validation_uses_the_schema_of_the_server():
    with gitlab.GraphQL(URL, token=TOKEN, fetch_schema_from_transport=True) as client:
        assert client.execute(QUERY) == ROOT


def test_a_client_that_asks_too_often_waits_and_asks_again():
    throttle(enabled=True, requests=3, period=2)
    try:
        with gitlab.GraphQL(URL, token=TOKEN) as client:
            assert [client.execute(QUERY) for _ in range(5)] == [ROOT] * 5
    finally:
        throttle(enabled=False, requests=7200, period=3600)


def throttle(enabled, requests, period):
    name = "throttle_authenticated_api"
    asked = {"enabled": enabled, "requests_per_period": requests, "period_in_seconds": period}
    settings = {f"{name}_{key}": value for key, value in asked.items()}
    client = gitlab.Gitlab(URL, private_token=TOKEN)
    client.http_put("/application/settings", post_data=settings)


def refused(call):
    """The answer is 401 with an `errors` body: gql, below this client, makes an error of
    the query of such a body, whatever the status, before the client sees the 401."""
    try:
        call()
    except TransportQueryError as error:
        assert error.errors == [{"message": "Invalid token"}], error.errors
        return
    raise AssertionError("a bad token is let in")


stories.run(globals())
