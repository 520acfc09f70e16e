//! The crate `oauth2`.

use super::*;
use oauth2::basic::{BasicClient, BasicErrorResponseType};
use oauth2::{
    AccessToken, AuthUrl, AuthorizationCode, ClientId, ClientSecret, CsrfToken,
    DeviceAuthorizationUrl, EndpointNotSet, EndpointSet, IntrospectionUrl, PkceCodeChallenge,
    RedirectUrl, RequestTokenError, ResourceOwnerPassword, ResourceOwnerUsername, RevocationUrl,
    Scope, StandardDeviceAuthorizationResponse, StandardRevocableToken, TokenIntrospectionResponse,
    TokenResponse, TokenUrl,
};

/// A client that knows every endpoint.
type Client = BasicClient<EndpointSet, EndpointSet, EndpointSet, EndpointSet, EndpointSet>;

fn client(t: &TestServer, id: String, secret: Option<String>) -> Client {
    let at = |path: &str| format!("{}{path}", t.url());
    let client: BasicClient<
        EndpointNotSet,
        EndpointNotSet,
        EndpointNotSet,
        EndpointNotSet,
        EndpointNotSet,
    > = BasicClient::new(ClientId::new(id));
    let client = match secret {
        Some(secret) => client.set_client_secret(ClientSecret::new(secret)),
        None => client,
    };
    // Tokens are revoked through TLS only.
    let revoke = at("/oauth/revoke").replacen("http://", "https://", 1);
    client
        .set_auth_uri(AuthUrl::new(at("/oauth/authorize")).unwrap())
        .set_token_uri(TokenUrl::new(at("/oauth/token")).unwrap())
        .set_device_authorization_url(
            DeviceAuthorizationUrl::new(at("/oauth/authorize_device")).unwrap(),
        )
        .set_introspection_url(IntrospectionUrl::new(at("/oauth/introspect")).unwrap())
        .set_revocation_url(RevocationUrl::new(revoke).unwrap())
        .set_redirect_uri(RedirectUrl::new(CALLBACK.to_owned()).unwrap())
}

/// Asserts that a call was refused with this error.
#[track_caller]
fn refused<T: std::fmt::Debug, E: std::error::Error>(
    result: Result<T, RequestTokenError<E, oauth2::basic::BasicErrorResponse>>,
    error: &BasicErrorResponseType,
) {
    match result {
        Err(RequestTokenError::ServerResponse(refusal)) => assert_eq!(refusal.error(), error),
        other => panic!("{other:?}"),
    }
}

#[testkit::story]
async fn a_code_is_exchanged_refreshed_examined_and_revoked(t: TestServer) {
    t.user("jane").await;
    let browser = t.browser("jane").await;
    let http = proxy(&t);
    for confidential in [true, false] {
        let (id, secret) = register(&t, "read_user api", confidential).await;
        let client = client(&t, id, secret);
        let (challenge, verifier) = PkceCodeChallenge::new_random_sha256();
        let (address, state) = client
            .authorize_url(CsrfToken::new_random)
            .add_scope(Scope::new("read_user".to_owned()))
            .set_pkce_challenge(challenge)
            .url();
        let back = agree(&browser, &address).await;
        assert_eq!(&answered(&back, "state"), state.secret());

        let code = AuthorizationCode::new(answered(&back, "code"));
        let first = client
            .exchange_code(code)
            .set_pkce_verifier(verifier)
            .request_async(&http)
            .await
            .expect("tokens");
        assert_eq!(who_is(&t, first.access_token().secret()).await.as_deref(), Ok("jane"));
        assert_eq!(first.scopes().map(Vec::len), Some(1));
        let refresh = first.refresh_token().expect("a refresh token");
        let second = client
            .exchange_refresh_token(refresh)
            .request_async(&http)
            .await
            .expect("tokens");
        let access = second.access_token();
        assert_eq!(who_is(&t, first.access_token().secret()).await, Err(401));
        assert_eq!(who_is(&t, access.secret()).await.as_deref(), Ok("jane"));

        if confidential {
            let known = client.introspect(access).request_async(&http).await.expect("an answer");
            assert!(known.active());
            assert_eq!(known.username(), Some("jane"));
        }
        let last = second.refresh_token().expect("a refresh token").clone();
        let revoke = client.revoke_token(StandardRevocableToken::RefreshToken(last.clone()));
        revoke.expect("an endpoint").request_async(&http).await.expect("revoked");
        assert_eq!(who_is(&t, access.secret()).await, Err(401));
        if confidential {
            let known = client.introspect(access).request_async(&http).await.expect("an answer");
            assert!(!known.active());
        }
        refused(
            client.exchange_refresh_token(&last).request_async(&http).await,
            &BasicErrorResponseType::InvalidGrant,
        );
    }
}

#[testkit::story]
async fn a_password_is_exchanged(t: TestServer) {
    t.user("jane").await;
    let (id, secret) = register(&t, "read_user", true).await;
    let client = client(&t, id, secret);
    let http = proxy(&t);
    let name = ResourceOwnerUsername::new("jane".to_owned());
    let exchange = async |password: &str| {
        let password = ResourceOwnerPassword::new(password.to_owned());
        client
            .exchange_password(&name, &password)
            .add_scope(Scope::new("read_user".to_owned()))
            .request_async(&http)
            .await
    };
    let tokens = exchange(testkit::PASSWORD).await.expect("tokens");
    assert_eq!(who_is(&t, tokens.access_token().secret()).await.as_deref(), Ok("jane"));
    refused(exchange("not the password").await, &BasicErrorResponseType::InvalidGrant);
}

#[testkit::story]
async fn a_bearer_of_the_application_examines_tokens(t: TestServer) {
    t.user("jane").await;
    let (id, secret) = register(&t, "read_user", true).await;
    let http = proxy(&t);
    let known = client(&t, id.clone(), secret);
    let unknown = client(&t, id, Some("wrong".to_owned()));
    let token = AccessToken::new("unknown".to_owned());
    let answer = known.introspect(&token).request_async(&http).await.expect("an answer");
    assert!(!answer.active());
    refused(
        unknown.introspect(&token).request_async(&http).await,
        &BasicErrorResponseType::InvalidClient,
    );
}

/// Lets a device poll on a clock moved by hand; the user decides after its
/// first try.
async fn a_device_is(t: TestServer, decision: &'static str) {
    t.user("jane").await;
    let browser = t.browser("jane").await;
    let (id, _) = register(&t, "read_user", false).await;
    let client = client(&t, id, None);
    let http = proxy(&t);
    let shown: StandardDeviceAuthorizationResponse = client
        .exchange_device_code()
        .add_scope(Scope::new("read_user".to_owned()))
        .request_async(&http)
        .await
        .expect("a code to show");
    assert_eq!(shown.interval().as_secs(), 5);
    assert_eq!(shown.expires_in().as_secs(), 300);

    let waits = std::sync::atomic::AtomicUsize::new(0);
    let wait = |time: std::time::Duration| {
        t.advance(time.as_secs().try_into().expect("seconds"));
        let first = waits.fetch_add(1, std::sync::atomic::Ordering::Relaxed) == 0;
        let (browser, code) = (&browser, shown.user_code().secret());
        async move {
            if first {
                decide(browser, code, decision).await;
            }
        }
    };
    let polled = client
        .exchange_device_access_token(&shown)
        .request_async(&http, wait, None)
        .await;

    assert!(waits.into_inner() > 0, "the device was told to wait");
    match (decision, polled) {
        ("authorize", Ok(tokens)) => {
            let user = who_is(&t, tokens.access_token().secret()).await;
            assert_eq!(user.as_deref(), Ok("jane"));
        }
        ("deny", Err(RequestTokenError::ServerResponse(refusal))) => {
            assert_eq!(refusal.error().to_string(), "access_denied");
        }
        (_, other) => panic!("{other:?}"),
    }
}

async fn decide(browser: &Browser, code: &str, decision: &str) {
    browser.get("/oauth/device").await.is(200);
    browser.post("/oauth/device", &[("user_code", code)]).await.is(200);
    let fields = [("user_code", code), ("decision", decision)];
    browser.post("/oauth/device/confirm", &fields).await.is(200);
}

#[testkit::story(noon)]
async fn a_device_waits_for_its_user(t: TestServer) {
    a_device_is(t, "authorize").await;
}

#[testkit::story(noon)]
async fn a_device_is_told_that_the_user_refused(t: TestServer) {
    a_device_is(t, "deny").await;
}
