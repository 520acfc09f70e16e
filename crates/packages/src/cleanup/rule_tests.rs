use super::*;
use crate::model::Status;

const DAY: i64 = 24 * 60 * 60;

fn at(day: i64) -> Timestamp {
    Timestamp::from_second(day * DAY).unwrap()
}

fn rule() -> Rule {
    Rule {
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
    }
}

/// Published on day 50, downloaded on day 80, the second newest of its name.
fn standing() -> Standing {
    Standing {
        id: 7,
        project_id: 1,
        name: "hammer".into(),
        name_key: "hammer".into(),
        version: "1.2.0".into(),
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
        (
            Rule {
                keep_last: Some(2),
                ..rule()
            },
            &[],
        ),
        (
            Rule {
                keep_last: Some(1),
                ..rule()
            },
            &["not among the newest 1 of its name"],
        ),
        (
            Rule {
                older_than_days: Some(50),
                ..rule()
            },
            &[],
        ),
        (
            Rule {
                older_than_days: Some(49),
                ..rule()
            },
            &["published more than 49 days ago"],
        ),
        (
            Rule {
                not_downloaded_days: Some(20),
                ..rule()
            },
            &[],
        ),
        (
            Rule {
                not_downloaded_days: Some(19),
                ..rule()
            },
            &["not downloaded for 19 days"],
        ),
        (
            Rule {
                never_downloaded: true,
                older_than_days: Some(1),
                ..rule()
            },
            &[],
        ),
        (
            Rule {
                remove_name_regex: text("ham"),
                ..rule()
            },
            &[],
        ),
        (
            Rule {
                remove_name_regex: text("ham.*"),
                ..rule()
            },
            &["its name fits ham.*"],
        ),
        (
            Rule {
                remove_version_regex: text(r"1\..*"),
                older_than_days: Some(1),
                ..rule()
            },
            &[r"its version fits 1\..*", "published more than 1 day ago"],
        ),
        (
            Rule {
                remove_version_regex: text("2.*"),
                older_than_days: Some(1),
                ..rule()
            },
            &[],
        ),
    ];
    for (rule, expected) in cases {
        assert_eq!(reasons(&rule, &standing()), expected, "{rule:?}");
    }
}

#[test]
fn what_was_never_downloaded_counts_from_its_publication() {
    let unused = Standing {
        last_downloaded_at: None,
        ..standing()
    };
    let never = Rule {
        never_downloaded: true,
        older_than_days: Some(49),
        ..rule()
    };
    assert_eq!(
        reasons(&never, &unused),
        ["published more than 49 days ago", "never downloaded"]
    );
    let for_days = |days| Rule {
        not_downloaded_days: Some(days),
        ..rule()
    };
    assert_eq!(
        reasons(&for_days(49), &unused),
        ["not downloaded for 49 days"]
    );
    assert!(reasons(&for_days(50), &unused).is_empty());
}

#[test]
fn what_is_kept_stays_whatever_else_is_true() {
    let all = Rule {
        older_than_days: Some(1),
        ..rule()
    };
    assert!(!reasons(&all, &standing()).is_empty());
    for kept in [
        Rule {
            keep_name_regex: Some("ham.*".into()),
            ..all.clone()
        },
        Rule {
            keep_version_regex: Some(r"\d+\.\d+\.0".into()),
            ..all.clone()
        },
    ] {
        assert!(reasons(&kept, &standing()).is_empty(), "{kept:?}");
    }
    let whole = Rule {
        keep_version_regex: Some("1".into()),
        ..all
    };
    assert!(
        !reasons(&whole, &standing()).is_empty(),
        "patterns fit whole texts"
    );
}

#[test]
fn a_rule_has_to_say_what_goes() {
    let kept = Rule {
        keep_name_regex: Some("a".into()),
        ..rule()
    };
    let unused = Rule {
        never_downloaded: true,
        not_downloaded_days: Some(9),
        ..rule()
    };
    for bad in [
        rule(),
        kept,
        unused,
        Rule {
            keep_last: Some(0),
            ..rule()
        },
        Rule {
            keep_last: Some(10_001),
            ..rule()
        },
        Rule {
            older_than_days: Some(-1),
            ..rule()
        },
        Rule {
            older_than_days: Some(i64::MAX),
            ..rule()
        },
        Rule {
            remove_name_regex: Some("(".into()),
            ..rule()
        },
        Rule {
            remove_name_regex: Some("(?=a)".into()),
            ..rule()
        },
        Rule {
            keep_last: Some(1),
            keep_name_regex: Some("a".repeat(256)),
            ..rule()
        },
    ] {
        assert!(bad.validate().is_err(), "{bad:?}");
    }
    assert!(
        Rule {
            keep_last: Some(1),
            ..rule()
        }
        .validate()
        .is_ok()
    );
}
