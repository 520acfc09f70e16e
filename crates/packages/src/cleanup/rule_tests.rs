use super::*;
use crate::model::Status;

const DAY: i64 = 24 * 60 * 60;

fn at(day: i64) -> Timestamp {
    Timestamp::from_second(day * DAY).unwrap()
}

/// A rule that says nothing but this.
pub(crate) fn rule(say: impl FnOnce(&mut Rule)) -> Rule {
    let mut rule = Rule {
        id: 1,
        project_id: Some(1),
        namespace_id: None,
        package_type: PackageType::Generic,
        enabled: true,
        keep_last: None,
        keep_name_regex: None,
        keep_version_regex: None,
        remove_name_regex: None,
        remove_version_regex: None,
        older_than_days: None,
        not_downloaded_days: None,
        never_downloaded: false,
        next_run_at: None,
        created_at: at(0),
        updated_at: at(0),
    };
    say(&mut rule);
    rule
}

/// Published on day 50, downloaded on day 80, the second newest of its name.
pub(crate) fn standing() -> Standing {
    Standing {
        id: 7,
        project_id: 1,
        name: "hammer".into(),
        name_key: "hammer".into(),
        version: "1.2.0".into(),
        package_type: PackageType::Generic,
        status: Status::Default,
        created_at: at(50),
        last_downloaded_at: Some(at(80)),
        place: 2,
        size: 10,
    }
}

/// Why it goes on day 100.
fn reasons(rule: &Rule, one: &Standing) -> Vec<String> {
    Judge::new(rule.clone(), at(100)).unwrap().reasons(one)
}

#[test]
fn a_version_goes_if_all_that_is_asked_is_true_of_it() {
    let text = |text: &str| Some(text.to_owned());
    let cases: [(Rule, &[&str]); 11] = [
        (rule(|it| it.keep_last = Some(2)), &[]),
        (rule(|it| it.keep_last = Some(1)), &["not among the newest 1 of its name"]),
        (rule(|it| it.older_than_days = Some(50)), &[]),
        (rule(|it| it.older_than_days = Some(49)), &["published more than 49 days ago"]),
        (rule(|it| it.not_downloaded_days = Some(20)), &[]),
        (rule(|it| it.not_downloaded_days = Some(19)), &["not downloaded for 19 days"]),
        (
            rule(|it| {
                it.never_downloaded = true;
                it.older_than_days = Some(1);
            }),
            &[],
        ),
        (rule(|it| it.remove_name_regex = text("ham")), &[]),
        (rule(|it| it.remove_name_regex = text("ham.*")), &["its name fits ham.*"]),
        (
            rule(|it| {
                it.remove_version_regex = text(r"1\..*");
                it.older_than_days = Some(1);
            }),
            &[r"its version fits 1\..*", "published more than 1 day ago"],
        ),
        (
            rule(|it| {
                it.remove_version_regex = text("2.*");
                it.older_than_days = Some(1);
            }),
            &[],
        ),
    ];
    for (rule, expected) in cases {
        assert_eq!(reasons(&rule, &standing()), expected, "{rule:?}");
    }
}

#[test]
fn what_was_never_downloaded_counts_from_its_publication() {
    let unused = Standing { last_downloaded_at: None, ..standing() };
    let never = rule(|it| {
        it.never_downloaded = true;
        it.older_than_days = Some(49);
    });
    assert_eq!(
        reasons(&never, &unused),
        ["published more than 49 days ago", "never downloaded"]
    );
    let for_days = |days| rule(|it| it.not_downloaded_days = Some(days));
    assert_eq!(reasons(&for_days(49), &unused), ["not downloaded for 49 days"]);
    assert!(reasons(&for_days(50), &unused).is_empty());
}

#[test]
fn what_is_kept_stays_whatever_else_is_true() {
    let all = rule(|it| it.older_than_days = Some(1));
    assert!(!reasons(&all, &standing()).is_empty());
    for kept in [
        Rule { keep_name_regex: Some("ham.*".into()), ..all.clone() },
        Rule {
            keep_version_regex: Some(r"\d+\.\d+\.0".into()),
            ..all.clone()
        },
    ] {
        assert!(reasons(&kept, &standing()).is_empty(), "{kept:?}");
    }
    let whole = Rule { keep_version_regex: Some("1".into()), ..all };
    assert!(!reasons(&whole, &standing()).is_empty(), "patterns fit whole texts");
}

#[test]
fn a_rule_has_to_say_what_goes() {
    let kept = rule(|it| it.keep_name_regex = Some("a".into()));
    let unused = rule(|it| {
        it.never_downloaded = true;
        it.not_downloaded_days = Some(9);
    });
    for bad in [
        rule(|_| {}),
        kept,
        unused,
        rule(|it| it.keep_last = Some(0)),
        rule(|it| it.keep_last = Some(10_001)),
        rule(|it| it.older_than_days = Some(-1)),
        rule(|it| it.older_than_days = Some(i64::MAX)),
        rule(|it| it.remove_name_regex = Some("(".into())),
        rule(|it| it.remove_name_regex = Some("(?=a)".into())),
        rule(|it| {
            it.keep_last = Some(1);
            it.keep_name_regex = Some("a".repeat(256));
        }),
    ] {
        assert!(bad.validate().is_err(), "{bad:?}");
    }
    assert!(rule(|it| it.keep_last = Some(1)).validate().is_ok());
}
