//! What every source does with the lists that it reads.

use crate::model::{Kind, Object};
use crate::run::{Credentials, Lost, Page, Trouble};
use crate::upstream::{Auth, Failed, Items};
use kernel::error::Error;
use kernel::secrets::Secret;
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};
use serde::Serialize;
use serde::de::DeserializeOwned;
use url::Url;

/// What a part of a path may hold as it is.
const PLAIN: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'.').remove(b'_').remove(b'~');

const WRONG_CURSOR: &str = "What was noted of where the import stands cannot be read.";

/// Puts the things of a list into a page, in our words; what cannot be read, or is wrong, is
/// lost alone. `key` names a thing among those of its kind, `objects` says what it becomes, or
/// what is wrong with it.
pub fn read<T>(
    page: &mut Page, kind: Kind, items: Items<T>, key: impl Fn(&T) -> String,
    mut objects: impl FnMut(&T) -> Result<Vec<Object>, String>,
) {
    for item in items.0 {
        match item {
            Ok(it) => match objects(&it) {
                Ok(read) => page.objects.extend(read),
                Err(reason) => page.lost.push(Lost { kind, key: key(&it), reason }),
            },
            Err(wrong) => page.lost.push(Lost { kind, key: wrong.key, reason: wrong.reason }),
        }
    }
}

/// What proves who asks by a user name and a password or token.
pub fn basic(credentials: &Credentials) -> Auth {
    Auth::Basic {
        username: credentials.username.clone().unwrap_or_default(),
        password: Secret::new(credentials.secret.clone()),
    }
}

/// A text as one part of a path.
pub fn part(text: &str) -> String {
    utf8_percent_encode(text, PLAIN).to_string()
}

/// The name of the server at an address, with its port where that is not the usual one.
pub fn host_of(url: &str) -> String {
    let url = Url::parse(url).ok();
    let host = url.as_ref().and_then(Url::host_str).unwrap_or_default();
    match url.as_ref().and_then(Url::port) {
        Some(port) => format!("{host}:{port}"),
        None => host.to_owned(),
    }
}

/// Whether a text can be an owner and a repository, and nothing else of an interface.
pub fn is_origin(text: &str) -> bool {
    let is_part = |part: &str| !matches!(part.trim(), "" | "." | "..");
    text.split('/').count() == 2 && text.split('/').all(is_part)
}

/// As upstream would refuse what it does not have.
pub fn absent() -> Failed {
    Failed::Status { status: 404, body: String::new() }
}

/// A place of a source's own making as the text of a cursor.
pub fn cursor<T: Serialize>(place: &T) -> Result<String, Trouble> {
    serde_json::to_string(place).map_err(|error| Error::internal(error).into())
}

/// Such a place again.
pub fn place<T: DeserializeOwned>(cursor: &str) -> Result<T, Trouble> {
    serde_json::from_str(cursor).map_err(|_| Trouble::Refused(WRONG_CURSOR.into()))
}

/// A failure as imports take it, in words for people.
pub fn trouble(failed: Failed, told: fn(&Failed) -> String) -> Trouble {
    let text = told(&failed);
    match Trouble::from(failed) {
        Trouble::Refused(_) => Trouble::Refused(text),
        Trouble::Away(_) => Trouble::Away(text),
        other => other,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::Member;

    #[test]
    fn what_cannot_be_read_is_lost_alone() {
        let text = r#"[{"id": "1", "username": "a"}, {"id": 2}, {"id": "3", "username": "c"}]"#;
        let items = serde_json::from_str::<Items<crate::model::Person>>(text).expect("a list");
        let mut page = Page::default();
        let member = |who: &crate::model::Person| match who.id.as_str() {
            "3" => Err("It is wrong.".to_owned()),
            _ => Ok(vec![Object::Member(Member {
                who: who.clone(),
                access_level: 10,
                expires_at: None,
            })]),
        };
        read(&mut page, Kind::Collaborator, items, |who| who.id.clone(), member);
        assert_eq!(page.objects.len(), 1);
        let keys: Vec<&str> = page.lost.iter().map(|lost| lost.key.as_str()).collect();
        assert_eq!(keys, ["2", "3"]);
    }

    #[test]
    fn servers_and_repositories_are_named() {
        assert_eq!(host_of("https://code.example/api"), "code.example");
        assert_eq!(host_of("http://127.0.0.1:7990"), "127.0.0.1:7990");
        assert_eq!(host_of("?"), "");
        assert_eq!(part("~ada/a.b c"), "~ada%2Fa.b%20c");
        assert!(is_origin("KEY/slug") && is_origin("~ada/a.b"));
        for bad in ["", "a", "a/", "/a", "a/b/c", "../b", "a/..", "a/."] {
            assert!(!is_origin(bad), "{bad}");
        }
    }

    #[test]
    fn places_are_read_again() {
        let text = cursor(&(1, "x".to_owned())).expect("a cursor");
        assert_eq!(place::<(i64, String)>(&text).expect("a place"), (1, "x".to_owned()));
        assert!(matches!(place::<i64>("?"), Err(Trouble::Refused(_))));
    }
}
