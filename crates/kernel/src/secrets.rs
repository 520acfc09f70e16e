//! Secrets at rest, random tokens and signatures.
//!
//! [`Secrets`] holds the server's master keys, newest first. Everything else
//! is derived from them: one key seals what is stored, one key per label signs
//! what is handed out and must come back unchanged (cursors, form tokens).

use std::fmt;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use aes_gcm::Aes256Gcm;
use aes_gcm::aead::{Aead, KeyInit, Payload};
use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use hmac::{Hmac, Mac};
use sha2::{Digest, Sha256};
use subtle::ConstantTimeEq;

use crate::error::{Error, Result};

/// Bytes of a master key.
const KEY: usize = 32;
/// Bytes of the random nonce of AES-GCM.
const NONCE: usize = 12;
/// Bytes kept of a signature: 128 bits cannot be guessed, and cursors stay short.
const SIGNATURE: usize = 16;
/// Random characters of a token: 24 of 62 are 142 bits.
const TOKEN: usize = 24;
const BASE62: &[u8; 62] = b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

/// Text that is never printed or logged.
#[derive(Clone, PartialEq, Eq)]
pub struct Secret(String);

impl Secret {
    /// Wraps text that must not leak.
    pub fn new(text: impl Into<String>) -> Secret {
        Secret(text.into())
    }

    /// The text itself, for the one place that sends or compares it.
    pub fn expose(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Secret(…)")
    }
}

impl From<String> for Secret {
    fn from(text: String) -> Secret {
        Secret(text)
    }
}

impl<'de> serde::Deserialize<'de> for Secret {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Secret, D::Error> {
        String::deserialize(deserializer).map(Secret)
    }
}

/// One master key and what is derived from it.
struct Key {
    master: [u8; KEY],
    /// First eight hex digits of a derived digest: names the key in sealed text.
    id: String,
}

impl Key {
    fn new(master: [u8; KEY]) -> Key {
        let id = hex::encode(&mac(&master, &[b"key id"])[..4]);
        Key { master, id }
    }

    fn derive(&self, label: &str) -> [u8; KEY] {
        mac(&self.master, &[b"derive\0", label.as_bytes()])
    }

    fn cipher(&self) -> Aes256Gcm {
        Aes256Gcm::new(&self.derive("seal").into())
    }

    fn signature(&self, label: &str, data: &[u8]) -> [u8; SIGNATURE] {
        let whole = mac(&self.derive(&format!("sign {label}")), &[data]);
        let mut short = [0; SIGNATURE];
        short.copy_from_slice(&whole[..SIGNATURE]);
        short
    }
}

/// The server's master keys. Cheap to clone.
#[derive(Clone)]
pub struct Secrets {
    /// Newest first, never empty.
    keys: Arc<Vec<Key>>,
    /// Where the keys are kept, unless the environment gave them.
    file: Option<Arc<PathBuf>>,
}

impl fmt::Debug for Secrets {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Secrets({} keys)", self.keys.len())
    }
}

impl Secrets {
    /// Takes the keys `from_env` (64 hex digits each, newest first, separated
    /// by commas or white space), or from `key_file` (one a line), which is
    /// made with one random key and mode 0600 when it does not exist.
    pub fn open(key_file: &Path, from_env: Option<String>) -> Result<Secrets> {
        if let Some(text) = from_env {
            return Ok(Secrets { keys: parse(&text, "the environment")?, file: None });
        }
        if !key_file.exists() {
            create(key_file, &format!("{}\n", hex::encode(random_bytes::<KEY>())))?;
        }
        Secrets::read(key_file)
    }

    fn read(key_file: &Path) -> Result<Secrets> {
        refuse_shared(key_file)?;
        let text = std::fs::read_to_string(key_file)?;
        let keys = parse(&text, &key_file.display().to_string())?;
        Ok(Secrets { keys, file: Some(Arc::new(key_file.to_owned())) })
    }

    /// Names of the keys, newest first. They tell nothing of the keys, and say
    /// whether two servers have the same.
    pub fn names(&self) -> Vec<String> {
        self.keys.iter().map(|key| key.id.clone()).collect()
    }

    /// Encrypts `plain` so that it opens only under the same `context` (say
    /// which column of which row it is: `users.otp_secret:42`).
    pub fn seal(&self, context: &str, plain: &[u8]) -> String {
        let key = self.newest();
        let nonce = random_bytes::<NONCE>();
        let payload = Payload { msg: plain, aad: context.as_bytes() };
        let mut sealed = nonce.to_vec();
        let text = key.cipher().encrypt(&nonce.into(), payload);
        sealed.extend(text.expect("a secret is far below the 64 GiB that AES-GCM allows"));
        format!("1.{}.{}", key.id, URL_SAFE_NO_PAD.encode(sealed))
    }

    /// Opens what [`Secrets::seal`] made under the same context with any key
    /// still held.
    pub fn unseal(&self, context: &str, sealed: &str) -> Result<Vec<u8>> {
        let refused = || Error::internal("a stored secret does not open with the keys at hand");
        let (id, body) = split_sealed(sealed).ok_or_else(refused)?;
        let key = self.keys.iter().find(|key| key.id == id).ok_or_else(refused)?;
        let bytes = URL_SAFE_NO_PAD.decode(body).map_err(|_| refused())?;
        let (nonce, text) = bytes.split_first_chunk::<NONCE>().ok_or_else(refused)?;
        let payload = Payload { msg: text, aad: context.as_bytes() };
        key.cipher().decrypt(&(*nonce).into(), payload).map_err(|_| refused())
    }

    /// Whether sealed text was made with an older key and should be sealed
    /// again before that key is dropped.
    pub fn needs_reseal(&self, sealed: &str) -> bool {
        split_sealed(sealed).is_none_or(|(id, _)| id != self.newest().id)
    }

    /// Puts a new key before the others in the key file and returns the keys
    /// as they are now. Old text still opens; reseal it, then [`Secrets::retire`].
    pub fn rotate(&self) -> Result<Secrets> {
        let mut keys = vec![random_bytes::<KEY>()];
        keys.extend(self.keys.iter().map(|key| key.master));
        self.rewrite(&keys)
    }

    /// Drops every key but the newest from the key file.
    pub fn retire(&self) -> Result<Secrets> {
        self.rewrite(&[self.newest().master])
    }

    /// A key of its own for each label, from the newest master key. It changes
    /// with [`Secrets::rotate`]; prefer [`Secrets::sign`], which does not mind.
    pub fn derive(&self, label: &str) -> [u8; 32] {
        self.newest().derive(label)
    }

    /// Text that carries `data` readably but cannot be changed or made up.
    /// What is signed under one label does not verify under another.
    pub fn sign(&self, label: &str, data: &[u8]) -> String {
        let mut bytes = self.newest().signature(label, data).to_vec();
        bytes.extend_from_slice(data);
        URL_SAFE_NO_PAD.encode(bytes)
    }

    /// The data of signed text, if this server signed it under `label`.
    pub fn verify(&self, label: &str, signed: &str) -> Option<Vec<u8>> {
        let bytes = URL_SAFE_NO_PAD.decode(signed).ok()?;
        let (signature, data) = bytes.split_first_chunk::<SIGNATURE>()?;
        let genuine = self.keys.iter().any(|key| same(key.signature(label, data), signature));
        genuine.then(|| data.to_vec())
    }

    fn newest(&self) -> &Key {
        &self.keys[0]
    }

    fn rewrite(&self, keys: &[[u8; KEY]]) -> Result<Secrets> {
        let Some(file) = &self.file else {
            return Err(Error::internal("the keys come from the environment: change them there"));
        };
        let text: String = keys.iter().map(|key| format!("{}\n", hex::encode(key))).collect();
        let fresh = beside(file);
        write_private(&fresh, &text)?;
        std::fs::rename(&fresh, file.as_path())?;
        sync_directory(file)?;
        Secrets::read(file)
    }
}

/// A token nobody can guess: `prefix` and 24 random base-62 characters.
pub fn random_token(prefix: &str) -> Secret {
    let mut text = prefix.to_owned();
    while text.len() < prefix.len() + TOKEN {
        // 248 is the largest multiple of 62 in a byte: the rest would favour
        // the first characters.
        let byte = random_bytes::<1>()[0];
        if byte < 248 {
            text.push(BASE62[usize::from(byte % 62)] as char);
        }
    }
    Secret(text)
}

/// What is stored of a token: its SHA-256. Tokens are random, so no salt or
/// slow hash is needed.
pub fn digest(token: &str) -> Vec<u8> {
    Sha256::digest(token.as_bytes()).to_vec()
}

/// Whether two values are equal, in a time that does not tell where they differ.
pub fn same(a: impl AsRef<[u8]>, b: impl AsRef<[u8]>) -> bool {
    a.as_ref().ct_eq(b.as_ref()).into()
}

/// Random bytes from the operating system.
pub fn random_bytes<const N: usize>() -> [u8; N] {
    let mut bytes = [0; N];
    getrandom::fill(&mut bytes).expect("the operating system has a random source");
    bytes
}

fn mac(key: &[u8; KEY], parts: &[&[u8]]) -> [u8; KEY] {
    let mut mac = Hmac::<Sha256>::new_from_slice(key).expect("HMAC takes keys of any length");
    parts.iter().for_each(|part| mac.update(part));
    mac.finalize().into_bytes().into()
}

fn split_sealed(sealed: &str) -> Option<(&str, &str)> {
    sealed.strip_prefix("1.")?.split_once('.')
}

fn parse(text: &str, place: &str) -> Result<Arc<Vec<Key>>> {
    let words = text.split(|c: char| c == ',' || c.is_whitespace());
    let keys: Option<Vec<Key>> = words.filter(|word| !word.is_empty()).map(parse_key).collect();
    match keys {
        Some(keys) if !keys.is_empty() => Ok(Arc::new(keys)),
        _ => Err(Error::internal(format!("secret keys in {place} must be 64 hex digits each"))),
    }
}

fn parse_key(word: &str) -> Option<Key> {
    let mut master = [0; KEY];
    hex::decode_to_slice(word, &mut master).ok()?;
    Some(Key::new(master))
}

/// Makes the key file unless another process was faster; its keys win then.
fn create(file: &Path, text: &str) -> Result<()> {
    if let Some(directory) = file.parent() {
        std::fs::create_dir_all(directory)?;
    }
    let fresh = beside(file);
    write_private(&fresh, text)?;
    let linked = std::fs::hard_link(&fresh, file);
    std::fs::remove_file(&fresh)?;
    match linked {
        Err(error) if error.kind() != std::io::ErrorKind::AlreadyExists => Err(error.into()),
        _ => sync_directory(file),
    }
}

fn beside(file: &Path) -> PathBuf {
    file.with_extension(format!("new-{}", hex::encode(random_bytes::<8>())))
}

fn write_private(file: &Path, text: &str) -> Result<()> {
    let mut options = std::fs::OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    let mut file = options.open(file)?;
    file.write_all(text.as_bytes())?;
    Ok(file.sync_all()?)
}

fn sync_directory(file: &Path) -> Result<()> {
    let directory = file.parent().filter(|parent| !parent.as_os_str().is_empty());
    Ok(std::fs::File::open(directory.unwrap_or(Path::new(".")))?.sync_all()?)
}

#[cfg(unix)]
fn refuse_shared(file: &Path) -> Result<()> {
    use std::os::unix::fs::PermissionsExt;
    let mode = std::fs::metadata(file)?.permissions().mode();
    if mode & 0o077 == 0 {
        return Ok(());
    }
    let place = file.display();
    Err(Error::internal(format!("{place} can be read by others: run chmod 600 on it")))
}

#[cfg(not(unix))]
fn refuse_shared(_: &Path) -> Result<()> {
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::PermissionsExt;

    fn fresh() -> (tempfile::TempDir, PathBuf, Secrets) {
        let directory = tempfile::tempdir().unwrap();
        let file = directory.path().join("deep/secret.key");
        let secrets = Secrets::open(&file, None).unwrap();
        (directory, file, secrets)
    }

    #[test]
    fn the_key_file_is_private_and_kept() {
        let (_directory, file, secrets) = fresh();
        assert_eq!(std::fs::metadata(&file).unwrap().permissions().mode() & 0o777, 0o600);
        assert_eq!(std::fs::read_dir(file.parent().unwrap()).unwrap().count(), 1);
        let sealed = secrets.seal("row 1", b"hidden");
        let again = Secrets::open(&file, None).unwrap();
        assert_eq!(again.unseal("row 1", &sealed).unwrap(), b"hidden");
    }

    #[test]
    fn a_key_file_others_can_read_is_refused() {
        let (_directory, file, _) = fresh();
        std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o640)).unwrap();
        let error = Secrets::open(&file, None).unwrap_err().to_string();
        assert!(error.contains("chmod 600"), "{error}");
    }

    #[test]
    fn unusable_keys_are_refused_without_being_repeated() {
        for text in ["", "  \n", "abc", &"zz".repeat(32), &"ab".repeat(33)] {
            let error = Secrets::open(Path::new("/absent"), Some(text.into())).unwrap_err();
            assert!(error.to_string().contains("64 hex digits"));
        }
    }

    #[test]
    fn parallel_first_starts_agree() {
        let directory = tempfile::tempdir().unwrap();
        let file = directory.path().join("secret.key");
        let ids: Vec<String> = std::thread::scope(|scope| {
            let open = || Secrets::open(&file, None).unwrap().newest().id.clone();
            let starts: Vec<_> = (0..16).map(|_| scope.spawn(open)).collect();
            starts.into_iter().map(|start| start.join().unwrap()).collect()
        });
        assert!(ids.iter().all(|id| *id == ids[0]));
    }

    #[test]
    fn sealed_text_opens_only_whole_and_in_its_context() {
        let (_directory, _, secrets) = fresh();
        let sealed = secrets.seal("a", b"hidden");
        assert!(secrets.unseal("b", &sealed).is_err());
        for bad in ["", "1.", "1.x.y", "2.aa.bb", &sealed[..sealed.len() - 2]] {
            assert!(secrets.unseal("a", bad).is_err(), "{bad}");
        }
        let other = Secrets::open(Path::new("/absent"), Some("ab".repeat(32))).unwrap();
        assert!(other.unseal("a", &sealed).is_err());
        assert_ne!(sealed, secrets.seal("a", b"hidden"), "nonces differ");
        assert_eq!(secrets.unseal("a", &secrets.seal("a", b"")).unwrap(), b"");
    }

    #[test]
    fn rotation_keeps_old_text_until_old_keys_retire() {
        let (_directory, file, old) = fresh();
        let (sealed, signed) = (old.seal("a", b"x"), old.sign("l", b"y"));
        let new = old.rotate().unwrap();
        assert!(new.needs_reseal(&sealed) && !new.needs_reseal(&new.seal("a", b"x")));
        assert_eq!(new.unseal("a", &sealed).unwrap(), b"x");
        assert_eq!(new.verify("l", &signed).unwrap(), b"y");
        let last = Secrets::open(&file, None).unwrap().retire().unwrap();
        assert!(last.unseal("a", &sealed).is_err());
        assert_eq!(last.verify("l", &signed), None);
        let given = Secrets::open(&file, Some("ab".repeat(32))).unwrap();
        assert!(given.rotate().is_err());
    }

    #[test]
    fn signatures_bind_label_and_data() {
        let (_directory, _, secrets) = fresh();
        let signed = secrets.sign("cursor", b"id=7");
        assert_eq!(secrets.verify("cursor", &signed).unwrap(), b"id=7");
        assert_eq!(secrets.verify("form", &signed), None);
        for bad in ["", "a", "not base64!", &format!("{signed}AA"), &signed[1..]] {
            assert_eq!(secrets.verify("cursor", bad), None, "{bad}");
        }
        assert_ne!(secrets.derive("a"), secrets.derive("b"));
    }

    #[test]
    fn tokens_are_random_base62_and_do_not_print() {
        let (a, b) = (random_token("tok-"), random_token("tok-"));
        assert_ne!(a, b);
        let random = a.expose().strip_prefix("tok-").unwrap();
        assert!(random.len() >= 20 && random.bytes().all(|c| c.is_ascii_alphanumeric()));
        assert_eq!(format!("{a:?}"), "Secret(…)");
        assert_eq!(digest("").len(), 32);
        assert!(same("a", "a") && !same("a", "b") && !same("a", "ab"));
    }
}
