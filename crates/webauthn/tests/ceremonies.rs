//! Every way an answer can be wrong is refused for what it is.
#![allow(clippy::unwrap_used, reason = "tests fail by panicking")]

use serde_json::{Value, json};
use testkit::SoftKey;
use webauthn::{Assertion, Holder, Key, Refusal, RelyingParty, Unusable};

const ORIGIN: &str = "https://forge.example:8443";
const HANDLE: [u8; 16] = [7; 16];

fn party() -> RelyingParty {
    RelyingParty::new(&format!("{ORIGIN}/"), "tenon").expect("a usable address")
}

fn holder() -> Holder<'static> {
    Holder { handle: HANDLE, name: "jane", display_name: "Jane" }
}

fn enrolled() -> (SoftKey, Key) {
    let mut device = SoftKey::new(ORIGIN);
    let (options, state) = party().begin_registration(holder(), &[]).unwrap();
    let answer = device.register(&options).to_string();
    let key = party().finish_registration(&state, &answer, &[]).unwrap();
    (device, key)
}

/// Begins an authentication, lets the device answer and checks that.
fn signs_in(device: &mut SoftKey, key: &Key) -> Result<Key, Refusal> {
    answers(key, |options| device.answer(options))
}

fn answers(key: &Key, answer: impl FnOnce(&Value) -> Value) -> Result<Key, Refusal> {
    let keys = std::slice::from_ref(key);
    let (options, state) = party().begin_authentication(keys)?;
    let answer = Assertion::parse(&answer(&options).to_string())?;
    party().finish_authentication(&state, &answer, key, &HANDLE)
}

fn registers(change: impl FnOnce(&mut SoftKey, &mut Value)) -> Result<Key, Refusal> {
    let mut device = SoftKey::new(ORIGIN);
    let (mut options, state) = party().begin_registration(holder(), &[])?;
    change(&mut device, &mut options);
    party().finish_registration(&state, &device.register(&options).to_string(), &[])
}

#[test]
fn only_named_secure_addresses_have_keys() {
    for good in [
        "https://forge.example",
        "https://forge.example:8443/sub",
        "http://localhost:3000",
        "http://forge.localhost",
    ] {
        assert!(RelyingParty::new(good, "tenon").is_ok(), "{good}");
    }
    for (bad, why) in [
        ("http://127.0.0.1:3000", Unusable::NoName),
        ("https://[::1]", Unusable::NoName),
        ("nonsense", Unusable::NoName),
        ("http://forge.example", Unusable::NotSecure),
    ] {
        assert_eq!(RelyingParty::new(bad, "tenon").unwrap_err(), why, "{bad}");
    }
}

#[test]
fn options_are_what_browsers_parse_from_json() {
    let (_, key) = enrolled();
    let keys = std::slice::from_ref(&key);
    let (creation, _) = party().begin_registration(holder(), keys).unwrap();
    let (request, _) = party().begin_authentication(keys).unwrap();

    assert_eq!(creation["rp"], json!({"name": "tenon", "id": "forge.example"}));
    assert_eq!(creation["user"]["name"], "jane");
    assert_eq!(creation["user"]["id"], "BwcHBwcHBwcHBwcHBwcHBw");
    assert_eq!(creation["challenge"].as_str().unwrap().len(), 43);
    assert_eq!(creation["attestation"], "none");
    let selection = &creation["authenticatorSelection"];
    assert_eq!(selection["userVerification"], "discouraged");
    assert_eq!(selection["residentKey"], "discouraged");
    // Chromium refuses this one unless a PIN is required.
    assert!(creation["extensions"]["credentialProtectionPolicy"].is_null());
    assert_eq!(creation["pubKeyCredParams"][0]["alg"], -7);
    assert_eq!(creation["timeout"], 300_000);
    assert_eq!(creation["excludeCredentials"][0]["type"], "public-key");
    assert_eq!(request["rpId"], "forge.example");
    assert_eq!(request["allowCredentials"][0]["type"], "public-key");
    assert_ne!(request["challenge"], creation["challenge"]);
}

#[test]
fn a_key_that_was_added_signs_in_and_counts_on() {
    let (mut device, key) = enrolled();
    assert_eq!(key.counter(), 0);

    let key = signs_in(&mut device, &key).unwrap();
    let key: Key = serde_json::from_value(serde_json::to_value(&key).unwrap()).unwrap();
    let key = signs_in(&mut device, &key).unwrap();

    assert_eq!(key.counter(), 2);
}

#[test]
fn a_key_that_never_counts_signs_in() {
    let (mut device, key) = enrolled();
    device.counts = false;
    for _ in 0..2 {
        assert_eq!(signs_in(&mut device, &key).unwrap().counter(), 0);
    }
}

#[test]
fn a_copy_of_a_key_is_noticed() {
    let (mut device, key) = enrolled();
    let mut copy = device.clone();
    let key = signs_in(&mut device, &key).unwrap();

    assert_eq!(signs_in(&mut copy, &key).unwrap_err(), Refusal::Cloned);

    // Also by a ceremony that began before the other counted on.
    let stale = enrolled().1;
    let mut held = device.clone();
    let (options, state) = party().begin_authentication(std::slice::from_ref(&key)).unwrap();
    let newer = signs_in(&mut device, &key).unwrap();
    let late = Assertion::parse(&held.answer(&options).to_string()).unwrap();
    let found = party().finish_authentication(&state, &late, &newer, &HANDLE);
    assert_eq!(found.unwrap_err(), Refusal::Cloned);
    let found = party().finish_authentication(&state, &late, &stale, &HANDLE);
    assert_eq!(found.unwrap_err(), Refusal::UnknownKey);
}

#[test]
fn wrong_answers_for_signing_in_are_told_apart() {
    let (device, key) = enrolled();
    let with = |change: fn(&mut SoftKey)| {
        let mut device = device.clone();
        change(&mut device);
        signs_in(&mut device, &key).map(|_| ())
    };

    assert_eq!(with(|_| ()), Ok(()));
    assert_eq!(with(|d| d.handle = Some(HANDLE.to_vec())), Ok(()));
    for origin in ["https://evil.example", "https://forge.example", "http://forge.example:8443"] {
        let mut device = device.clone();
        device.origin = origin.into();
        assert_eq!(signs_in(&mut device, &key).unwrap_err(), Refusal::Origin);
    }
    assert_eq!(with(|d| d.rp_id = "evil.example".into()), Err(Refusal::Origin));
    assert_eq!(with(|d| d.framed = true), Err(Refusal::Origin));
    assert_eq!(with(|d| d.touched = false), Err(Refusal::NotVerified));
    assert_eq!(with(|d| d.handle = Some(vec![8; 16])), Err(Refusal::UnknownKey));
    let other = signs_in(&mut SoftKey::new(ORIGIN), &key);
    assert_eq!(other.unwrap_err(), Refusal::UnknownKey);

    let challenge = answers(&key, |options| {
        let mut options = options.clone();
        options["challenge"] = json!("A".repeat(43));
        device.clone().answer(&options)
    });
    assert_eq!(challenge.unwrap_err(), Refusal::Challenge);
    let signature = answers(&key, |options| {
        let (mut one, mut two) = (device.clone(), device.clone());
        two.counter += 5;
        let mut answer = one.answer(options);
        answer["response"]["signature"] = two.answer(options)["response"]["signature"].take();
        answer
    });
    assert_eq!(signature.unwrap_err(), Refusal::Signature);
    let kind = answers(&key, |options| device.clone().register(options));
    assert_eq!(kind.unwrap_err(), Refusal::Malformed);
}

#[test]
fn wrong_answers_for_adding_are_told_apart() {
    assert!(registers(|_, _| ()).is_ok());
    let refusal = |change: fn(&mut SoftKey, &mut Value)| registers(change).unwrap_err();

    assert_eq!(refusal(|d, _| d.origin = "https://evil.example".into()), Refusal::Origin);
    assert_eq!(refusal(|d, _| d.rp_id = "evil.example".into()), Refusal::Origin);
    assert_eq!(refusal(|d, _| d.framed = true), Refusal::Origin);
    assert_eq!(refusal(|d, _| d.touched = false), Refusal::NotVerified);
    assert_eq!(refusal(|_, o| o["challenge"] = json!("AAAA")), Refusal::Challenge);
}

#[test]
fn a_key_is_not_added_twice() {
    let (mut device, key) = enrolled();
    let known = [key];
    let (options, state) = party().begin_registration(holder(), &known).unwrap();
    let answer = device.register(&options);
    let again = party().finish_registration(&state, &answer.to_string(), &known);
    assert_eq!(again.unwrap_err(), Refusal::AlreadyKnown);

    let mut hidden = answer;
    hidden["rawId"] = json!("AAAA");
    assert!(party().finish_registration(&state, &hidden.to_string(), &known).is_err());
}

/// Cut off or changed anywhere, an answer is refused or at least not a panic.
#[test]
fn damaged_answers_never_panic() {
    use base64::Engine;
    use base64::engine::general_purpose::URL_SAFE_NO_PAD as BASE64;
    let mut device = SoftKey::new(ORIGIN);
    let (options, state) = party().begin_registration(holder(), &[]).unwrap();
    let good = device.register(&options);
    let object = good["response"]["attestationObject"].as_str().unwrap();
    let object = BASE64.decode(object).unwrap();
    let finish = |bytes: &[u8]| {
        let mut answer = good.clone();
        answer["response"]["attestationObject"] = json!(BASE64.encode(bytes));
        party().finish_registration(&state, &answer.to_string(), &[])
    };

    assert!(finish(&object).is_ok());
    for end in 0..object.len() {
        assert!(finish(&object[..end]).is_err(), "cut off at {end}");
    }
    for at in 0..object.len() {
        for change in [0x01, 0x80, 0xff] {
            let mut bytes = object.clone();
            bytes[at] ^= change;
            let _ = finish(&bytes);
        }
    }
    for text in ["", "{}", "[]", "null", "\"\"", &"[".repeat(10_000)] {
        assert_eq!(Assertion::parse(text).unwrap_err(), Refusal::Malformed);
        assert!(party().finish_registration(&state, text, &[]).is_err());
    }
}
