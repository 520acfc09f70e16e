// A web app that signs its users in with tenon: Node and openid-client.
import { randomUUID } from 'node:crypto';
import http from 'node:http';
import * as client from 'openid-client';

const { TENON_URL, CLIENT_ID, CLIENT_SECRET, APP_URL } = process.env;
const callback = `${APP_URL}/callback`;
const sessions = new Map();

// Endpoints and keys come from the server; plain HTTP is for trying out.
const execute = TENON_URL.startsWith('http:') ? [client.allowInsecureRequests] : [];
const tenon = await client.discovery(
  new URL(TENON_URL), CLIENT_ID, CLIENT_SECRET, undefined, { execute },
);

// Remembers what the answer must fit, and sends the user to tenon.
async function signIn(response) {
  const checks = {
    pkceCodeVerifier: client.randomPKCECodeVerifier(),
    expectedState: client.randomState(),
    expectedNonce: client.randomNonce(),
  };
  const address = client.buildAuthorizationUrl(tenon, {
    redirect_uri: callback,
    scope: 'openid profile email',
    state: checks.expectedState,
    nonce: checks.expectedNonce,
    code_challenge: await client.calculatePKCECodeChallenge(checks.pkceCodeVerifier),
    code_challenge_method: 'S256',
  });
  begin(response, { checks }, address.href);
}

// The user is back: exchanges the code, and asks who it is.
async function comeBack(request, response, session) {
  const back = new URL(request.url, APP_URL);
  const tokens = await client.authorizationCodeGrant(tenon, back, session.checks);
  const { sub } = tokens.claims();
  const user = await client.fetchUserInfo(tenon, tokens.access_token, sub);
  begin(response, { user, tokens }, '/');
}

function begin(response, session, address) {
  const id = randomUUID();
  sessions.set(id, session);
  const cookie = `web_app=${id}; HttpOnly; SameSite=Lax; Path=/`;
  response.writeHead(302, { Location: address, 'Set-Cookie': cookie }).end();
}

const server = http.createServer(async (request, response) => {
  const id = request.headers.cookie?.match(/web_app=([\w-]+)/)?.[1];
  const session = sessions.get(id) ?? {};
  try {
    if (request.url.startsWith('/callback')) await comeBack(request, response, session);
    else if (session.user) response.end(`Signed in as ${session.user.preferred_username}`);
    else await signIn(response);
  } catch (error) {
    response.writeHead(400).end(`Not signed in: ${error.message}`);
  }
});
server.listen(new URL(APP_URL).port, () => console.log('listening'));
