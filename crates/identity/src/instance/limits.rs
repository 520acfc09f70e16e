//! The part of `/application/settings` about how often callers may ask.

use crate::settings::Part;
use kernel::app::App;
use kernel::error::{Error, Result};
use kernel::http::params::{Field, Param, Source, take};
use kernel::http::throttle::{Rule, ThrottleRules};
use serde_json::{Map, Value, json};
use store::Tx;

/// Most requests of a period, and most seconds of it (a year).
const MOST: i64 = 31_536_000;

/// A throttle, and the keys of what may be changed about it.
struct Throttle {
    enabled: &'static str,
    requests: &'static str,
    seconds: &'static str,
    rule: fn(&mut ThrottleRules) -> &mut Rule,
}

macro_rules! throttles {
    ($($field:ident: $name:literal,)*) => {
        &[$(Throttle {
            enabled: concat!($name, "_enabled"),
            requests: concat!($name, "_requests_per_period"),
            seconds: concat!($name, "_period_in_seconds"),
            rule: |rules| &mut rules.$field,
        }),*]
    };
}

const THROTTLES: &[Throttle] = throttles! {
    unauthenticated_api: "throttle_unauthenticated_api",
    unauthenticated_web: "throttle_unauthenticated_web",
    authenticated_api: "throttle_authenticated_api",
    authenticated_web: "throttle_authenticated_web",
};

pub const PART: Part = Part {
    fields: || THROTTLES.iter().flat_map(Throttle::fields).collect(),
    check: |source| {
        let mut wrong = Vec::new();
        for throttle in THROTTLES {
            throttle.sent(source, &mut wrong);
        }
        match wrong.is_empty() {
            true => Ok(()),
            false => Err(wrong),
        }
    },
    read,
    write,
};

impl Throttle {
    fn fields(&self) -> Vec<Field> {
        let on = "Whether this throttle counts at all.";
        let mut fields = Option::<bool>::declared(self.enabled, on);
        let requests = "Requests one period allows.";
        fields.extend(Option::<i64>::declared(self.requests, requests));
        let seconds = "Seconds of a period.";
        fields.extend(Option::<i64>::declared(self.seconds, seconds));
        fields
    }

    /// What was sent for it: on or off, requests, seconds.
    fn sent(
        &self, source: &Source, wrong: &mut Vec<String>,
    ) -> (Option<bool>, Option<i64>, Option<i64>) {
        let enabled: Option<Option<bool>> = take(source, self.enabled, wrong);
        let mut number = |key| take::<Option<i64>>(source, key, wrong).flatten();
        let (requests, seconds) = (number(self.requests), number(self.seconds));
        (enabled.flatten(), requests, seconds)
    }
}

fn read(tx: &mut Tx<'_>, into: &mut Map<String, Value>) -> Result<()> {
    let mut rules: ThrottleRules = kernel::settings::read(tx)?;
    for throttle in THROTTLES {
        let rule = (throttle.rule)(&mut rules);
        into.insert(throttle.enabled.into(), json!(rule.enabled));
        into.insert(throttle.requests.into(), json!(rule.requests_per_period));
        into.insert(throttle.seconds.into(), json!(rule.period_in_seconds));
    }
    Ok(())
}

/// Stores what was sent. Every node follows within seconds.
fn write(app: &App, tx: &mut Tx<'_>, source: &Source) -> Result<()> {
    let mut rules: ThrottleRules = kernel::settings::read(tx)?;
    for throttle in THROTTLES {
        let (enabled, requests, seconds) = throttle.sent(source, &mut Vec::new());
        let rule = (throttle.rule)(&mut rules);
        rule.enabled = enabled.unwrap_or(rule.enabled);
        if let Some(requests) = requests {
            rule.requests_per_period = positive(throttle.requests, requests)?;
        }
        if let Some(seconds) = seconds {
            rule.period_in_seconds = positive(throttle.seconds, seconds)?;
        }
    }
    app.settings().set(tx, &rules)
}

/// A limit of nothing would lock everyone out, administrators too.
fn positive(key: &str, value: i64) -> Result<u64> {
    let fitting = u64::try_from(value).ok();
    let fitting = fitting.filter(|_| (1..=MOST).contains(&value));
    fitting.ok_or_else(|| Error::invalid(key, format!("must be between 1 and {MOST}")))
}
