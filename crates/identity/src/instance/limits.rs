//! The part of `/application/settings` about how often callers may ask.

use crate::settings::Part;
use kernel::app::App;
use kernel::error::{Error, Result};
use kernel::http::params::FromParams;
use kernel::http::throttle::{Rule, ThrottleRules};
use serde_json::{Map, Value, json};
use store::Tx;

/// Most requests of a period, and most seconds of it (a year).
const MOST: i64 = 31_536_000;

/// One throttle in what was sent: on or off, requests, seconds.
type Sent = (Option<bool>, Option<i64>, Option<i64>);

macro_rules! throttles {
    ($($field:ident: $name:literal $enabled:ident $requests:ident $period:ident;)*) => {
        kernel::params! {
            struct Limits {
                $(
                    /// Whether this throttle counts at all.
                    pub $enabled: Option<bool>,
                    /// Requests one period allows.
                    pub $requests: Option<i64>,
                    /// Seconds of a period.
                    pub $period: Option<i64>,
                )*
            }
        }

        /// Each throttle with its name and what was sent for it.
        fn each<'r>(
            rules: &'r mut ThrottleRules,
            sent: &Limits,
        ) -> Vec<(&'static str, &'r mut Rule, Sent)> {
            vec![$((
                $name,
                &mut rules.$field,
                (sent.$enabled, sent.$requests, sent.$period),
            )),*]
        }

        fn rules(rules: &ThrottleRules) -> Vec<(&'static str, Rule)> {
            vec![$(($name, rules.$field)),*]
        }
    };
}

throttles! {
    unauthenticated_api: "throttle_unauthenticated_api"
        throttle_unauthenticated_api_enabled
        throttle_unauthenticated_api_requests_per_period
        throttle_unauthenticated_api_period_in_seconds;
    unauthenticated_web: "throttle_unauthenticated_web"
        throttle_unauthenticated_web_enabled
        throttle_unauthenticated_web_requests_per_period
        throttle_unauthenticated_web_period_in_seconds;
    authenticated_api: "throttle_authenticated_api"
        throttle_authenticated_api_enabled
        throttle_authenticated_api_requests_per_period
        throttle_authenticated_api_period_in_seconds;
    authenticated_web: "throttle_authenticated_web"
        throttle_authenticated_web_enabled
        throttle_authenticated_web_requests_per_period
        throttle_authenticated_web_period_in_seconds;
}

pub const PART: Part = Part {
    fields: Limits::fields,
    check: |source| Limits::from_params(source).map(drop),
    read,
    write: |app, tx, source| {
        let sent = Limits::from_params(source).map_err(Error::Parameters)?;
        apply(app, tx, &sent)
    },
};

fn read(tx: &mut Tx<'_>, into: &mut Map<String, Value>) -> Result<()> {
    let throttles: ThrottleRules = kernel::settings::read(tx)?;
    for (name, rule) in rules(&throttles) {
        into.insert(format!("{name}_enabled"), json!(rule.enabled));
        into.insert(
            format!("{name}_requests_per_period"),
            json!(rule.requests_per_period),
        );
        into.insert(
            format!("{name}_period_in_seconds"),
            json!(rule.period_in_seconds),
        );
    }
    Ok(())
}

/// Stores what was sent. Every node follows within seconds.
fn apply(app: &App, tx: &mut Tx<'_>, sent: &Limits) -> Result<()> {
    let mut throttles: ThrottleRules = kernel::settings::read(tx)?;
    for (name, rule, (enabled, requests, period)) in each(&mut throttles, sent) {
        rule.enabled = enabled.unwrap_or(rule.enabled);
        if let Some(requests) = requests {
            rule.requests_per_period = positive(name, "requests_per_period", requests)?;
        }
        if let Some(period) = period {
            rule.period_in_seconds = positive(name, "period_in_seconds", period)?;
        }
    }
    app.settings().set(tx, &throttles)
}

/// A limit of nothing would lock everyone out, administrators too.
fn positive(name: &str, what: &str, value: i64) -> Result<u64> {
    u64::try_from(value)
        .ok()
        .filter(|_| (1..=MOST).contains(&value))
        .ok_or_else(|| {
            let message = format!("must be between 1 and {MOST}");
            Error::invalid(&format!("{name}_{what}"), message)
        })
}
