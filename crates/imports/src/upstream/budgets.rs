//! How much upstream lets be asked: what it says of that holds for all who ask with the same
//! credentials, whatever import they work on.

use super::text;
use http::{HeaderMap, StatusCode};
use jiff::SignedDuration;
use jiff::fmt::rfc2822;
use kernel::outbound::Answer;
use kernel::time::Timestamp;
use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

/// Calls that are left to others who use the same credentials.
const LEFT: i64 = 50;
/// How long is waited behind what upstream says.
const BEHIND: SignedDuration = SignedDuration::from_secs(5);
/// How long is waited where upstream does not say how long.
const USUAL: SignedDuration = SignedDuration::from_secs(60);
/// How long is waited at most before it is asked again.
const MOST: i64 = 6 * 60 * 60;
/// Above this a time is one in milliseconds.
const MILLISECONDS: i64 = 100_000_000_000;

/// Until when those wait who ask with some credentials, by the digest of these.
#[derive(Default)]
pub struct Budgets(Mutex<HashMap<[u8; 32], Timestamp>>);

impl Budgets {
    /// Until when nothing is asked.
    pub fn closed_until(&self, account: &[u8; 32], now: Timestamp) -> Option<Timestamp> {
        let closed = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        closed.get(account).copied().filter(|until| *until > now)
    }

    /// Notes what an answer says of the budget; until when to wait, if it is a refusal for
    /// that.
    pub fn note(&self, account: [u8; 32], answer: &Answer, now: Timestamp) -> Option<Timestamp> {
        let wait = wait(answer.status, &answer.headers, now);
        if let Some(until) = wait.or_else(|| low(&answer.headers, now)) {
            let mut closed = self.0.lock().unwrap_or_else(PoisonError::into_inner);
            closed.retain(|_, until| *until > now);
            closed.insert(account, until);
        }
        wait
    }
}

/// Until when to wait after a refusal, if that is what it asks for.
fn wait(status: StatusCode, headers: &HeaderMap, now: Timestamp) -> Option<Timestamp> {
    let refused = matches!(status.as_u16(), 403 | 429 | 503);
    let none_left = number(headers, "x-ratelimit-remaining") == Some(0);
    let later = retry_after(headers, now);
    let reset =
        || reset(headers, now).filter(|_| none_left && status != StatusCode::SERVICE_UNAVAILABLE);
    let usual = || (status == StatusCode::TOO_MANY_REQUESTS).then(|| within(now, USUAL));
    later.or_else(reset).filter(|_| refused).or_else(usual)
}

/// Until when to wait because little is left.
fn low(headers: &HeaderMap, now: Timestamp) -> Option<Timestamp> {
    let left = number(headers, "x-ratelimit-remaining")?;
    reset(headers, now).filter(|_| left < LEFT)
}

fn number(headers: &HeaderMap, name: &str) -> Option<i64> {
    text(headers, name)?.trim().parse().ok()
}

/// When the budget is whole again, and a little behind that.
fn reset(headers: &HeaderMap, now: Timestamp) -> Option<Timestamp> {
    let at = match number(headers, "x-ratelimit-reset")? {
        milliseconds if milliseconds > MILLISECONDS => milliseconds / 1000,
        seconds => seconds,
    };
    let at = Timestamp::from_second(at).ok()?;
    Some(within(now, at.duration_since(now) + BEHIND)).filter(|until| *until > now)
}

fn retry_after(headers: &HeaderMap, now: Timestamp) -> Option<Timestamp> {
    let said = text(headers, "retry-after")?.trim();
    let pause = match said.parse::<i64>() {
        Ok(seconds) => SignedDuration::from_secs(seconds),
        Err(_) => rfc2822::parse(said).ok()?.timestamp().duration_since(now),
    };
    Some(within(now, pause.max(SignedDuration::from_secs(1))))
}

/// So much later, but not too late.
fn within(now: Timestamp, pause: SignedDuration) -> Timestamp {
    now + SignedDuration::from_secs(pause.as_secs().clamp(0, MOST))
}

#[cfg(test)]
mod tests {
    use super::*;
    use http::{HeaderName, HeaderValue};

    fn headers(all: &[(&'static str, &str)]) -> HeaderMap {
        let one = |(name, value): &(&'static str, &str)| {
            let value = HeaderValue::from_str(value).expect("a value");
            (HeaderName::from_static(name), value)
        };
        all.iter().map(one).collect()
    }

    fn now() -> Timestamp {
        Timestamp::from_second(1_800_000_000).expect("a time")
    }

    #[test]
    fn upstream_says_how_long_to_wait() {
        let seconds = |status: u16, all: &[(&'static str, &str)]| {
            let status = StatusCode::from_u16(status).expect("a status");
            wait(status, &headers(all), now()).map(|until| until.duration_since(now()).as_secs())
        };
        let reset = [("x-ratelimit-remaining", "0"), ("x-ratelimit-reset", "1800000100")];
        for (status, all, expected) in [
            (429, vec![("retry-after", "30")], Some(30)),
            (403, vec![("retry-after", "0")], Some(1)),
            (503, vec![("retry-after", "Fri, 15 Jan 2027 08:01:00 GMT")], Some(60)),
            (403, reset.to_vec(), Some(105)),
            (429, reset.to_vec(), Some(105)),
            (429, vec![("retry-after", "99999999999")], Some(MOST)),
            (429, vec![("retry-after", "soon")], Some(60)),
            (429, vec![], Some(60)),
            (403, vec![], None),
            (503, vec![], None),
            (200, reset.to_vec(), None),
        ] {
            assert_eq!(seconds(status, &all), expected, "{status} {all:?}");
        }
    }

    #[test]
    fn a_little_is_left_to_others() {
        let closed = |left: &str, reset: &str| {
            let all = headers(&[("x-ratelimit-remaining", left), ("x-ratelimit-reset", reset)]);
            low(&all, now()).map(|until| until.duration_since(now()).as_secs())
        };
        assert_eq!(closed("49", "1800000010"), Some(15));
        assert_eq!(closed("49", "1800000010000"), Some(15));
        assert_eq!(closed("50", "1800000010"), None);
        assert_eq!(closed("1", "1700000000"), None);
        assert_eq!(closed("1", "9999999999999999"), None);
        assert_eq!(closed("x", "1800000010"), None);
    }
}
