use super::*;
use proptest::prelude::*;

fn named(name: &str) -> Named {
    Named {
        name: name.to_owned(),
        email: format!("{}@example.com", name.to_lowercase()),
    }
}

fn commit(message: &str, author: &str) -> CommitText {
    CommitText {
        message: message.to_owned(),
        author: named(author),
        is_merge: message.starts_with("Merge "),
    }
}

fn context() -> Context {
    Context {
        source_branch: "fix".into(),
        target_branch: "main".into(),
        title: "Fix the anvil".into(),
        description: "It rang.\r\nNow %{title} does not.".into(),
        closes: vec!["#1".into(), "#2".into(), "acme/bell#3".into()],
        full_reference: "acme/anvil!5".into(),
        local_reference: "!5".into(),
        source_project_id: Some(7),
        url: "https://tenon.example.com/acme/anvil/-/merge_requests/5".into(),
        reviewers: vec![named("Bob")],
        approvers: vec![named("Bob"), named("Cy")],
        merger: Some(named("Dee")),
        author: Some(named("Ada")),
        commits: vec![
            commit("Dampen\n", "Ada"),
            commit("Merge main\n\nof today", "Eve"),
            commit("Ring less\n\nMuch less.\n", "Bob"),
            commit("Again", "Bob"),
        ],
    }
}

#[test]
fn every_variable_has_its_value() {
    for (name, value) in [
        ("source_branch", "fix"),
        ("target_branch", "main"),
        ("title", "Fix the anvil"),
        ("issues", "Closes #1, #2, and acme/bell#3"),
        ("description", "It rang.\nNow %{title} does not."),
        ("reference", "acme/anvil!5"),
        ("local_reference", "!5"),
        ("source_project_id", "7"),
        ("first_commit", "Dampen"),
        ("first_multiline_commit", "Ring less\n\nMuch less."),
        ("url", "https://tenon.example.com/acme/anvil/-/merge_requests/5"),
        ("reviewed_by", "Reviewed-by: Bob <bob@example.com>"),
        (
            "approved_by",
            "Approved-by: Bob <bob@example.com>\nApproved-by: Cy <cy@example.com>",
        ),
        ("merged_by", "Dee <dee@example.com>"),
        ("co_authored_by", "Co-authored-by: Bob <bob@example.com>"),
        ("all_commits", "* Dampen\n\n* Ring less\n\nMuch less.\n\n* Again"),
    ] {
        let template = format!("<%{{{name}}}>");
        assert_eq!(squash_message(None, Some(&template), &context()), format!("<{value}>"));
    }
    assert_eq!(Variable::ALL.len(), 16);
}

#[test]
fn usual_messages_name_what_is_merged() {
    assert_eq!(
        merge_message(None, None, &context()),
        "Merge branch 'fix' into 'main'\n\nFix the anvil\n\nCloses #1, #2, and acme/bell#3\n\n\
         See merge request acme/anvil!5"
    );
    let without = Context { closes: Vec::new(), ..context() };
    assert_eq!(
        merge_message(None, Some(" \n"), &without),
        "Merge branch 'fix' into 'main'\n\nFix the anvil\n\nSee merge request acme/anvil!5"
    );
    assert_eq!(squash_message(None, None, &context()), "Fix the anvil");
}

#[test]
fn what_somebody_writes_comes_first_as_it_is() {
    let given = "Mine %{title}\r\n\r\nAll of it\r\n";
    assert_eq!(merge_message(Some(given), Some("%{title}"), &context()), given);
    assert_eq!(merge_message(Some(" "), Some("%{title}"), &context()), "Fix the anvil");
}

#[test]
fn lines_of_empty_variables_vanish() {
    let empty = Context { title: "Fix".into(), ..Context::default() };
    for (template, message) in [
        ("%{title}\n\n%{issues}\n\nEnd", "Fix\n\nEnd"),
        ("%{title}\n%{issues}\nEnd", "Fix\nEnd"),
        ("%{title}\n\n%{issues} %{description}\n\nEnd", "Fix\n\nEnd"),
        ("%{issues}\n\n%{title}", "Fix"),
        ("%{title}\n\n%{issues}", "Fix"),
        ("%{title}\n\nFor: %{issues}", "Fix\n\nFor: "),
        ("%{title}\n\n\n%{issues}\nEnd", "Fix\n\nEnd"),
        ("%{title}\r\n\r\n%{issues}\r\n\r\nEnd", "Fix\n\nEnd"),
    ] {
        assert_eq!(squash_message(None, Some(template), &empty), message, "{template:?}");
    }
}

#[test]
fn what_is_no_variable_stays() {
    for (template, message) in [
        ("%{nothing} %{title}", "%{nothing} Fix the anvil"),
        ("%{%{title}}", "%{Fix the anvil}"),
        ("%%{title}%{", "%Fix the anvil%{"),
        ("100% %{ title }", "100% %{ title }"),
    ] {
        assert_eq!(squash_message(None, Some(template), &context()), message, "{template:?}");
    }
}

#[test]
fn a_new_description_knows_branches_and_commits() {
    let template = "%{source_branch}\n\n%{title}\n\n%{first_commit}\n\n%{approved_by}";
    assert_eq!(description(template, &context()), "fix\n\nDampen");
}

#[test]
fn sentences_of_issues_are_lists() {
    let closes = |names: &[&str]| {
        let names: Vec<String> = names.iter().map(|name| (*name).to_owned()).collect();
        closing_sentence(&names)
    };
    assert_eq!(closes(&[]), "");
    assert_eq!(closes(&["#1"]), "Closes #1");
    assert_eq!(closes(&["#1", "#2"]), "Closes #1 and #2");
    assert_eq!(closes(&["#1", "#2", "#3"]), "Closes #1, #2, and #3");
}

#[test]
fn names_end_neither_lines_nor_addresses() {
    let hostile = Named { name: "Eve\r\nX: <y>".into(), email: "e@x>\n".into() };
    let context = Context { approvers: vec![hostile], ..context() };
    let message = merge_message(None, Some("%{approved_by}"), &context);
    assert_eq!(message, "Approved-by: EveX: y <e@x>");
}

#[test]
fn long_messages_of_commits_are_skipped() {
    let long = format!("Long\n\n{}", "x".repeat(LONGEST_OF_COMMIT));
    let context = Context { commits: vec![commit(&long, "Ada")], ..context() };
    let message = merge_message(None, Some("%{all_commits}"), &context);
    assert_eq!(message, format!("* Long\n\n{SKIPPED}"));
}

proptest! {
    #[test]
    fn messages_are_bounded_and_made_in_one_pass(
        template in "(%\\{(title|issues|x)\\}|[ a%{}\\n\u{e4}]){0,20}", title in "[%{}title\u{e4}]{0,20}",
    ) {
        let context = Context { title: title.clone(), ..Context::default() };
        let message = squash_message(None, Some(&template), &context);
        prop_assert!(message.len() <= LONGEST);
        prop_assert!(message.len() <= template.len() + title.len() * 21);
    }

    #[test]
    fn cutting_keeps_whole_characters(count in (LONGEST / 2 - 2)..(LONGEST / 2 + 2)) {
        let text = format!("x{}", "\u{e4}".repeat(count));
        prop_assert!(cut(text).len() <= LONGEST);
    }
}
