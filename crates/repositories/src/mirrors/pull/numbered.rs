//! Refs beside branches and tags that come from elsewhere: those of merge requests, which
//! have a number in their names and other names there.

use crate::formats::ref_name::RefName;

/// What they are called there and here, a `*` in the place of the number.
pub type Numbered = &'static [(&'static str, &'static str)];

/// The number in a name of this kind.
pub fn number<'n>(kind: &str, name: &'n RefName) -> Option<&'n str> {
    let (before, after) = kind.split_once('*')?;
    let number = name.as_str().strip_prefix(before)?.strip_suffix(after)?;
    let is_number = !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit());
    is_number.then_some(number)
}

/// What a ref of one of these kinds is called here.
pub fn named(there: &RefName, numbered: Numbered) -> Option<RefName> {
    numbered.iter().find_map(|(from, to)| {
        let number = number(from, there)?;
        to.replace('*', number).parse().ok()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn heads_of_merge_requests_have_their_names_here() {
        const KINDS: Numbered = &[
            ("refs/pull/*/head", "refs/merge-requests/*/head"),
            ("refs/pull-requests/*/from", "refs/merge-requests/*/head"),
        ];
        let here = |text: &str| {
            let there: RefName = text.parse().expect("a name");
            named(&there, KINDS).map(|name| name.to_string())
        };
        let head = Some("refs/merge-requests/12/head".to_owned());
        assert_eq!(here("refs/pull/12/head"), head);
        assert_eq!(here("refs/pull-requests/12/from"), head);
        for other in [
            "refs/pull/12/merge",
            "refs/pull/a/head",
            "refs/pull/1/2/head",
            "refs/heads/pull/12/head",
        ] {
            assert_eq!(here(other), None, "{other}");
        }
    }
}
