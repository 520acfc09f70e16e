// openid-client and oauth4webapi, unmodified, against the provider.

const assert = require('node:assert/strict');
const { after, before, test } = require('node:test');
const { Person, listen, register, url } = require('./oauth_user.cjs');

const SCOPES = 'openid profile email read_user';
let openid;
let webapi;
let person;
let callback;
let shop;
let cli;

before(async () => {
  openid = await import(require.resolve('openid-client'));
  webapi = await import(require.resolve('oauth4webapi'));
  person = await Person.start();
  callback = await listen();
  shop = await register(`${callback.origin}/cb`, SCOPES, true);
  cli = await register('http://127.0.0.1/', SCOPES, false);
});

after(() => {
  callback.close();
  return person.stop();
});

// The server as openid-client found it; plain HTTP is for tests only.
async function discover(application, authentication) {
  const config = await openid.discovery(
    new URL(url),
    application.application_id,
    application.secret ?? undefined,
    authentication,
    { execute: [openid.allowInsecureRequests] },
  );
  openid.enableNonRepudiationChecks(config);
  return config;
}

async function authorizationRequest(config, redirect_uri, more = {}) {
  const checks = {
    pkceCodeVerifier: openid.randomPKCECodeVerifier(),
    expectedState: openid.randomState(),
    expectedNonce: openid.randomNonce(),
    idTokenExpected: true,
  };
  const address = openid.buildAuthorizationUrl(config, {
    redirect_uri,
    scope: SCOPES,
    state: checks.expectedState,
    nonce: checks.expectedNonce,
    code_challenge: await openid.calculatePKCECodeChallenge(checks.pkceCodeVerifier),
    code_challenge_method: 'S256',
    ...more,
  });
  return { address, checks };
}

async function whoIs(accessToken) {
  const answer = await fetch(`${url}/api/v4/user`, {
    headers: { Authorization: `Bearer ${accessToken}` },
  });
  return answer.status === 200 ? (await answer.json()).username : answer.status;
}

// The code of a refusal; the library reads it from `WWW-Authenticate` if that
// is sent, and from the body if not.
async function refused(call, code) {
  await assert.rejects(call, (error) => {
    assert.equal(error.error ?? error.cause?.[0]?.parameters?.error, code, String(error));
    return true;
  });
}

for (const method of ['ClientSecretBasic', 'ClientSecretPost']) {
  test(`openid-client signs a user in and goes on, by ${method}`, async () => {
    const config = await discover(shop, openid[method](shop.secret));
    assert.ok(config.serverMetadata().supportsPKCE());
    const { address, checks } = await authorizationRequest(config, `${callback.origin}/cb`);

    const back = await person.sentBack(address);
    assert.equal(back.searchParams.get('iss'), url);
    const tokens = await openid.authorizationCodeGrant(config, back, checks);

    assert.equal(tokens.token_type, 'bearer');
    assert.equal(tokens.scope, SCOPES);
    const { sub } = tokens.claims();
    const claims = await openid.fetchUserInfo(config, tokens.access_token, sub);
    assert.equal(claims.preferred_username, 'root');
    assert.equal(claims.email_verified, true);
    assert.equal(await whoIs(tokens.access_token), 'root');

    const known = await openid.tokenIntrospection(config, tokens.access_token);
    assert.equal(known.active, true);
    assert.equal(known.client_id, shop.application_id);
    const later = await openid.refreshTokenGrant(config, tokens.refresh_token);
    assert.equal(later.claims().sub, sub);
    assert.equal(await whoIs(tokens.access_token), 401);
    assert.equal(await whoIs(later.access_token), 'root');

    await openid.tokenRevocation(config, later.refresh_token);
    assert.equal(await whoIs(later.access_token), 401);
    const gone = await openid.tokenIntrospection(config, later.access_token);
    assert.deepEqual(gone, { active: false });
    await refused(openid.refreshTokenGrant(config, later.refresh_token), 'invalid_grant');
  });
}

test('openid-client connects a device', async () => {
  const config = await discover(cli, openid.None());
  const begun = await openid.initiateDeviceAuthorization(config, { scope: SCOPES });
  const asked = new Promise((first) => {
    config[openid.customFetch] = async (...request) => {
      const answer = await fetch(...request);
      first(answer.status);
      return answer;
    };
  });
  const polling = openid.pollDeviceAuthorizationGrant(config, begun);
  assert.equal(await asked, 400, 'the user has not decided yet');
  await person.connectDevice(begun.verification_uri, begun.user_code);
  const tokens = await polling;
  assert.equal(await whoIs(tokens.access_token), 'root');

  const other = await openid.initiateDeviceAuthorization(config, { scope: SCOPES });
  await person.connectDevice(other.verification_uri_complete, other.user_code, 'Deny');
  await refused(openid.pollDeviceAuthorizationGrant(config, other), 'access_denied');
});

test('openid-client is told that the user refused, and of a form it reads the answer', async () => {
  const config = await discover(cli, openid.None());
  const { address, checks } = await authorizationRequest(config, `${callback.origin}/`);
  const back = await person.sentBack(address, 'Cancel');
  await assert.rejects(openid.authorizationCodeGrant(config, back, checks), {
    error: 'access_denied',
  });

  let posted;
  const forms = await listen((request, response) => {
    let body = '';
    request.on('data', (more) => (body += more));
    request.on('end', () => {
      if (request.method === 'POST') posted = body;
      response.end('back');
    });
  });
  const asked = await authorizationRequest(config, `${forms.origin}/`, {
    response_mode: 'form_post',
  });
  await person.sentBack(asked.address);
  const request = new Request(`${forms.origin}/`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/x-www-form-urlencoded' },
    body: posted,
  });
  const tokens = await openid.authorizationCodeGrant(config, request, asked.checks);
  assert.ok(tokens.claims().sub);
  forms.close();
});

test('oauth4webapi walks a public client through every endpoint', async () => {
  const plain = { [webapi.allowInsecureRequests]: true };
  const issuer = new URL(url);
  const found = await webapi.discoveryRequest(issuer, { algorithm: 'oauth2', ...plain });
  const server = await webapi.processDiscoveryResponse(issuer, found);
  const client = { client_id: cli.application_id };
  const nobody = webapi.None();
  const verifier = webapi.generateRandomCodeVerifier();
  const [state, nonce] = [webapi.generateRandomState(), webapi.generateRandomNonce()];
  const address = new URL(server.authorization_endpoint);
  address.search = new URLSearchParams({
    client_id: client.client_id,
    redirect_uri: `${callback.origin}/`,
    response_type: 'code',
    scope: SCOPES,
    state,
    nonce,
    code_challenge: await webapi.calculatePKCECodeChallenge(verifier),
    code_challenge_method: 'S256',
  });

  const back = await person.sentBack(address);
  const answer = webapi.validateAuthResponse(server, client, back, state);
  const exchanged = await webapi.authorizationCodeGrantRequest(
    server, client, nobody, answer, `${callback.origin}/`, verifier, plain,
  );
  const tokens = await webapi.processAuthorizationCodeResponse(server, client, exchanged, {
    expectedNonce: nonce,
    requireIdToken: true,
  });
  await webapi.validateApplicationLevelSignature(server, exchanged, plain);
  const { sub } = webapi.getValidatedIdTokenClaims(tokens);

  const asked = await webapi.userInfoRequest(server, client, tokens.access_token, plain);
  const claims = await webapi.processUserInfoResponse(server, client, sub, asked);
  assert.equal(claims.nickname, 'root');
  const again = await webapi.refreshTokenGrantRequest(
    server, client, nobody, tokens.refresh_token, plain,
  );
  const later = await webapi.processRefreshTokenResponse(server, client, again);
  assert.equal(await whoIs(later.access_token), 'root');
  const ended = await webapi.revocationRequest(server, client, nobody, later.access_token, plain);
  await webapi.processRevocationResponse(ended);
  assert.equal(await whoIs(later.access_token), 401);
});

test('oauth4webapi introspects with the secret of the application', async () => {
  const plain = { [webapi.allowInsecureRequests]: true };
  const issuer = new URL(url);
  const found = await webapi.discoveryRequest(issuer, { algorithm: 'oidc', ...plain });
  const server = await webapi.processDiscoveryResponse(issuer, found);
  const client = { client_id: shop.application_id };
  const secret = webapi.ClientSecretBasic(shop.secret);
  const made = await webapi.genericTokenEndpointRequest(
    server, client, secret, 'password',
    { username: 'root', password: process.env.TENON_ROOT_PASSWORD, scope: 'read_user' }, plain,
  );
  const tokens = await webapi.processGenericTokenEndpointResponse(server, client, made);
  const asked = await webapi.introspectionRequest(
    server, client, secret, tokens.access_token, plain,
  );
  const known = await webapi.processIntrospectionResponse(server, client, asked);
  assert.deepEqual([known.active, known.scope, known.username], [true, 'read_user', 'root']);
});
