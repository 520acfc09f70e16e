//! How often one caller may ask (docs/interface/identity.md 8.2): four throttles, all
//! off until an administrator switches them on. Counted per node.

use super::reply::Response;
use super::route::Surface;
use crate::app::App;
use crate::limits::{Decision, Limiter, address_key};
use http::{HeaderName, HeaderValue};
use serde::{Deserialize, Serialize};
use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::{Arc, RwLock};

/// Left in the call by the gate: the id of the user who asks.
#[derive(Debug, Clone, Copy)]
pub struct Caller(pub i64);

/// One throttle as administrators set it.
#[derive(Debug, Clone, Copy, Serialize, Deserialize, PartialEq, Eq)]
pub struct Rule {
    /// Whether it counts at all.
    pub enabled: bool,
    /// Requests within one period.
    pub requests_per_period: u64,
    /// Length of the period.
    pub period_in_seconds: u64,
}

impl Rule {
    /// Switched off, and so many requests an hour once it is on.
    fn off(requests_per_period: u64) -> Rule {
        Rule { enabled: false, requests_per_period, period_in_seconds: 3600 }
    }
}

kernel::setting! {
    /// The four throttles.
    pub struct ThrottleRules = "throttles" {
        /// API calls without credentials, per address.
        pub unauthenticated_api: Rule = Rule::off(3600),
        /// API calls of one user.
        pub authenticated_api: Rule = Rule::off(7200),
        /// Pages without a session, per address.
        pub unauthenticated_web: Rule = Rule::off(3600),
        /// Pages of one user.
        pub authenticated_web: Rule = Rule::off(7200),
    }
}

/// The counters behind the rules.
#[derive(Default)]
pub struct Throttles(RwLock<HashMap<&'static str, (Rule, Arc<Limiter>)>>);

impl Throttles {
    /// Counts one request; `None` when no throttle is switched on for it.
    pub async fn count(
        &self, app: &App, surface: Surface, caller: Option<Caller>, peer: IpAddr,
    ) -> Option<Decision> {
        if surface == Surface::Plain {
            // Health and metrics are told while nothing else is.
            return None;
        }
        // Rules that cannot be read must not close the door to everyone.
        let rules: ThrottleRules = app.settings().get(app).await.ok()?;
        let (name, rule) = match (surface, caller) {
            (Surface::Plain, _) => return None,
            (Surface::Api | Surface::Graphql, None) => {
                ("throttle_unauthenticated_api", rules.unauthenticated_api)
            }
            (Surface::Api | Surface::Graphql, Some(_)) => {
                ("throttle_authenticated_api", rules.authenticated_api)
            }
            (Surface::Page, None) => ("throttle_unauthenticated_web", rules.unauthenticated_web),
            (Surface::Page, Some(_)) => ("throttle_authenticated_web", rules.authenticated_web),
        };
        if !rule.enabled {
            return None;
        }
        let key = caller.map_or_else(|| address_key(peer), |caller| caller.0.to_string());
        Some(self.limiter(name, rule).check(&key, app.now()))
    }

    /// The limiter of a rule; a changed rule starts counting anew.
    fn limiter(&self, name: &'static str, rule: Rule) -> Arc<Limiter> {
        let same = |known: &Rule| *known == rule;
        if let Ok(limiters) = self.0.read()
            && let Some((_, limiter)) = limiters.get(name).filter(|(known, _)| same(known))
        {
            return limiter.clone();
        }
        let period = rule.period_in_seconds.max(1);
        let fresh = Arc::new(Limiter::new(name, rule.requests_per_period, period));
        if let Ok(mut limiters) = self.0.write() {
            limiters.insert(name, (rule, fresh.clone()));
        }
        fresh
    }
}

/// Tells the caller where they stand.
pub fn write_headers(decision: &Decision, response: &mut Response) {
    let mut set = |name: &'static str, value: String| {
        if let Ok(value) = HeaderValue::from_str(&value) {
            response.headers_mut().insert(HeaderName::from_static(name), value);
        }
    };
    set("ratelimit-limit", decision.limit_per_minute.to_string());
    set("ratelimit-name", decision.name.to_owned());
    set("ratelimit-observed", decision.observed.to_string());
    set("ratelimit-remaining", decision.remaining.to_string());
    set("ratelimit-reset", decision.reset_at.as_second().to_string());
    if !decision.allowed {
        let date = decision.reset_at.strftime("%a, %d %b %Y %H:%M:%S GMT");
        set("ratelimit-resettime", date.to_string());
        set("retry-after", decision.retry_after.to_string());
    }
}
