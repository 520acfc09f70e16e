"""A device without a browser that acts for a user of tenon: Python and requests."""

import os
import time

import requests

TENON_URL, CLIENT_ID = os.environ["TENON_URL"], os.environ["CLIENT_ID"]

begun = requests.post(
    f"{TENON_URL}/oauth/authorize_device",
    data={"client_id": CLIENT_ID, "scope": "read_user"},
).json()
print("Open", begun["verification_uri"], "and type", begun["user_code"], flush=True)

interval = begun["interval"]
while True:
    time.sleep(interval)
    answer = requests.post(
        f"{TENON_URL}/oauth/token",
        data={
            "grant_type": "urn:ietf:params:oauth:grant-type:device_code",
            "client_id": CLIENT_ID,
            "device_code": begun["device_code"],
        },
    ).json()
    if "access_token" in answer:
        break
    if answer["error"] == "slow_down":
        interval += 5
    elif answer["error"] != "authorization_pending":
        raise SystemExit(f"Not connected: {answer['error']}")

user = requests.get(
    f"{TENON_URL}/api/v4/user",
    headers={"Authorization": f"Bearer {answer['access_token']}"},
).json()
print("Connected as", user["username"])
