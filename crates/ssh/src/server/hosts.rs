//! What this instance proves by that it is the same as before: host keys, made once and
//! shared by all of its servers. Only sealed they are stored.

use crate::store::hosts as rows;
use kernel::app::App;
use kernel::error::{Error, Result};
use kernel::secrets::random_bytes;
use russh::keys::ssh_key::private::{EcdsaKeypair, Ed25519Keypair, KeypairData};
use russh::keys::ssh_key::rand_core::{TryCryptoRng, TryRng};
use russh::keys::{EcdsaCurve, PrivateKey};
use std::convert::Infallible;

const ED25519: &str = "ssh-ed25519";
/// For clients that know no better.
const ECDSA: &str = "ecdsa-sha2-nistp256";

/// The keys, those that are not there yet made.
pub async fn keys(app: &App) -> Result<Vec<PrivateKey>> {
    let known = app.read(rows::all).await?;
    if known.len() >= 2 {
        return open_all(app, known);
    }
    let made = [(ED25519, make(app, ED25519)?), (ECDSA, make(app, ECDSA)?)];
    let known = app
        .write(move |tx| {
            for (algorithm, sealed) in &made {
                rows::insert(tx, algorithm, sealed)?;
            }
            rows::all(tx)
        })
        .await?;
    open_all(app, known)
}

/// What a sealed key is bound to.
fn context(algorithm: &str) -> String {
    format!("ssh_host_keys.sealed:{algorithm}")
}

fn open_all(app: &App, sealed: Vec<(String, String)>) -> Result<Vec<PrivateKey>> {
    let open = |(algorithm, sealed): &(String, String)| {
        let bytes = app.secrets().unseal(&context(algorithm), sealed)?;
        PrivateKey::from_bytes(&bytes).map_err(Error::internal)
    };
    sealed.iter().map(open).collect()
}

fn make(app: &App, algorithm: &str) -> Result<String> {
    let key = match algorithm {
        ECDSA => {
            let pair = EcdsaKeypair::random(&mut Random, EcdsaCurve::NistP256);
            KeypairData::Ecdsa(pair.map_err(Error::internal)?)
        }
        _ => KeypairData::Ed25519(Ed25519Keypair::from_seed(&random_bytes())),
    };
    let key = PrivateKey::new(key, "tenon").map_err(Error::internal)?;
    let bytes = key.to_bytes().map_err(Error::internal)?;
    Ok(app.secrets().seal(&context(algorithm), &bytes))
}

/// The system's random bytes, as the library asks for them.
struct Random;

impl TryRng for Random {
    type Error = Infallible;

    fn try_next_u32(&mut self) -> Result<u32, Infallible> {
        Ok(u32::from_le_bytes(random_bytes()))
    }

    fn try_next_u64(&mut self) -> Result<u64, Infallible> {
        Ok(u64::from_le_bytes(random_bytes()))
    }

    fn try_fill_bytes(&mut self, bytes: &mut [u8]) -> Result<(), Infallible> {
        for part in bytes.chunks_mut(32) {
            part.copy_from_slice(&random_bytes::<32>()[..part.len()]);
        }
        Ok(())
    }
}

impl TryCryptoRng for Random {}
