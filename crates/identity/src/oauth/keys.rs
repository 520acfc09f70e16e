//! The RSA keys that sign ID tokens. They are made by the program, sealed in
//! the database, and replaced every quarter; the replaced one stays published
//! for as long as anything it signed could be looked at.

pub use crate::store::signing_keys::Published;
use crate::store::signing_keys::{Made, Row, newest};
use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use jiff::SignedDuration;
use kernel::app::App;
use kernel::error::{Error, Result};
use kernel::secrets::Secrets;
use kernel::time::Timestamp;
use ring::rand::SystemRandom;
use ring::signature::{RSA_PKCS1_SHA256, RsaKeyPair};
use rsa::pkcs8::EncodePrivateKey;
use rsa::traits::PublicKeyParts;
use sha2::{Digest, Sha256};

/// Bits of a key (RFC 7518 section 3.3 asks for 2048 at least).
const BITS: usize = 2048;
/// Days after which a new key signs.
const LIFETIME_DAYS: i64 = 90;
/// Days the key before stays published; the key set is cached for a day.
const OVERLAP_DAYS: i64 = 7;
/// What a sealed key is bound to.
const CONTEXT: &str = "identity.signing_key";

pub struct SigningKey {
    /// Its name in token headers.
    pub kid: String,
    pair: RsaKeyPair,
}

impl SigningKey {
    /// RS256 (RFC 7518 section 3.3) over `data`. Slow: about a millisecond.
    pub fn sign(&self, data: &[u8]) -> Result<Vec<u8>> {
        let mut signature = vec![0; self.pair.public().modulus_len()];
        self.pair
            .sign(&RSA_PKCS1_SHA256, &SystemRandom::new(), data, &mut signature)
            .map_err(|_| Error::internal("an ID token could not be signed"))?;
        Ok(signature)
    }
}

/// Every published key; makes the first one.
pub async fn published(app: &App) -> Result<Vec<Published>> {
    signing(app).await?;
    app.read(crate::store::signing_keys::published).await
}

/// The key that signs now; makes the first one.
pub async fn signing(app: &App) -> Result<SigningKey> {
    if let Some(row) = app.read(newest).await? {
        return open(app.secrets(), row);
    }
    make(app, None).await?;
    let row = app.read(newest).await?;
    open(app.secrets(), row.ok_or_else(|| Error::internal("no signing key was made"))?)
}

fn open(secrets: &Secrets, row: Row) -> Result<SigningKey> {
    let document = secrets.unseal(CONTEXT, &row.sealed)?;
    let pair = RsaKeyPair::from_pkcs8(&document)
        .map_err(|error| Error::internal(format!("signing key {}: {error}", row.kid)))?;
    Ok(SigningKey { kid: row.kid, pair })
}

/// Makes a key unless one newer than `before` signs already: of two nodes at
/// once, one key stays.
async fn make(app: &App, before: Option<Timestamp>) -> Result<()> {
    let secrets = app.secrets().clone();
    let made = tokio::task::spawn_blocking(move || generate(&secrets))
        .await
        .map_err(Error::internal)??;
    app.write(move |tx| {
        if newest(tx)?.is_some_and(|row| before.is_none_or(|at| row.created_at > at)) {
            return Ok(());
        }
        let now = tx.now();
        crate::store::signing_keys::retire(tx, now)?;
        crate::store::signing_keys::insert(tx, &made, now)?;
        Ok(())
    })
    .await
}

fn generate(secrets: &Secrets) -> Result<Made> {
    let key = rsa::RsaPrivateKey::new(&mut rsa::rand_core::OsRng, BITS).map_err(Error::internal)?;
    let document = key.to_pkcs8_der().map_err(Error::internal)?;
    let public_n = URL_SAFE_NO_PAD.encode(key.n().to_bytes_be());
    let public_e = URL_SAFE_NO_PAD.encode(key.e().to_bytes_be());
    // RFC 7638: the SHA-256 of these members in this order.
    let members = format!(r#"{{"e":"{public_e}","kty":"RSA","n":"{public_n}"}}"#);
    Ok(Made {
        kid: URL_SAFE_NO_PAD.encode(Sha256::digest(members.as_bytes())),
        sealed: secrets.seal(CONTEXT, document.as_bytes()),
        public_n,
        public_e,
    })
}

/// Replaces a key that has signed for long, and forgets the one before.
pub async fn rotate(app: &App) -> Result<()> {
    let now = app.now();
    let gone = now - SignedDuration::from_hours(24 * OVERLAP_DAYS);
    app.write(move |tx| {
        crate::store::signing_keys::delete_retired(tx, gone)?;
        Ok(())
    })
    .await?;
    let due = now - SignedDuration::from_hours(24 * LIFETIME_DAYS);
    match app.read(newest).await? {
        Some(row) if row.created_at < due => make(app, Some(row.created_at)).await,
        _ => Ok(()),
    }
}
