use super::*;

const ADVISORY: &str = r#"{
  "id": "OSV-1", "modified": "2026-01-02T00:00:00Z", "aliases": ["CVE-2026-1"],
  "summary": "Bad things", "details": "More",
  "severity": [{"type": "CVSS_V3", "score": "CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:U/C:H/I:H/A:H"}],
  "references": [{"type": "WEB", "url": "https://example.com/web"}, {"type": "ADVISORY", "url": "https://example.com/a"}],
  "database_specific": {"severity": "MODERATE"},
  "affected": [
    {"package": {"ecosystem": "PyPI", "name": "Typing_Extensions"},
     "ranges": [{"type": "ECOSYSTEM", "events": [{"introduced": "0"}, {"fixed": "1.2"}, {"introduced": "2.0"}, {"last_affected": "2.3"}]}],
     "versions": ["9.9"]},
    {"package": {"ecosystem": "Debian:12", "name": "curl"},
     "ranges": [{"type": "ECOSYSTEM", "events": [{"introduced": "0"}, {"fixed": "7.88.1-10+deb12u5"}]}]},
    {"package": {"ecosystem": "Unheard", "name": "x"}},
    {"package": {"ecosystem": "npm", "name": "a"}, "ranges": [{"type": "GIT", "events": [{"introduced": "0"}]},
      {"type": "SEMVER", "events": [{"fixed": "1.0.1"}, {"introduced": "1.0.0"}, {"limit": "1.0.5"}]}]}
  ]
}"#;

fn about(affected: &Affected, purl: &str) -> bool {
    let purl = crate::purl::normalise(purl).expect("a package URL");
    let package = Package::of_purl(&purl).expect("a package");
    let parts = crate::purl::parse(&purl).expect("parts");
    package.key() == affected.package.key() && affected.is_about(&purl, &parts)
}

#[test]
fn an_advisory_is_read() {
    let advisory = read(ADVISORY.as_bytes()).expect("valid");
    assert_eq!((advisory.id.as_str(), advisory.severity), ("OSV-1", Severity::Critical));
    assert_eq!(advisory.score, Some(9.8));
    assert_eq!(advisory.url.as_deref(), Some("https://example.com/a"));
    assert_eq!(advisory.summary.as_deref(), Some("Bad things"));
    assert!(!advisory.withdrawn);
    let kinds: Vec<&str> = advisory.affected.iter().map(|it| it.package.kind.as_str()).collect();
    assert_eq!(kinds, ["pypi", "deb", "npm"]);
    let withdrawn = r#"{"id":"a","modified":"b","withdrawn":"2026-01-01T00:00:00Z"}"#;
    assert!(read(withdrawn.as_bytes()).expect("valid").withdrawn);
    for wrong in ["", "[]", "{}", r#"{"id":"a"}"#, r#"{"id":1,"modified":"x"}"#] {
        assert!(read(wrong.as_bytes()).is_err(), "{wrong}");
    }
}

#[test]
fn versions_in_a_range_are_meant() {
    let advisory = read(ADVISORY.as_bytes()).expect("valid");
    let [python, debian, npm] = advisory.affected.as_slice() else {
        panic!("{advisory:?}")
    };
    for (version, meant) in [
        ("1.0", true),
        ("1.2", false),
        ("1.3", false),
        ("2.0", true),
        ("2.3.0", true),
        ("2.4", false),
        ("9.9.0", true),
    ] {
        let purl = format!("pkg:pypi/typing-extensions@{version}");
        assert_eq!(about(python, &purl), meant, "{version}");
    }
    for (version, meant) in [("0.9.0", false), ("1.0.0", true), ("1.0.1", false), ("latest", false)]
    {
        assert_eq!(about(npm, &format!("pkg:npm/a@{version}")), meant, "{version}");
    }
    let curl = |rest: &str| about(debian, &format!("pkg:deb/debian/curl@{rest}"));
    assert!(curl("7.88.1-10?distro=debian-12.5"));
    assert!(!curl("7.88.1-10+deb12u5?distro=debian-12.5"));
    assert!(!curl("7.88.1-10?distro=debian-11") && !curl("7.88.1-10"));
}

#[test]
fn names_that_mean_the_same_package_are_one() {
    for (purl, kind, name) in [
        ("pkg:pypi/a.b_c@1", "pypi", "A-B.C"),
        ("pkg:npm/%40Scope/a@1", "npm", "@scope/a"),
        ("pkg:maven/org.acme/a@1", "maven", "org.acme:a"),
        ("pkg:golang/github.com/A/b@1", "golang", "github.com/A/b"),
        ("pkg:composer/acme/a@1", "composer", "acme/a"),
    ] {
        let package = Package { kind: kind.into(), name: name.into() };
        let of_purl = Package::of_purl(purl).map(|it| it.key());
        assert_eq!(of_purl, Some(package.key()), "{purl}");
    }
}

#[test]
fn scores_are_those_of_the_calculator() {
    for (vector, score) in [
        ("CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:U/C:H/I:H/A:H", 9.8),
        ("CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:C/C:H/I:H/A:H", 10.0),
        ("CVSS:3.0/AV:N/AC:L/PR:N/UI:R/S:C/C:L/I:L/A:N", 6.1),
        ("CVSS:3.1/AV:L/AC:H/PR:H/UI:R/S:U/C:L/I:N/A:N", 1.8),
        ("CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:U/C:N/I:N/A:N", 0.0),
        ("CVSS:3.1/AV:N/AC:L/PR:L/UI:N/S:C/C:N/I:N/A:H", 7.7),
    ] {
        assert_eq!(base_score(vector), Some(score), "{vector}");
    }
    assert_eq!(base_score("CVSS:4.0/AV:N"), None);
    assert_eq!(base_score("CVSS:3.1/AV:N"), None);
}
