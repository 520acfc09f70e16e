//! What people read about a wrong key, and where it points.

mod support;

use support::Commit;

fn errors(text: &str) -> Vec<String> {
    Commit::push("main").errors(text)
}

#[test]
fn every_key_says_what_it_wants() {
    for (keys, wanted) in [
        (
            "script: {a: b}",
            "jobs:a:script config should be a string or a nested array of strings up to 10 \
             levels deep",
        ),
        ("script: ''", "jobs:a script can't be blank"),
        ("script: [], image: x", "jobs:a script can't be blank"),
        ("script: e, image: [x]", "jobs:a:image config should be a hash or a string"),
        (
            "script: e, image: {name: x, foo: y}",
            "jobs:a:image config contains unknown keys: foo",
        ),
        ("script: e, image: {entrypoint: [x]}", "jobs:a:image name can't be blank"),
        (
            "script: e, image: {name: x, pull_policy: often}",
            "jobs:a:image:pull_policy config contains unknown values: often",
        ),
        ("script: e, services: x", "jobs:a:services config should be an array"),
        (
            "script: e, services: [1]",
            "jobs:a:services:service config should be a hash or a string",
        ),
        ("script: e, stage: 1", "jobs:a:stage config should be a string"),
        ("script: e, rules: []", "jobs:a:rules config can't be blank"),
        ("script: e, rules: x", "jobs:a:rules config should be an array of hashes"),
        ("script: e, rules: [x]", "jobs:a:rules:rule config should be a hash"),
        (
            "script: e, rules: [{if: '$A ='}]",
            "jobs:a:rules:rule if invalid expression syntax",
        ),
        (
            "script: e, rules: [{if: '$A =~ /x/'}]",
            "jobs:a:rules:rule if invalid expression syntax",
        ),
        (
            "script: e, rules: [{foo: 1}]",
            "jobs:a:rules:rule config contains unknown keys: foo",
        ),
        (
            "script: e, rules: [{when: delayed}]",
            "jobs:a:rules:rule start in should be a duration",
        ),
        (
            "script: e, rules: [{variables: {X: {value: y}}}]",
            "jobs:a:rules:rule:variables:x config must be a string",
        ),
        (
            "script: e, rules: [{changes: {compare_to: x}}]",
            "jobs:a:rules:rule:changes config missing required keys: paths",
        ),
        ("script: e, start_in: 1 day", "jobs:a start in must be blank"),
        (
            "script: e, when: delayed, start_in: 8 days",
            "jobs:a start in should not exceed the limit",
        ),
        (
            "script: e, allow_failure: x",
            "jobs:a allow failure should be a hash or a boolean value",
        ),
        (
            "script: e, allow_failure: {exit_codes: x}",
            "jobs:a:allow_failure exit codes should be an array of integers or an integer",
        ),
        ("script: e, needs: [1]", "jobs:a:needs:need has an unsupported type"),
        ("script: e, needs: [{foo: a}]", "jobs:a:needs:need has an unsupported type"),
        (
            "script: e, dependencies: x",
            "jobs:a dependencies should be an array of strings",
        ),
        (
            "script: e, parallel: 0",
            "jobs:a:parallel config must be greater than or equal to 1",
        ),
        (
            "script: e, parallel: 201",
            "jobs:a:parallel config must be less than or equal to 200",
        ),
        (
            "script: e, parallel: {}",
            "jobs:a:parallel config missing required keys: matrix",
        ),
        (
            "trigger: x, parallel: 2",
            "jobs:a:parallel config cannot use \"parallel: <number>\".",
        ),
        ("script: e, retry: 3", "jobs:a:retry config must be less than or equal to 2"),
        ("script: e, retry: {max: 3}", "jobs:a:retry max must be less than or equal to 2"),
        (
            "script: e, retry: {when: bad}",
            "jobs:a:retry when contains unknown values: bad",
        ),
        ("script: e, timeout: soon", "jobs:a:timeout config should be a duration"),
        (
            "script: e, timeout: 2 months",
            "jobs:a:timeout config should not exceed the limit",
        ),
        ("script: e, tags: x", "jobs:a:tags config should be an array of strings"),
        (
            "script: e, interruptible: 1",
            "jobs:a:interruptible config should be a boolean value",
        ),
        (
            "script: e, environment: 1",
            "jobs:a:environment config should be a hash or a string",
        ),
        ("script: e, environment: {url: x}", "jobs:a:environment name can't be blank"),
        (
            "script: e, environment: {name: x, action: go}",
            "jobs:a:environment action should be one of: start, stop, prepare, verify, access",
        ),
        (
            "script: e, artifacts: {paths: x}",
            "jobs:a:artifacts paths should be an array of strings",
        ),
        (
            "script: e, artifacts: {expire_in: x}",
            "jobs:a:artifacts expire in should be a duration",
        ),
        (
            "script: e, artifacts: {reports: {foo: x}}",
            "jobs:a:artifacts:reports config contains unknown keys: foo",
        ),
        (
            "script: e, cache: {key: {files: [a, b, c]}}",
            "jobs:a:cache:key:files config has too many items (maximum is 2)",
        ),
        (
            "script: e, cache: {key: a/b}",
            "jobs:a:cache:key config cannot contain the \"/\" character",
        ),
        (
            "script: e, cache: {policy: x}",
            "jobs:a:cache policy should be a variable or one of: pull-push, push, pull",
        ),
        (
            "script: e, coverage: x",
            "jobs:a:coverage config must be a regular expression with re2 syntax",
        ),
        (
            "script: e, variables: {X: [1]}",
            "jobs:a:variables:x config variable definition must be either a string or a hash",
        ),
        (
            "script: e, variables: {X: {value: y, description: z}}",
            "jobs:a:variables:x config uses invalid data keys: description",
        ),
        (
            "script: e, inherit: {default: 1}",
            "jobs:a:inherit:default config should be a bool or array of strings",
        ),
        (
            "script: e, id_tokens: {T: {}}",
            "jobs:a:id_tokens:t config missing required keys: aud",
        ),
        ("script: e, release: {tag_name: x}", "jobs:a:release description can't be blank"),
        (
            "script: e, run: [{name: x}]",
            "jobs:a config these keys cannot be used together: run, script",
        ),
        (
            "needs: [b]",
            "jobs:a config should contain either a trigger or a needs:pipeline",
        ),
        ("trigger: x, image: y", "jobs:a config contains unknown keys: image"),
        (
            "trigger: {include: [a, b, c, d]}",
            "jobs:a:trigger:include config is too long (maximum is 3)",
        ),
        (
            "trigger: x, when: delayed",
            "jobs:a when should be one of: on_success, on_failure, always, manual",
        ),
    ] {
        assert_eq!(
            errors(&format!("a: {{{keys}}}")).first().map(String::as_str),
            Some(wanted),
            "{keys}"
        );
    }
}

#[test]
fn the_top_says_what_it_wants() {
    for (text, wanted) in [
        ("stages: x", "stages config should be an array of strings"),
        ("variables: x", "variables config should be a hash"),
        (
            "variables: {A: {value: x, options: [y]}}",
            "variables:a config value must be present in options",
        ),
        ("workflow: {foo: 1}", "workflow config contains unknown keys: foo"),
        (
            "workflow: {rules: [{when: manual}]}",
            "workflow:rules:rule when should be one of: always, never",
        ),
        (
            "workflow: {auto_cancel: {on_new_commit: x}}",
            "workflow:auto_cancel on new commit must be one of: conservative, interruptible, none",
        ),
        ("default: {stage: x}", "default config contains unknown keys: stage"),
        (
            "image: x\ndefault: {image: y}",
            "image is defined in top-level and `default:` entry",
        ),
        (".h: ''", "jobs:.h config can't be blank"),
        ("Build: {script: e, Foo: 1}", "jobs:build config contains unknown keys: foo"),
    ] {
        let seen = errors(&format!("{text}\nj: {{script: e}}"));
        assert_eq!(seen, [wanted], "{text}");
    }
}

#[test]
fn lint_says_all_and_where() {
    let text =
        "a:\n  script: e\n  foo: 1\nb:\n  script: e\n  rules:\n    - if: '$A ='\n  retry: 9\n";
    let configuration = Commit::push("main").load(text);
    let seen: Vec<_> = configuration
        .errors
        .iter()
        .map(|error| (error.at.map(|at| (at.line, at.column)), error.text.as_str()))
        .collect();
    assert_eq!(
        seen,
        [
            (Some((3, 3)), "jobs:a config contains unknown keys: foo"),
            (Some((8, 3)), "jobs:b:retry config must be less than or equal to 2"),
            (Some((7, 7)), "jobs:b:rules:rule if invalid expression syntax"),
        ]
    );
}

#[test]
fn warnings_do_not_stop_a_pipeline() {
    let text = "a: {script: e, secrets: {X: {vault: y}}, rules: [{when: on_success}]}\n\
                b: {script: e}\nb: {script: f}\n";
    let configuration = Commit::push("main").load(text);
    assert!(configuration.errors.is_empty());
    let seen: Vec<_> = configuration.warnings.iter().map(|it| it.text.as_str()).collect();
    assert_eq!(seen.len(), 3, "{seen:?}");
    assert!(seen[0].contains("`b` is given more than once"));
    assert_eq!(seen[1], "jobs:a secrets has no effect on this server");
    assert!(seen[2].starts_with("jobs:a may allow multiple pipelines to run"));
}

#[test]
fn on_stop_has_to_fit() {
    for (other, wanted) in [
        ("", "a job: on_stop job b is not defined"),
        ("b: {script: e}", "a job: on_stop job b does not have environment defined"),
        (
            "b: {script: e, environment: {name: y, action: stop}}",
            "a job: on_stop job b have different environment name",
        ),
        (
            "b: {script: e, environment: x}",
            "a job: on_stop job b needs to have action stop defined",
        ),
    ] {
        let text = format!("a: {{script: e, environment: {{name: x, on_stop: b}}}}\n{other}");
        assert_eq!(errors(&text), [wanted]);
    }
}

#[test]
fn too_much_is_refused() {
    let names: Vec<String> = (0..51).map(|n| format!("j{n}")).collect();
    let mut text: String = names
        .iter()
        .map(|name| format!("{name}: {{stage: build, script: e}}\n"))
        .collect();
    text += &format!("a: {{script: e, needs: [{}]}}", names.join(", "));
    assert!(
        errors(&text)[0].starts_with("a: one job can only need 50 others, but you have listed 51.")
    );
    let matrix = "a: {script: e, parallel: {matrix: [{A: [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, \
                  14, 15], B: [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14]}]}}";
    assert_eq!(errors(matrix), ["jobs:a:parallel generates too many jobs (maximum is 200)"]);
    assert_eq!(
        errors(&" ".repeat((2 << 20) + 1).replacen(' ', "a", 1)),
        ["The provided YAML is too big"]
    );
    let long = format!("{}: {{script: e}}", "x".repeat(256));
    assert!(errors(&long)[0].ends_with("name is too long (maximum is 255 characters)"));
    let deploys: String =
        (0..501).map(|n| format!("d{n}: {{script: e, environment: e{n}}}\n")).collect();
    assert_eq!(
        errors(&deploys),
        ["Pipeline has too many deployments! Requested 501, but the limit is 500."]
    );
}

#[test]
fn rules_needs_replace_and_may_not_circle() {
    let commit = Commit::push("main");
    let plan = commit.plan(
        "a: {script: e}\nb: {script: e, needs: [a], rules: [{if: $CI_COMMIT_BRANCH, needs: []}]}",
    );
    assert_eq!(plan.jobs[1].needs, Some(Vec::new()));
    let circle = "a: {script: e, needs: [b]}\nb: {script: e, rules: [{when: always, needs: [a]}]}";
    assert_eq!(
        errors(circle),
        ["The pipeline has circular dependencies: topological sort failed: [\"a\", \"b\"]"]
    );
}

#[test]
fn what_a_job_gets_is_expanded_where_the_server_needs_it() {
    let plan = Commit::push("main").plan(
        "variables: {WHERE: $CI_COMMIT_BRANCH-eu}\n\
         workflow: {name: ' Build $WHERE '}\n\
         a:\n  script: e\n  tags: [$WHERE, $NOPE]\n  resource_group: r-$WHERE\n\
        \x20 parallel: {matrix: [{OS: [linux, mac]}]}\n\
        \x20 environment: {name: live/$WHERE/$OS, url: 'https://$CI_ENVIRONMENT_SLUG.test'}\n\
        \x20 rules: [{if: $OS == \"linux\"}]\n",
    );
    assert_eq!(plan.name.as_deref(), Some("Build main-eu"));
    assert_eq!(plan.jobs.len(), 1);
    let job = &plan.jobs[0];
    assert_eq!(job.tags, ["main-eu", "$NOPE"]);
    assert_eq!(job.resource_group.as_deref(), Some("r-main-eu"));
    let environment = job.environment.as_ref().unwrap();
    assert_eq!(environment.name, "live/main-eu/linux");
    assert_eq!(environment.tier.word(), "production");
}
