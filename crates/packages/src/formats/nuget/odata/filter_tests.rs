use super::*;
use crate::formats::nuget::entries::Entry;
use crate::formats::nuget::nuspec::Nuspec;
use crate::formats::nuget::odata::eval::sort;
use crate::keys::nuget::Number;
use crate::samples;
use crate::store::index::Version;
use jiff::Timestamp;

/// A version with a file of 100 bytes.
fn entry(name: &str, version: &str) -> Entry {
    let at: Timestamp = "2031-05-06T12:00:00Z".parse().unwrap();
    Entry {
        row: Version {
            created_at: at,
            updated_at: at,
            ..samples::version(name, version)
        },
        nuspec: Nuspec { description: "Strikes hard".into(), ..Nuspec::default() },
        number: Number::parse(version).unwrap(),
        file: samples::indexed(samples::file(""), None),
        is_latest: true,
        is_absolute_latest: false,
    }
}

fn holds(text: &str) -> bool {
    let node = condition(text).unwrap().unwrap();
    node.holds(&entry("Acme.Hammer", "1.0.0-Beta"))
}

#[test]
fn what_clients_ask_is_answered() {
    for text in [
        "IsLatestVersion",
        "IsLatestVersion eq true",
        "tolower(Id) eq 'acme.hammer'",
        "(tolower(Id) eq 'acme.hammer')",
        "((((Id ne null) and (tolower(Id) eq 'acme.hammer')) or (tolower(Id) eq 'b')) and IsPrerelease) and IsLatestVersion",
        "Id eq 'Acme.Hammer' and Version eq '1.0.0-Beta'",
        "not IsAbsoluteLatestVersion",
        "not (Id eq 'b') and IsLatestVersion",
        "substringof('hamm', tolower(Id)) or substringof('x', Description)",
        "startswith(tolower(Id), 'acme.') and endswith(Id,'Hammer')",
        "indexof(Id, 'Hammer') eq 5",
        "length(trim(' a ')) eq 1 and concat('it''s', '') eq 'it''s'",
        "PackageSize ge 100L and PackageSize lt 101 and DownloadCount le 0",
        "Published gt datetime'2031-05-06T11:59:59.9' and Created le datetime'2031-05-06T12:00:00Z'",
        "Title eq Id",
        "false or false or true",
        "true or true and false",
        "'a' lt 'b'",
    ] {
        assert!(holds(text), "{text}");
    }
    for text in [
        "IsAbsoluteLatestVersion",
        "Id eq 'acme.hammer'",
        "Id eq null",
        "Id eq 1",
        "tolower(1) eq 'a'",
        "not Id",
        "Id",
        "not true or false",
        "Published lt datetime'2031-05-06T12:00:00'",
    ] {
        assert!(!holds(text), "{text}");
    }
    assert_eq!(condition("  ").unwrap(), None);
}

#[test]
fn a_condition_may_name_one_package() {
    let name = |text: &str| {
        let node = condition(text).unwrap().unwrap();
        node.name().map(str::to_owned)
    };
    for text in [
        "tolower(Id) eq 'hammer'",
        "IsLatestVersion and ('hammer' eq Id)",
        "(Id ne null) and (toupper(Id) eq 'hammer') and true",
    ] {
        assert_eq!(name(text).as_deref(), Some("hammer"), "{text}");
    }
    for text in ["Id eq 'hammer' or Id eq 'nail'", "not (Id eq 'hammer')", "Title eq 'hammer'"] {
        assert_eq!(name(text), None, "{text}");
    }
}

#[test]
fn what_cannot_be_understood_is_refused() {
    let deep = format!("{}Id eq 'a'{}", "(".repeat(100), ")".repeat(100));
    let nots = format!("{}true", "not ".repeat(500));
    let many = ["true"; 1500].join(" or ");
    for text in [
        "Id eq",
        "eq 'a'",
        "Id 'a'",
        "(Id eq 'a'",
        "Id eq 'a')",
        "Id eq 'a",
        "Password eq 'a'",
        "sleep(5) eq 1",
        "tolower(Id",
        "tolower(Id, Id) eq 'a'",
        "startswith(Id) eq 'a'",
        "Id eq 99999999999999999999",
        "Id eq datetime'never'",
        "Id eq 'a'; drop table packages",
        &deep,
        &nots,
        &many,
    ] {
        assert!(matches!(condition(text), Err(Error::BadRequest(_))), "{text}");
        assert!(matches!(order(text), Err(Error::BadRequest(_))), "{text}");
    }
    for text in ["Id up", "Id,", ",", "Id desc asc"] {
        assert!(matches!(order(text), Err(Error::BadRequest(_))), "{text}");
    }
}

#[test]
fn an_order_is_followed_key_by_key() {
    let sorted = |text: &str| {
        let mut all = vec![entry("b", "1.9.0"), entry("A", "1.0.0"), entry("b", "1.10.0")];
        sort(&mut all, &order(text).unwrap());
        let shown = all.iter().map(|one| format!("{} {}", one.row.name, one.version()));
        shown.collect::<Vec<_>>().join(", ")
    };
    assert_eq!(sorted("Id"), "A 1.0.0, b 1.9.0, b 1.10.0");
    assert_eq!(sorted("Id desc,Version desc"), "b 1.10.0, b 1.9.0, A 1.0.0");
    assert_eq!(sorted("DownloadCount desc,concat(Title,Id) asc"), "A 1.0.0, b 1.9.0, b 1.10.0");
    assert_eq!(sorted(""), "b 1.9.0, A 1.0.0, b 1.10.0");
}

#[test]
fn texts_given_to_functions_lose_their_quotes() {
    for (sent, meant) in
        [("'a'", "a"), ("a", "a"), ("''", ""), ("", ""), ("'it''s'", "it's"), ("'", "'")]
    {
        assert_eq!(quoted(sent), meant);
    }
}
