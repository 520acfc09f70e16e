//! Files that are made to hurt: all of them come to an end.

mod support;

use pipeline_file::{Level, Outcome};
use support::Commit;

/// As much of a text as a file may hold.
fn filled(piece: impl Fn(usize) -> String) -> String {
    let mut text = String::new();
    let mut n = 0;
    loop {
        let next = piece(n);
        if text.len() + next.len() > 100_000 {
            return text;
        }
        text += &next;
        n += 1;
    }
}

#[test]
fn files_full_of_one_thing() {
    let commit = Commit::push("main").changed(&["a/b", "c"]);
    for text in [
        filled(|n| format!("j{n}: {{script: e}}\n")),
        filled(|n| format!("j{n}: {{script: e, needs: [j{}]}}\n", n.saturating_sub(1))),
        filled(|n| format!("j{n}: {{extends: j{}}}\n", n + 1)),
        filled(|n| format!("j{n}: {{extends: [.x, .y], script: e}}\n"))
            + ".x: {a: 1}\n.y: {b: 1}\n",
        filled(|_| "[".into()),
        filled(|_| "{a: ".into()),
        filled(|_| "- ".into()),
        filled(|_| "? ".into()),
        filled(|_| "&a ".into()),
        filled(|_| "\"".into()),
        filled(|_| "a\n".into()),
        filled(|_| "#\n".into()),
        filled(|_| "%\n".into()),
        filled(|_| "---\n".into()),
        filled(|_| "\t".into()),
        filled(|n| format!("a{n}: &a{n} [*a{}]\n", n.saturating_sub(1))),
        "a: {script: [".to_owned() + &filled(|_| "e, ".into()) + "]}",
        "a: {script: e, rules: [".to_owned()
            + &filled(|_| "{if: '$A =~ /a{99}b/'}, ".into())
            + "]}",
        "a: {script: e, rules: [".to_owned()
            + &filled(|n| format!("{{if: '$A =~ $B{n}'}}, "))
            + "]}",
        "a: {script: e, parallel: {matrix: [".to_owned()
            + &filled(|_| "{A: [1, 2]}, ".into())
            + "]}}",
        "a: {script: e, only: [".to_owned() + &filled(|n| format!("/x{n}/, ")) + "]}",
        "a: {script: e, dependencies: [".to_owned() + &filled(|_| "a, ".into()) + "]}",
        "variables: {".to_owned()
            + &filled(|n| format!("V{n}: $V{}, ", n + 1))
            + "}\na: {script: e}",
        "variables: {A: '".to_owned() + &filled(|_| "$A$B".into()) + "'}\na: {script: e}",
        "include: [".to_owned() + &filled(|_| "a.yml, ".into()) + "]",
        "stages: [".to_owned() + &filled(|n| format!("s{n}, ")) + "]\na: {script: e}",
        "spec: {inputs: {x: {default: y}}}\n---\na: {script: '".to_owned()
            + &filled(|_| "$[[ inputs.x ]]".into())
            + "'}",
        "a: {environment: '".to_owned() + &filled(|_| "%A%$A${A".into()) + "', script: e}",
    ] {
        let _ = commit.outcome(&text);
        let _ = commit.load(&text).merged_yaml();
    }
}

#[test]
fn values_that_grow_and_patterns_that_cost() {
    let big = "x".repeat(600_000);
    let mut commit = Commit::push("main").changed(&["a"]).variable(Level::Project, "BIG", &big);
    for n in 0..30 {
        let name = format!("P{n}");
        commit = commit.variable(Level::Project, &name, &format!("/(a{{1,{n}}}){{1,50}}{n}/"));
    }
    let jobs: String = (0..12)
        .map(|n| {
            format!(
                "j{n}: {{script: e, parallel: 4, tags: [$BIG, $BIG], variables: {{X: $BIG$BIG}}, \
                 rules: [{{if: '$BIG =~ $P1 || $BIG =~ $P2'}}, {{changes: [$BIG, '*']}}]}}\n"
            )
        })
        .collect();
    let outcome = commit.outcome(&jobs);
    assert!(matches!(outcome, Outcome::Failed(_)), "{:?}", outcome.refusal());
    let text = "a: {script: e, tags: [$BIG], environment: 'e/$BIG'}";
    let plan = commit.plan(text);
    assert_eq!(plan.jobs[0].tags, ["$BIG"]);
}
