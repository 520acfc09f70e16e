//! Passwords: rules, and Argon2id on blocking threads behind a semaphore.

use argon2::password_hash::phc::PasswordHash;
use argon2::{Algorithm, Argon2, Params, Version};
use base64::Engine;
use base64::engine::general_purpose::STANDARD_NO_PAD;
use kernel::error::{Error, Result};
use kernel::secrets::random_bytes;
use std::sync::OnceLock;
use std::time::Duration;
use subtle::ConstantTimeEq;
use tokio::sync::Semaphore;
use tokio::time::timeout;

/// Shortest password, in characters (docs/interface/identity.md 5).
pub const MIN: usize = 8;
/// Longest password, in characters.
pub const MAX: usize = 128;
/// Memory of one hash in KiB, and passes over it (OWASP's second choice of
/// Argon2id, 2024).
const MEMORY: u32 = 19 * 1024;
const PASSES: u32 = 2;
/// Hashes at the same time at most, and how long one waits for its turn.
const MOST: usize = 8;
const WAIT: Duration = Duration::from_secs(3);

/// Why a password cannot be used.
pub fn problem(password: &str) -> Option<&'static str> {
    match password.chars().count() {
        0 => Some("can't be blank"),
        count if count < MIN => Some("is too short (minimum is 8 characters)"),
        count if count > MAX => Some("is too long (maximum is 128 characters)"),
        _ => None,
    }
}

/// Hashes at once; only for the command line and tests without a runtime.
pub fn hash_blocking(password: &str) -> Result<String> {
    let params = Params::new(MEMORY, PASSES, 1, None).map_err(failed)?;
    let salt = random_bytes::<16>();
    let mut output = [0; Params::DEFAULT_OUTPUT_LEN];
    digest(params, password, &salt, &mut output).map_err(failed)?;
    let (salt, output) = (STANDARD_NO_PAD.encode(salt), STANDARD_NO_PAD.encode(output));
    Ok(format!("$argon2id$v=19$m={MEMORY},t={PASSES},p=1${salt}${output}"))
}

fn verify_blocking(password: &str, hash: &str) -> bool {
    fits(password, hash).unwrap_or(false)
}

fn fits(password: &str, hash: &str) -> Option<bool> {
    let hash = PasswordHash::new(hash).ok()?;
    if hash.algorithm.as_str() != "argon2id" {
        return None;
    }
    let (salt, expected) = (hash.salt?, hash.hash?);
    let params = Params::try_from(&hash.params).ok()?;
    let mut output = vec![0; expected.as_bytes().len()];
    digest(params, password, &salt, &mut output).ok()?;
    Some(output.ct_eq(expected.as_bytes()).into())
}

fn failed(error: argon2::Error) -> Error {
    Error::internal(error.to_string())
}

/// Argon2id. Its memory goes back to the system: the allocator keeps nothing that
/// large (docs/decisions/0013).
fn digest(params: Params, password: &str, salt: &[u8], output: &mut [u8]) -> argon2::Result<()> {
    let hasher = Argon2::new(Algorithm::Argon2id, Version::V0x13, params);
    hasher.hash_password_into(password.as_bytes(), salt, output)
}

/// Half of the cores hash at most: each hash takes its memory and a core, and
/// everything else goes on beside them.
fn turns() -> &'static Semaphore {
    static TURNS: OnceLock<Semaphore> = OnceLock::new();
    TURNS.get_or_init(|| {
        let cores = std::thread::available_parallelism().map_or(2, |cores| cores.get());
        Semaphore::new((cores / 2).clamp(1, MOST))
    })
}

async fn in_turn<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> Result<T> {
    let Ok(turn) = timeout(WAIT, turns().acquire()).await else {
        let busy = "Too many passwords are being checked. Try again later.";
        return Err(Error::Unavailable(busy.into()));
    };
    let _turn = turn.map_err(Error::internal)?;
    tokio::task::spawn_blocking(work).await.map_err(Error::internal)
}

/// Hashes a password that follows the rules.
pub async fn hash(password: String) -> Result<String> {
    in_turn(move || hash_blocking(&password)).await?
}

/// Compares a password with a stored hash. Without a hash (unknown user) it
/// costs the same and is false.
pub async fn verify(password: String, hash: Option<String>) -> Result<bool> {
    in_turn(move || {
        let known = hash.is_some();
        let hash = hash.unwrap_or_else(|| decoy().to_owned());
        let fits = password.chars().count() <= MAX && verify_blocking(&password, &hash);
        fits && known
    })
    .await
}

/// The hash that stands in where there is no user.
fn decoy() -> &'static str {
    static DECOY: OnceLock<String> = OnceLock::new();
    DECOY.get_or_init(|| hash_blocking("no user has this password").unwrap_or_default())
}

/// A password nobody knows, for accounts that sign in another way.
pub fn random() -> String {
    kernel::secrets::random_token("").expose().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn length_is_counted_in_characters() {
        assert!(problem("").is_some());
        assert!(problem("1234567").is_some());
        assert_eq!(problem("12345678"), None);
        assert_eq!(problem(&"ü".repeat(128)), None);
        assert!(problem(&"ü".repeat(129)).is_some());
    }

    #[test]
    fn a_hash_is_argon2id_and_fits_its_password_only() {
        let hash = hash_blocking("correct horse").unwrap();
        assert!(hash.starts_with("$argon2id$v=19$m=19456,t=2,p=1$"), "{hash}");
        assert!(verify_blocking("correct horse", &hash));
        assert!(!verify_blocking("correct hors", &hash));
        assert!(!verify_blocking("correct horse", "not a hash"));
    }

    #[tokio::test]
    async fn an_unknown_user_costs_one_hash_too() {
        // The least of several runs: the machine may be busy.
        async fn least(hash: Option<String>) -> std::time::Duration {
            let mut least = std::time::Duration::MAX;
            for _ in 0..5 {
                let began = std::time::Instant::now();
                verify("some password".into(), hash.clone()).await.unwrap();
                least = least.min(began.elapsed());
            }
            least
        }
        let known = least(Some(hash_blocking("correct horse").unwrap())).await;
        let unknown = least(None).await;
        assert!(unknown > known / 4, "{unknown:?} and {known:?}");
    }

    #[tokio::test]
    async fn an_unknown_user_never_fits_even_with_the_decoys_password() {
        assert!(!verify("no user has this password".into(), None).await.unwrap());
    }
}
