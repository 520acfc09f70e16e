//! Media types of requests and answers.

/// The usual type of an answer.
const JSON: &str = "application/json; charset=utf-8";
/// The type with strict statuses (GraphQL over HTTP).
const STRICT: &str = "application/graphql-response+json; charset=utf-8";

/// The type of an answer, refusals of the whole request too.
pub const fn answer(strict: bool) -> &'static str {
    if strict { STRICT } else { JSON }
}

/// Whether `Accept` prefers the strict type to plain JSON.
pub fn is_strict(accept: Option<&str>) -> bool {
    let accept = accept.unwrap_or_default();
    let strict = quality(accept, "application/graphql-response+json");
    let plain = quality(accept, "application/json");
    match (strict, plain) {
        (Some((strict, at)), Some((plain, other))) => {
            strict > plain || (strict == plain && at < other)
        }
        (Some((strict, _)), None) => strict > 0.0,
        (None, _) => false,
    }
}

/// Weight and place of a type that is named in full.
fn quality(accept: &str, wanted: &str) -> Option<(f32, usize)> {
    accept.split(',').enumerate().find_map(|(place, range)| {
        let mut parts = range.split(';').map(str::trim);
        let named = parts.next()?.eq_ignore_ascii_case(wanted);
        let weight = parts.find_map(|part| part.strip_prefix("q=")?.parse().ok());
        named.then(|| (weight.unwrap_or(1.0), place))
    })
}

/// The type in `Content-Type`, without parameters, in lower case.
pub fn essence(kind: Option<&str>) -> Option<String> {
    let kind = kind?.split(';').next()?.trim().to_ascii_lowercase();
    (!kind.is_empty()).then_some(kind)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_strict_type_is_used_where_it_is_preferred() {
        let strict = "application/graphql-response+json";
        let cases = [
            (None, false),
            (Some("*/*"), false),
            (Some("application/json"), false),
            (Some(strict), true),
            (Some("application/graphql-response+json;charset=utf-8"), true),
            (Some("application/graphql-response+json, application/json"), true),
            (Some("application/json, application/graphql-response+json"), false),
            (Some("application/json;q=0.5, application/graphql-response+json"), true),
            (Some("application/graphql-response+json; q=0.1, application/json"), false),
            (Some("application/graphql-response+json;q=0"), false),
        ];
        for (accept, wanted) in cases {
            assert_eq!(is_strict(accept), wanted, "{accept:?}");
        }
    }
}
