//! Security keys: the two ceremonies of WebAuthn Level 3 behind a few types
//! of our own, so that nothing else sees the library that checks them
//! (decision 0007).
//!
//! A [`RelyingParty`] is this instance at its external address. Each ceremony
//! has two halves: `begin_…` answers the options for the browser and a state
//! that the server keeps, `finish_…` takes the browser's answer with that
//! state. States are kept on the server, used once and expire; that is the
//! caller's part, as is storing [`Key`]s. No table, no clock, no I/O here.
#![warn(missing_docs)]

mod refusal;

pub use refusal::{Refusal, Unusable};

use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::time::Duration;
use url::{Host, Url};
use webauthn_rs::prelude::{
    Credential, PublicKeyCredential, RegisterPublicKeyCredential, SecurityKey,
    SecurityKeyAuthentication, SecurityKeyRegistration, Uuid, Webauthn, WebauthnBuilder,
};

/// How long a browser waits for the key, in seconds. States live as long.
pub const TIMEOUT_SECONDS: u64 = 300;
/// Longest id of a key in bytes (WebAuthn Level 3, section 4, «Credential ID»).
const MAX_ID: usize = 1023;

/// This instance as keys know it: the host is what a key is bound to, the
/// origin is where it may be used.
#[derive(Debug, Clone)]
pub struct RelyingParty {
    webauthn: Webauthn,
}

/// Whose key it becomes.
#[derive(Debug, Clone, Copy)]
pub struct Holder<'h> {
    /// What names the account to the key: random, and the same for all keys
    /// of one user (section 14.6.1: it must tell nothing of the person).
    pub handle: [u8; 16],
    /// Sign-in name.
    pub name: &'h str,
    /// Display name.
    pub display_name: &'h str,
}

/// A key as it is stored: its id, its public key and its counter.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Key(SecurityKey);

/// What the server keeps while a key is added.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Registration(SecurityKeyRegistration);

/// What the server keeps while a key signs in.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Authentication(SecurityKeyAuthentication);

/// A browser's answer to the options for signing in.
#[derive(Debug, Clone)]
pub struct Assertion(PublicKeyCredential);

impl RelyingParty {
    /// The instance at an external address. Browsers bind keys to names and
    /// only on secure origins, so an address by number or without TLS has
    /// none; `localhost` is secure by definition.
    pub fn new(base_url: &str, name: &str) -> Result<RelyingParty, Unusable> {
        let url = Url::parse(base_url).map_err(|_| Unusable::NoName)?;
        let Some(Host::Domain(host)) = url.host() else {
            return Err(Unusable::NoName);
        };
        let local = host == "localhost" || host.ends_with(".localhost");
        if url.scheme() != "https" && !local {
            return Err(Unusable::NotSecure);
        }
        let webauthn = WebauthnBuilder::new(host, &url)
            .map(|builder| {
                builder
                    .rp_name(name)
                    .timeout(Duration::from_secs(TIMEOUT_SECONDS))
                    // The password came before, so a touch is enough. With a
                    // PIN the library also asks for a protection policy that
                    // Chromium refuses beside «preferred».
                    .danger_set_user_presence_only_security_keys(true)
            })
            .and_then(WebauthnBuilder::build)
            .map_err(|_| Unusable::NoName)?;
        Ok(RelyingParty { webauthn })
    }

    /// Options for `parseCreationOptionsFromJSON`, and the state to keep. Keys
    /// of the holder that are `known` decline.
    pub fn begin_registration(
        &self, holder: Holder<'_>, known: &[Key],
    ) -> Result<(Value, Registration), Refusal> {
        let known: Vec<_> = known.iter().map(|key| key.0.cred_id().clone()).collect();
        let (options, state) = self.webauthn.start_securitykey_registration(
            Uuid::from_bytes(holder.handle),
            holder.name,
            holder.display_name,
            Some(known),
            None,
            None,
        )?;
        Ok((public_key(&options)?, Registration(state)))
    }

    /// The key of an answer to [`RelyingParty::begin_registration`]. That no
    /// one else holds a key of this id is the caller's to see to; `known` are
    /// the holder's own.
    pub fn finish_registration(
        &self, state: &Registration, answer: &str, known: &[Key],
    ) -> Result<Key, Refusal> {
        let answer: RegisterPublicKeyCredential = parse(answer)?;
        if known.iter().any(|key| key.id() == answer.raw_id) {
            return Err(Refusal::AlreadyKnown);
        }
        let key = self.webauthn.finish_securitykey_registration(&answer, &state.0)?;
        if key.cred_id().len() > MAX_ID {
            return Err(Refusal::Malformed);
        }
        Ok(Key(key))
    }

    /// Options for `parseRequestOptionsFromJSON`, and the state to keep.
    pub fn begin_authentication(&self, keys: &[Key]) -> Result<(Value, Authentication), Refusal> {
        let keys: Vec<_> = keys.iter().map(|key| key.0.clone()).collect();
        let (options, state) = self.webauthn.start_securitykey_authentication(&keys)?;
        Ok((public_key(&options)?, Authentication(state)))
    }

    /// Checks an answer to [`RelyingParty::begin_authentication`]. `key` is the
    /// one it names ([`Assertion::key_id`]) as it is stored now, `handle` what
    /// names its holder; the key comes back as it is to be stored.
    pub fn finish_authentication(
        &self, state: &Authentication, answer: &Assertion, key: &Key, handle: &[u8; 16],
    ) -> Result<Key, Refusal> {
        if answer.key_id() != key.id() {
            return Err(Refusal::UnknownKey);
        }
        // Two checks of section 7.2 that the library leaves to its caller:
        // the user handle (step 6) and the embedding page (step 13).
        if answer.0.get_user_unique_id().is_some_and(|id| id != handle) {
            return Err(Refusal::UnknownKey);
        }
        if is_cross_origin(&answer.0.response.client_data_json)? {
            return Err(Refusal::Origin);
        }
        let proof = self.webauthn.finish_securitykey_authentication(&answer.0, &state.0)?;
        // The state holds the key as it was when the ceremony began; it may
        // have counted on since.
        let (before, now) = (key.counter(), proof.counter());
        if (before > 0 || now > 0) && now <= before {
            return Err(Refusal::Cloned);
        }
        let mut key = key.clone();
        key.0.update_credential(&proof);
        Ok(key)
    }
}

impl Key {
    /// Its id, at most 1023 bytes, chosen by the key.
    pub fn id(&self) -> &[u8] {
        self.0.cred_id()
    }

    /// How often it has signed; stays 0 for keys that do not count.
    pub fn counter(&self) -> u32 {
        Credential::from(self.0.clone()).counter
    }
}

impl Assertion {
    /// Reads an answer; what it claims is not checked yet.
    pub fn parse(answer: &str) -> Result<Assertion, Refusal> {
        parse(answer).map(Assertion)
    }

    /// The id of the key that claims to have signed.
    pub fn key_id(&self) -> &[u8] {
        self.0.get_credential_id()
    }
}

fn parse<T: for<'de> Deserialize<'de>>(answer: &str) -> Result<T, Refusal> {
    serde_json::from_str(answer).map_err(|_| Refusal::Malformed)
}

/// The options themselves; the library wraps them as an argument of
/// `navigator.credentials`.
fn public_key(options: &impl Serialize) -> Result<Value, Refusal> {
    let mut whole = serde_json::to_value(options).map_err(|_| Refusal::Malformed)?;
    Ok(whole["publicKey"].take())
}

fn is_cross_origin(client_data: &[u8]) -> Result<bool, Refusal> {
    #[derive(Deserialize)]
    struct Embedded {
        #[serde(rename = "crossOrigin", default)]
        cross_origin: Option<bool>,
    }
    let embedded: Embedded = serde_json::from_slice(client_data).map_err(|_| Refusal::Malformed)?;
    Ok(embedded.cross_origin == Some(true))
}
