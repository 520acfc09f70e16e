//! OpenID Connect: documents, ID tokens and userinfo.

use super::*;
use ring::signature::{RSA_PKCS1_2048_8192_SHA256, RsaPublicKeyComponents};

/// The claims of an ID token whose signature fits a published key.
async fn verified(t: &TestServer, id_token: &str) -> Value {
    let parts: Vec<&str> = id_token.split('.').collect();
    let decode = |text: &str| URL_SAFE_NO_PAD.decode(text).expect("base64url");
    let header: Value = serde_json::from_slice(&decode(parts[0])).expect("a header");
    assert_eq!(header["alg"], "RS256");
    let keys = t.anonymous().at("/oauth/discovery/keys").await.is(200);
    assert!(keys.header("cache-control").contains("max-age=86400"));
    let keys = keys.json();
    let mut all = keys["keys"].as_array().expect("keys").iter();
    let key = all.find(|key| key["kid"] == header["kid"]).expect("the key is published");
    assert_eq!(
        (&key["kty"], &key["use"], &key["alg"]),
        (&json!("RSA"), &json!("sig"), &json!("RS256"))
    );
    let public = RsaPublicKeyComponents { n: decode(text(key, "n")), e: decode(text(key, "e")) };
    let signed = format!("{}.{}", parts[0], parts[1]);
    let signature = decode(parts[2]);
    public
        .verify(&RSA_PKCS1_2048_8192_SHA256, signed.as_bytes(), &signature)
        .expect("the signature fits");
    serde_json::from_slice(&decode(parts[1])).expect("claims")
}

#[testkit::story]
async fn an_id_token_says_who_signed_in(t: TestServer) {
    let jane = t.user("jane").await;
    let acme = t.group("acme").await;
    t.group("acme/tools").await;
    t.admin()
        .post(format!("/groups/{}/members", acme.id))
        .json(&json!({"user_id": jane.id, "access_level": 40}))
        .await
        .is(201);
    let shop = application(&t, "openid profile email", true).await;
    let browser = t.browser("jane").await;
    let path = authorize_path(&shop, "openid email", &[("nonce", "a nonce")]);
    let code = code(&browser, &path).await;
    let token = exchange(&t, &shop, &code, &[]).await.is(200).json();
    let claims = verified(&t, text(&token, "id_token")).await;
    assert_eq!(claims["iss"], t.url());
    assert_eq!(claims["aud"], shop.uid);
    assert_eq!(claims["sub"], jane.id.to_string());
    assert_eq!(claims["nonce"], "a nonce");
    assert_eq!(
        (&claims["email"], &claims["email_verified"]),
        (&json!("jane@example.com"), &json!(true))
    );
    assert_eq!(claims["groups_direct"], json!(["acme"]));
    let (iat, exp) = (claims["iat"].as_i64().unwrap(), claims["exp"].as_i64().unwrap());
    assert_eq!(exp - iat, 120);
    assert!(claims["auth_time"].as_i64().unwrap() <= iat);

    let later = refresh(&t, &shop, text(&token, "refresh_token"), &[]).await.is(200).json();
    let claims = verified(&t, text(&later, "id_token")).await;
    assert_eq!((claims.get("nonce"), &claims["sub"]), (None, &json!(jane.id.to_string())));

    let access = format!("Bearer {}", text(&later, "access_token"));
    for method in [Method::GET, Method::POST] {
        let request = t.anonymous().request(method, "/oauth/userinfo");
        let info = request.header("authorization", &access).await.is(200).json();
        assert_eq!(
            (&info["sub"], &info["nickname"], &info["preferred_username"], &info["email"]),
            (
                &json!(jane.id.to_string()),
                &json!("jane"),
                &json!("jane"),
                &json!("jane@example.com")
            )
        );
        assert_eq!(info["groups"], json!(["acme", "acme/tools"]));
        assert_eq!(
            info[format!("{}/claims/groups/maintainer", t.url())],
            json!(["acme", "acme/tools"])
        );
        assert_eq!(
            info.get(format!("{}/claims/groups/owner", t.url())),
            None,
            "what is empty is left out"
        );
        assert_eq!((info.get("website"), info.get("picture")), (None, None));
    }
    let id = jane.id;
    let painted = t.app().write(move |tx| {
        let user = identity::users::find(tx, id)?.expect("a user");
        let picture = identity::users::Avatar::new(b"GIF89a in bytes")?;
        identity::users::set_avatar(tx, &identity::users::Author::default(), &user, Some(&picture))
    });
    painted.await.unwrap();
    let request = t.anonymous().at("/oauth/userinfo");
    let info = request.header("authorization", &access).await.is(200).json();
    let picture = text(&info, "picture");
    assert!(picture.starts_with(&format!("{}/uploads/", t.url())), "{picture}");
    assert_eq!(t.anonymous().at(picture).await.is(200).text(), "GIF89a in bytes");
}

#[testkit::story]
async fn userinfo_needs_openid(t: TestServer) {
    t.user("jane").await;
    let shop = application(&t, "api openid", true).await;
    let browser = t.browser("jane").await;
    let token = tokens(&t, &browser, &shop, "api").await;
    assert_eq!(token.get("id_token"), None);
    let ask = async |bearer: &str| {
        let request = t.anonymous().at("/oauth/userinfo");
        request.header("authorization", &format!("Bearer {bearer}")).await
    };
    assert_eq!(ask(text(&token, "access_token")).await.is(403).text(), "");
    refused(ask("unknown").await, 401, "invalid_token");
    let token = tokens(&t, &browser, &shop, "openid").await;
    let info = ask(text(&token, "access_token")).await.is(200).json();
    assert_eq!(
        info.get("email"),
        None,
        "without the scope email only the public address is told"
    );
}

#[testkit::story]
async fn clients_find_everything_from_the_address(t: TestServer) {
    let found = t.anonymous().at("/.well-known/openid-configuration").await.is(200);
    assert_eq!(found.header("access-control-allow-origin"), "*");
    let known = found.json();
    assert_eq!(
        known,
        t.anonymous().at("/.well-known/oauth-authorization-server").await.is(200).json()
    );
    assert_eq!(known["issuer"], t.url());
    for (key, path) in [
        ("authorization_endpoint", "/oauth/authorize"),
        ("token_endpoint", "/oauth/token"),
        ("revocation_endpoint", "/oauth/revoke"),
        ("introspection_endpoint", "/oauth/introspect"),
        ("userinfo_endpoint", "/oauth/userinfo"),
        ("jwks_uri", "/oauth/discovery/keys"),
        ("device_authorization_endpoint", "/oauth/authorize_device"),
    ] {
        assert_eq!(known[key], format!("{}{path}", t.url()));
    }
    assert_eq!(known["code_challenge_methods_supported"], json!(["S256"]));
    assert_eq!(known["response_types_supported"], json!(["code"]));
    assert_eq!(known["authorization_response_iss_parameter_supported"], true);
    assert_eq!(known.get("registration_endpoint"), None);
    let keys = t.anonymous().at("/-/jwks").await.is(200).json();
    assert_eq!(keys["keys"].as_array().map(Vec::len), Some(1), "one key however many ask");

    let finger = t
        .anonymous()
        .at("/.well-known/webfinger?resource=acct%3Ajane%40example.com")
        .await
        .is(200)
        .json();
    assert_eq!(finger["subject"], "acct:jane@example.com");
    assert_eq!(
        finger["links"][0],
        json!({"rel": "http://openid.net/specs/connect/1.0/issuer", "href": t.url()})
    );
    t.anonymous().at("/.well-known/webfinger").await.is(400);
    let resource = t.anonymous().at("/.well-known/oauth-protected-resource").await.is(200).json();
    assert_eq!(resource["authorization_servers"], json!([t.url()]));
}

#[testkit::story]
async fn keys_are_made_once_by_many_who_ask_at_once(t: TestServer) {
    let asks =
        (0..8).map(|_| async { t.anonymous().at("/oauth/discovery/keys").await.is(200).json() });
    let found = futures_util::future::join_all(asks).await;
    assert!(found.iter().all(|keys| keys == &found[0]));
    assert_eq!(found[0]["keys"].as_array().map(Vec::len), Some(1));
}
