//! Time-based codes: 6 digits, 30 seconds, SHA-1 as every app has it, one
//! step of drift each way, no code twice (docs/interface/identity.md 7).

use crate::model::UserId;
pub use crate::store::totp::{remove, since};
use kernel::app::App;
use kernel::error::{Error, Result};
use kernel::time::Timestamp;
use std::fmt::Write;
use store::Tx;
use totp_rs::{Builder, Secret as Key, Totp};

/// Bytes of a secret: 160 bits, as RFC 4226 recommends.
pub const SECRET: usize = 20;
const DIGITS: u8 = 6;
/// Seconds a code is shown.
const SECONDS: u64 = 30;
/// Steps the clock of a phone may be off, each way.
const DRIFT: u16 = 1;

/// The code in what somebody typed, as `123 456` too.
pub fn digits(typed: &str) -> Option<String> {
    let code: String = typed.chars().filter(|c| !c.is_whitespace()).collect();
    let is_code = code.len() == usize::from(DIGITS) && code.bytes().all(|b| b.is_ascii_digit());
    is_code.then_some(code)
}

/// The step of the code that `secret` shows about `now`.
pub fn step_of(secret: &[u8], code: &str, now: Timestamp) -> Result<Option<i64>> {
    let totp = codes(secret, "", "")?;
    let step = totp.check(code, now.as_second().unsigned_abs());
    Ok(step.and_then(|step| i64::try_from(step).ok()))
}

fn codes(secret: &[u8], account: &str, issuer: &str) -> Result<Totp> {
    let issuer = Some(issuer).filter(|text| !text.is_empty());
    Builder::new()
        .with_secret(secret.to_vec())
        .with_digits(DIGITS)
        .with_step_duration(SECONDS)
        .with_skew(DRIFT)
        .with_account_name(account)
        .with_issuer(issuer)
        .build()
        .map_err(Error::internal)
}

/// The secret as people type it into an app: base 32 in groups of four.
pub fn written(secret: &[u8]) -> String {
    let text = Key::from(secret.to_vec()).to_base32();
    let mut grouped = String::new();
    for (at, c) in text.chars().enumerate() {
        if at > 0 && at % 4 == 0 {
            grouped.push(' ');
        }
        grouped.push(c);
    }
    grouped
}

/// What an app reads from the picture: an `otpauth:` address.
pub fn address(secret: &[u8], account: &str, issuer: &str) -> Result<String> {
    // A colon would part the label.
    let issuer = issuer.replace(':', " ");
    let account = account.replace(':', " ");
    codes(secret, &account, &issuer)?.to_url().map_err(Error::internal)
}

/// A picture for phones: the path of an SVG in a square of so many units, with
/// the quiet margin of four that readers need.
pub fn picture(text: &str) -> Result<(i32, String)> {
    const MARGIN: i32 = 4;
    let code = qrcodegen::QrCode::encode_text(text, qrcodegen::QrCodeEcc::Medium)
        .map_err(Error::internal)?;
    let mut path = String::new();
    for y in 0..code.size() {
        for x in (0..code.size()).filter(|x| code.get_module(*x, y)) {
            // Writing to a text cannot fail.
            let _ = write!(path, "M{},{}h1v1h-1z", x + MARGIN, y + MARGIN);
        }
    }
    Ok((code.size() + 2 * MARGIN, path))
}

fn context(user: UserId) -> String {
    format!("totp.sealed:{user}")
}

/// Stores a secret that a code of `step` proved; a secret before it ends.
pub fn store(app: &App, tx: &mut Tx<'_>, user: UserId, secret: &[u8], step: i64) -> Result<()> {
    let sealed = app.secrets().seal(&context(user), secret);
    crate::store::totp::set(tx, user, &sealed, step)
}

/// Takes a code. Of several tries with one code, also at the same time, one
/// is right: the step only grows.
pub fn take(app: &App, tx: &mut Tx<'_>, user: UserId, code: &str) -> Result<bool> {
    let Some(sealed) = crate::store::totp::sealed(tx, user)? else {
        return Ok(false);
    };
    let secret = app.secrets().unseal(&context(user), &sealed)?;
    let Some(step) = step_of(&secret, code, tx.now())? else {
        return Ok(false);
    };
    crate::store::totp::take_step(tx, user, step)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The secret of RFC 6238, appendix B.
    const RFC: &[u8] = b"12345678901234567890";

    fn at(second: i64) -> Timestamp {
        Timestamp::from_second(second).expect("a time")
    }

    #[test]
    fn codes_are_those_of_the_rfc() {
        for (second, code) in [
            (59, "287082"),
            (1_111_111_109, "081804"),
            (1_111_111_111, "050471"),
            (1_234_567_890, "005924"),
            (2_000_000_000, "279037"),
            (20_000_000_000, "353130"),
        ] {
            let step = step_of(RFC, code, at(second)).expect("a secret");
            assert_eq!(step, Some(second / 30), "{code}");
        }
    }

    #[test]
    fn a_clock_may_be_one_step_off() {
        let step = |second| step_of(RFC, "287082", at(second)).expect("a secret");
        assert_eq!(step(29), Some(1));
        assert_eq!(step(89), Some(1));
        assert_eq!(step(90), None);
        assert_eq!(step_of(RFC, "287083", at(59)).expect("a secret"), None);
    }

    #[test]
    fn a_code_may_be_typed_with_spaces() {
        assert_eq!(digits(" 123 456 ").as_deref(), Some("123456"));
        for bad in ["", "12345", "1234567", "12345x", "１２３４５６"] {
            assert_eq!(digits(bad), None, "{bad}");
        }
    }

    #[test]
    fn the_secret_is_written_for_apps() {
        assert_eq!(written(RFC), "GEZD GNBV GY3T QOJQ GEZD GNBV GY3T QOJQ");
        let address = address(RFC, "jane", "code.example:8443").expect("an address");
        assert!(
            address.starts_with("otpauth://totp/code.example%208443:jane?secret=GEZDGNBV"),
            "{address}"
        );
        assert!(picture(&address).expect("a picture").1.starts_with("M4,4"));
    }
}
