//! The crate `openidconnect`: everything from discovery.

use super::*;
use openidconnect::core::{
    CoreAuthenticationFlow, CoreClient, CoreProviderMetadata, CoreUserInfoClaims,
};
use openidconnect::{
    AccessTokenHash, AuthorizationCode, ClientId, ClientSecret, CsrfToken, IssuerUrl, Nonce,
    OAuth2TokenResponse, PkceCodeChallenge, RedirectUrl, Scope, TokenResponse,
};

#[testkit::story]
async fn a_user_signs_in_from_discovery_alone(t: TestServer) {
    let jane = t.user("jane").await;
    let browser = t.browser("jane").await;
    let (id, secret) = register(&t, "openid profile email", true).await;
    let http = proxy(&t);
    let issuer = IssuerUrl::new(t.url()).unwrap();
    let server = CoreProviderMetadata::discover_async(issuer, &http)
        .await
        .expect("the documents");
    let client = CoreClient::from_provider_metadata(
        server,
        ClientId::new(id),
        secret.map(ClientSecret::new),
    )
    .set_redirect_uri(RedirectUrl::new(CALLBACK.to_owned()).unwrap());
    let (challenge, verifier) = PkceCodeChallenge::new_random_sha256();
    let (address, state, nonce) = client
        .authorize_url(
            CoreAuthenticationFlow::AuthorizationCode,
            CsrfToken::new_random,
            Nonce::new_random,
        )
        .add_scope(Scope::new("email".to_owned()))
        .set_pkce_challenge(challenge)
        .url();

    let back = agree(&browser, &address).await;
    assert_eq!(&answered(&back, "state"), state.secret());
    let code = AuthorizationCode::new(answered(&back, "code"));
    let tokens = client
        .exchange_code(code)
        .expect("an endpoint")
        .set_pkce_verifier(verifier)
        .request_async(&http)
        .await
        .expect("tokens");

    let id_token = tokens.id_token().expect("an ID token");
    let verifier = client.id_token_verifier();
    let claims = id_token.claims(&verifier, &nonce).expect("a valid ID token");
    assert_eq!(claims.subject().as_str(), jane.id.to_string());
    assert_eq!(claims.email().map(|email| email.as_str()), Some("jane@example.com"));
    if let Some(hash) = claims.access_token_hash() {
        let algorithm = id_token.signing_alg().expect("an algorithm");
        let key = id_token.signing_key(&verifier).expect("a key");
        let own = AccessTokenHash::from_token(tokens.access_token(), algorithm, key);
        assert_eq!(&own.expect("a hash"), hash);
    }
    assert!(id_token.claims(&client.id_token_verifier(), &Nonce::new_random()).is_err());

    let subject = Some(claims.subject().clone());
    let user: CoreUserInfoClaims = client
        .user_info(tokens.access_token().clone(), subject)
        .expect("an endpoint")
        .request_async(&http)
        .await
        .expect("claims");
    assert_eq!(user.preferred_username().map(|name| name.as_str()), Some("jane"));

    let refresh = tokens.refresh_token().expect("a refresh token");
    let later = client
        .exchange_refresh_token(refresh)
        .expect("an endpoint")
        .request_async(&http)
        .await
        .expect("tokens");
    let again = later.id_token().expect("an ID token");
    let verifier = client.id_token_verifier();
    let claims = again.claims(&verifier, |_: Option<&Nonce>| Ok(())).expect("a valid ID token");
    assert_eq!(claims.subject().as_str(), jane.id.to_string());
}
