//! A security key in memory: what a browser and a key do together, byte by
//! byte (WebAuthn Level 3, sections 5.8.1 and 6.5), with ES256 and no
//! attestation.

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD as BASE64;
use ring::rand::{SecureRandom, SystemRandom};
use ring::signature::{ECDSA_P256_SHA256_ASN1_SIGNING, EcdsaKeyPair, KeyPair};
use serde_json::{Value, json};
use sha2::{Digest, Sha256};

const PRESENT: u8 = 0x01;
const ATTESTED: u8 = 0x40;

/// One key for one account; its fields are what stories tamper with.
#[derive(Clone)]
pub struct SoftKey {
    /// The origin of the page that asks.
    pub origin: String,
    /// The host the key is asked for.
    pub rp_id: String,
    /// Signatures so far; a key that does not count stays at 0.
    pub counter: u32,
    /// Whether [`SoftKey::answer`] counts on.
    pub counts: bool,
    /// Whether its holder touches it.
    pub touched: bool,
    /// The page stands in a frame of another site.
    pub framed: bool,
    /// What it names the account by; absent for keys that keep no accounts.
    pub handle: Option<Vec<u8>>,
    id: Vec<u8>,
    pkcs8: Vec<u8>,
}

impl SoftKey {
    /// A fresh key on a page of this origin (`http://localhost:8080`).
    pub fn new(origin: &str) -> SoftKey {
        let random = SystemRandom::new();
        let mut id = vec![0; 32];
        random.fill(&mut id).expect("the system has randomness");
        let pkcs8 = EcdsaKeyPair::generate_pkcs8(&ECDSA_P256_SHA256_ASN1_SIGNING, &random)
            .expect("a key pair can be made");
        let url = url::Url::parse(origin).expect("an origin");
        SoftKey {
            origin: origin.to_owned(),
            rp_id: url.host_str().expect("an origin has a host").to_owned(),
            counter: 0,
            counts: true,
            touched: true,
            framed: false,
            handle: None,
            id,
            pkcs8: pkcs8.as_ref().to_vec(),
        }
    }

    /// Its id as it is written on the wire.
    pub fn id(&self) -> String {
        BASE64.encode(&self.id)
    }

    /// Answers options for adding a key, as `PublicKeyCredential.toJSON()`.
    pub fn register(&mut self, options: &Value) -> Value {
        let client_data = self.client_data("webauthn.create", options);
        let data = self.authenticator_data(ATTESTED, &self.attested());
        let mut object = Vec::new();
        object.extend([0xa3, 0x63]);
        object.extend(b"fmt");
        object.push(0x64);
        object.extend(b"none");
        object.push(0x67);
        object.extend(b"attStmt");
        object.extend([0xa0, 0x68]);
        object.extend(b"authData");
        bytes(&mut object, &data);
        json!({
            "id": self.id(), "rawId": self.id(), "type": "public-key",
            "authenticatorAttachment": "cross-platform",
            "clientExtensionResults": {},
            "response": {
                "clientDataJSON": BASE64.encode(client_data),
                "attestationObject": BASE64.encode(object),
                "transports": ["usb"],
            },
        })
    }

    /// Answers options for signing in, as `PublicKeyCredential.toJSON()`.
    pub fn answer(&mut self, options: &Value) -> Value {
        if self.counts {
            self.counter += 1;
        }
        let client_data = self.client_data("webauthn.get", options);
        let data = self.authenticator_data(0, &[]);
        let mut signed = data.clone();
        signed.extend(Sha256::digest(&client_data));
        let random = SystemRandom::new();
        let signature =
            self.pair().sign(&random, &signed).expect("a key can sign what it is given");
        json!({
            "id": self.id(), "rawId": self.id(), "type": "public-key",
            "authenticatorAttachment": "cross-platform",
            "clientExtensionResults": {},
            "response": {
                "clientDataJSON": BASE64.encode(client_data),
                "authenticatorData": BASE64.encode(data),
                "signature": BASE64.encode(signature.as_ref()),
                "userHandle": self.handle.as_ref().map(|handle| BASE64.encode(handle)),
            },
        })
    }

    fn pair(&self) -> EcdsaKeyPair {
        let random = SystemRandom::new();
        EcdsaKeyPair::from_pkcs8(&ECDSA_P256_SHA256_ASN1_SIGNING, &self.pkcs8, &random)
            .expect("the key pair was made here")
    }

    fn client_data(&self, kind: &str, options: &Value) -> Vec<u8> {
        let data = json!({
            "type": kind, "challenge": options["challenge"], "origin": self.origin,
            "crossOrigin": self.framed,
        });
        serde_json::to_vec(&data).expect("JSON can be written")
    }

    fn authenticator_data(&self, flags: u8, attested: &[u8]) -> Vec<u8> {
        let touched = if self.touched { PRESENT } else { 0 };
        let mut data = Sha256::digest(&self.rp_id).to_vec();
        data.push(flags | touched);
        data.extend(self.counter.to_be_bytes());
        data.extend(attested);
        data
    }

    /// Maker (unknown), id and public key in COSE's form.
    fn attested(&self) -> Vec<u8> {
        let pair = self.pair();
        let point = pair.public_key().as_ref();
        let length = u16::try_from(self.id.len()).expect("ids are short");
        let mut data = vec![0; 16];
        data.extend(length.to_be_bytes());
        data.extend(&self.id);
        // {1: 2 (EC2), 3: -7 (ES256), -1: 1 (P-256), -2: x, -3: y}
        data.extend([0xa5, 0x01, 0x02, 0x03, 0x26, 0x20, 0x01, 0x21]);
        bytes(&mut data, &point[1..33]);
        data.push(0x22);
        bytes(&mut data, &point[33..65]);
        data
    }
}

/// A CBOR byte string.
fn bytes(into: &mut Vec<u8>, content: &[u8]) {
    let length = u16::try_from(content.len()).expect("what keys say is short");
    match u8::try_from(length) {
        Ok(short) => into.extend([0x58, short]),
        Err(_) => {
            into.push(0x59);
            into.extend(length.to_be_bytes());
        }
    }
    into.extend(content);
}
