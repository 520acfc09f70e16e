//! Files in buckets: the address of one, signed for who has its keys (AWS Signature 4, in the
//! query).

use hmac::{Hmac, KeyInit, Mac};
use kernel::error::{Error, Result};
use kernel::time::Timestamp;
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

/// What stands in addresses as it is, and in their paths.
const PLAIN: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'_').remove(b'.').remove(b'~');
const PATH: &AsciiSet = &PLAIN.remove(b'/');
/// Seconds for which an address is good: those that fetching may take.
const GOOD_FOR: u32 = 6 * 3600;
/// Longest key of a file, in bytes, as buckets have it.
const LONGEST_KEY: usize = 1024;

/// A file in a bucket, and what lets in.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Signed {
    pub region: String,
    pub bucket_name: String,
    pub file_key: String,
    pub access_key_id: String,
    pub secret_access_key: String,
}

impl Signed {
    /// Refuses what makes no address.
    ///
    /// # Errors
    ///
    /// 400.
    pub fn checked(self) -> Result<Signed> {
        let is_name = |text: &str, most: usize| {
            let is_letter = |b: u8| matches!(b, b'a'..=b'z' | b'0'..=b'9' | b'-' | b'.');
            (1..=most).contains(&text.len())
                && text.bytes().all(is_letter)
                && text.starts_with(|c: char| c.is_ascii_alphanumeric())
                && text.ends_with(|c: char| c.is_ascii_alphanumeric())
                && !text.contains("..")
        };
        let is_key = |text: &str| {
            !text.is_empty() && text.len() <= 256 && text.bytes().all(|b| b.is_ascii_graphic())
        };
        let file = self.file_key.trim_start_matches('/');
        for (name, is_good) in [
            ("region", is_name(&self.region, 63) && !self.region.contains('.')),
            ("bucket_name", is_name(&self.bucket_name, 63)),
            (
                "file_key",
                !file.is_empty() && file.len() <= LONGEST_KEY && !file.contains('\0'),
            ),
            ("access_key_id", is_key(&self.access_key_id)),
            ("secret_access_key", is_key(&self.secret_access_key)),
        ] {
            if !is_good {
                return Err(Error::Parameters(vec![format!("{name} is invalid")]));
            }
        }
        Ok(Signed { file_key: file.to_owned(), ..self })
    }

    /// How it is told apart from others where imports are shown.
    pub fn shown(&self) -> String {
        format!("{}/{}", self.bucket_name, self.file_key)
    }

    /// Where it is. A bucket with dots in its name has no certificate for a name of its own.
    fn place(&self) -> (String, String) {
        let file = utf8_percent_encode(&self.file_key, PATH).to_string();
        match self.bucket_name.contains('.') {
            true => {
                let host = format!("s3.{}.amazonaws.com", self.region);
                (host, format!("/{}/{file}", self.bucket_name))
            }
            false => {
                let host = format!("{}.s3.{}.amazonaws.com", self.bucket_name, self.region);
                (host, format!("/{file}"))
            }
        }
    }

    /// An address that lets in for some hours from now on.
    pub fn url(&self, now: Timestamp) -> String {
        let (host, path) = self.place();
        self.signed((&host, &path), now, GOOD_FOR)
    }

    fn signed(&self, (host, path): (&str, &str), now: Timestamp, seconds: u32) -> String {
        let time = now.strftime("%Y%m%dT%H%M%SZ").to_string();
        let day = &time[..8];
        let scope = format!("{day}/{}/s3/aws4_request", self.region);
        let credential = format!("{}/{scope}", self.access_key_id);
        let query = format!(
            "X-Amz-Algorithm=AWS4-HMAC-SHA256&X-Amz-Credential={}&X-Amz-Date={time}\
             &X-Amz-Expires={seconds}&X-Amz-SignedHeaders=host",
            utf8_percent_encode(&credential, PLAIN),
        );
        let request = format!("GET\n{path}\n{query}\nhost:{host}\n\nhost\nUNSIGNED-PAYLOAD");
        let digest = hex::encode(Sha256::digest(request.as_bytes()));
        let text = format!("AWS4-HMAC-SHA256\n{time}\n{scope}\n{digest}");
        let begin = format!("AWS4{}", self.secret_access_key);
        let key = [day, &self.region, "s3", "aws4_request"]
            .iter()
            .fold(begin.into_bytes(), |key, part| mac(&key, part));
        let signature = hex::encode(mac(&key, &text));
        format!("https://{host}{path}?{query}&X-Amz-Signature={signature}")
    }
}

fn mac(key: &[u8], text: &str) -> Vec<u8> {
    let mut mac = Hmac::<Sha256>::new_from_slice(key).expect("HMAC takes keys of any length");
    mac.update(text.as_bytes());
    mac.finalize().into_bytes().to_vec()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn example() -> Signed {
        Signed {
            region: "us-east-1".into(),
            bucket_name: "examplebucket".into(),
            file_key: "test.txt".into(),
            access_key_id: "AKIAIOSFODNN7EXAMPLE".into(),
            secret_access_key: "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY".into(),
        }
    }

    #[test]
    fn the_vendors_example_is_signed_as_it_says() {
        let at: Timestamp = "2013-05-24T00:00:00Z".parse().expect("a time");
        let place = ("examplebucket.s3.amazonaws.com", "/test.txt");
        let url = example().signed(place, at, 86400);
        let signature = "aeeed9bbccd4d02ee5c0109b86d86835f995330da4c265957d157751f604d404";
        assert!(url.ends_with(&format!("&X-Amz-Signature={signature}")), "{url}");
    }

    #[test]
    fn places_are_those_of_buckets_alone() {
        let place = |bucket: &str, file: &str| {
            let bucket_name = bucket.to_owned();
            Signed { bucket_name, file_key: file.to_owned(), ..example() }.checked()
        };
        let host = |bucket: &str| place(bucket, "a b/c.gz").map(|it| it.place()).expect("good");
        let (name, path) = host("files");
        let of_bucket = ("files.s3.us-east-1.amazonaws.com", "/a%20b/c.gz");
        assert_eq!((name.as_str(), path.as_str()), of_bucket);
        assert_eq!(host("my.files").1, "/my.files/a%20b/c.gz");
        for bucket in ["", "a/b", "evil.example#", "a..b", "-a", "A", "a@b"] {
            assert!(place(bucket, "a").is_err(), "{bucket}");
        }
        let region = |region: &str| Signed { region: region.into(), ..example() }.checked();
        assert!(region("eu-west-1").is_ok());
        assert!(region("evil.example/").is_err() && region("a.b").is_err());
    }
}
