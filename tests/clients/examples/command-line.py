"""A command-line program that acts for a user of tenon: Python and Authlib."""

import http.server
import os
import webbrowser

from authlib.common.security import generate_token
from authlib.integrations.requests_client import OAuth2Session

TENON_URL, CLIENT_ID = os.environ["TENON_URL"], os.environ["CLIENT_ID"]


class Listener(http.server.BaseHTTPRequestHandler):
    """Takes the one request with which the browser comes back."""

    def do_GET(self):
        self.server.back = self.path
        self.send_response(200)
        self.end_headers()
        self.wfile.write(b"You are signed in and may close this page.")

    def log_message(self, *_):
        pass


with http.server.HTTPServer(("127.0.0.1", 0), Listener) as listener:
    # Any port will do: the registered address is http://127.0.0.1/
    here = f"http://127.0.0.1:{listener.server_port}"
    session = OAuth2Session(
        CLIENT_ID,
        scope="read_user",
        redirect_uri=f"{here}/",
        code_challenge_method="S256",
        token_endpoint_auth_method="none",
    )
    verifier = generate_token(48)
    address, state = session.create_authorization_url(
        f"{TENON_URL}/oauth/authorize", code_verifier=verifier
    )
    print("Sign in at", address, flush=True)
    webbrowser.open(address)
    listener.handle_request()

session.fetch_token(
    f"{TENON_URL}/oauth/token",
    authorization_response=here + listener.back,
    state=state,
    code_verifier=verifier,
)
print("Signed in as", session.get(f"{TENON_URL}/api/v4/user").json()["username"])
