//! Includes: where files come from, how they are merged, and what people read
//! where one cannot be had.

mod support;

use pipeline_file::model::Work;
use pipeline_file::{Level, Limits, Loader, Origin, Start, Step, Variables};
use support::Commit;

fn main_push() -> Commit {
    Commit::push("main")
}

#[test]
fn what_cannot_be_included_is_said() {
    let commit = main_push()
        .file("empty.yml", " \n")
        .file("list.yml", "[a]")
        .file("bad.yml", "a: [")
        .file("spec.yml", "spec: {inputs: {x: null}}\n---\n\"a-$[[ inputs.x ]]\": {script: e}")
        .file("plain.yml", "a: {script: e}");
    for (include, wanted) in [
        ("nope.yml", "Local file `nope.yml` does not exist!"),
        ("/empty.yml", "Local file `/empty.yml` is empty!"),
        ("list.yml", "`list.yml`: Invalid configuration format"),
        ("script.sh", "Included file `script.sh` does not have YAML extension!"),
        (
            "{project: hidden/project, file: a.yml}",
            "Project `hidden/project` not found or access denied! Make sure any includes in the \
             pipeline configuration are correctly defined.",
        ),
        (
            "{project: other/project, file: a.yml, ref: gone}",
            "Project `other/project` reference `gone` does not exist!",
        ),
        (
            "{project: other/project, file: a.yml}",
            "Project `other/project` file `a.yml` does not exist!",
        ),
        (
            "https://example.test/a.yml",
            "Remote file `https://example.test/a.yml` could not be fetched after 3 attempts \
             because of HTTP code `404` error!",
        ),
        (
            "{template: Rust.gitlab-ci.yml}",
            "Template file `Rust.gitlab-ci.yml` is not a valid location!",
        ),
        (
            "{local: plain.yml, remote: https://example.test/a.yml}",
            "Each include must use only one of: `local`, `project`, `remote`, `template`, \
             `artifact`, `component`",
        ),
        (
            "{artifact: a.yml, job: b}",
            "Including configs from artifacts is only allowed when triggering child pipelines",
        ),
        ("{local: plain.yml, foo: 1}", "include config contains unknown keys: foo"),
        (
            "{local: plain.yml, inputs: {x: y}}",
            "`plain.yml`: Given inputs not defined in the `spec` section of the included \
             configuration file",
        ),
        ("spec.yml", "`spec.yml`: `x` input: required value has not been provided"),
        (
            "{local: plain.yml, rules: [{if: '$X ='}]}",
            "include:rules:rule if invalid expression syntax",
        ),
    ] {
        assert_eq!(commit.errors(&format!("include: [{include}]\n")), [wanted], "{include}");
    }
    assert!(commit.errors("include: bad.yml")[0].starts_with("`bad.yml`: "));
}

#[test]
fn files_that_include_themselves_come_to_an_end() {
    let commit = main_push().file("a.yml", "include: a.yml\nj: {script: e}");
    assert_eq!(commit.errors("include: a.yml"), ["Maximum of 150 nested includes are allowed!"]);
    let many = vec!["a.yml"; 151].join(", ");
    let commit = main_push().file("a.yml", "j: {script: e}");
    let errors = commit.errors(&format!("include: [{many}]"));
    assert_eq!(errors, ["Maximum of 150 nested includes are allowed!"]);
}

#[test]
fn later_files_win_and_nested_ones_come_before_who_includes_them() {
    let plan = main_push()
        .file("a.yml", "include: b.yml\nvariables: {A: a, B: a}\nj: {script: [a], tags: [a]}")
        .file("b.yml", "variables: {A: b, B: b, C: b}\nj: {image: b}")
        .file("c.yml", "variables: {A: c}\nj: {tags: [c]}")
        .plan("include: [a.yml, c.yml]\nj: {stage: build}");
    let job = &plan.jobs[0];
    let values: Vec<_> = job.variables.iter().map(|v| (&*v.name, &*v.value)).collect();
    assert_eq!(values, [("A", "c"), ("B", "a"), ("C", "b")]);
    assert_eq!((job.tags[0].as_str(), job.stage.as_str()), ("c", "build"));
    assert_eq!(job.job.image.as_ref().unwrap().name, "b");
}

#[test]
fn patterns_take_each_file_once() {
    let names = main_push()
        .file("ci/a.yml", "a: {script: e}")
        .file("ci/deep/b.yml", "b: {script: e}")
        .file("ci/c.txt", "no")
        .names("include: [ci/*.yml, 'ci/**.yml']");
    assert_eq!(names, ["a", "b"]);
}

#[test]
fn variables_of_the_project_choose_files_and_those_of_the_file_do_not() {
    let commit = main_push()
        .file("prod.yml", "a: {script: e}")
        .file("$FILE.yml", "b: {script: e}")
        .variable(Level::Project, "WHICH", "prod");
    assert_eq!(commit.names("include: $WHICH.yml"), ["a"]);
    assert_eq!(commit.names("variables: {FILE: prod}\ninclude: $FILE.yml"), ["b"]);
    assert_eq!(
        commit.names("include: [{local: prod.yml, rules: [{if: $NOPE}]}]\nc: {script: e}"),
        ["c"]
    );
}

#[test]
fn a_file_from_the_network_has_no_project() {
    let commit = main_push()
        .file("https://example.test/a.yml", "include: local.yml")
        .file("local.yml", "a: {script: e}");
    let errors = commit.errors("include: https://example.test/a.yml");
    assert_eq!(errors, ["Local file `local.yml` does not have project!"]);
}

#[test]
fn integrity_is_checked() {
    let commit = main_push().file("https://example.test/a.yml", "a: {script: e}\n");
    let include = |digest: &str| {
        format!("include: [{{remote: https://example.test/a.yml, integrity: {digest}}}]")
    };
    let wrong = commit.errors(&include("sha256-AAAA"));
    assert!(wrong[0].contains("integrity"), "{wrong:?}");
}

#[test]
fn components_know_their_version() {
    let address = "host.test/group/project/build@1.2";
    let component =
        "spec: {component: [version]}\n---\nc: {script: \"v $[[ component.version ]]\"}";
    let plan = main_push()
        .file(address, component)
        .plan(&format!("include: [{{component: {address}}}]"));
    assert_eq!(plan.jobs[0].job.work, Work::Script(vec!["v 1.2".into()]));
}

#[test]
fn inputs_may_be_declared_in_files_of_their_own() {
    let plan = main_push()
        .file("inputs.yml", "inputs: {a: {default: far}, b: {default: far}}")
        .file(
            "t.yml",
            "spec: {include: [{local: inputs.yml}], inputs: {b: {default: near}}}\n---\n\
             j: {script: [\"$[[ inputs.a ]] $[[ inputs.b ]]\"]}",
        )
        .plan("include: t.yml");
    assert_eq!(plan.jobs[0].job.work, Work::Script(vec!["far near".into()]));
}

#[test]
fn functions_and_indexes_work_on_inputs() {
    let text = r#"
spec:
  inputs:
    name: {default: "hello world"}
    list: {type: array, default: [[a, b], c]}
    env: {default: prod}
    size: {rules: [{if: "$[[ inputs.env ]] == 'prod'", default: big}, {default: small}]}
---
j:
  script:
    - "$[[ inputs.name | truncate(0, 5) ]]"
    - "x $[[ inputs.name | posix_escape ]]"
    - "$[[ inputs.list[0][1] ]]"
    - "$[[ inputs.size ]]"
    - "$[[ inputs.env | expand_vars ]] $[[ matrix.X ]]"
"#;
    let plan = main_push().plan(text);
    let wanted = ["hello", "x hello\\ world", "b", "big", "prod $[[ matrix.X ]]"];
    assert_eq!(plan.jobs[0].job.work, Work::Script(wanted.map(str::to_owned).to_vec()));
    for (block, wanted) in [
        ("inputs.zz", "unknown interpolation provided: `zz` in `inputs.zz`"),
        ("foo.name", "unknown interpolation provided: `foo` in `foo.name`"),
        (
            "inputs.name | shout",
            "no function matching `shout`: check that the function name, arguments, and types \
             are correct",
        ),
    ] {
        let text = format!(
            "spec: {{inputs: {{name: {{default: x}}}}}}\n---\nj: {{script: \"$[[ {block} ]]\"}}"
        );
        assert_eq!(main_push().errors(&text), [wanted]);
    }
}

#[test]
fn all_that_is_needed_is_said_at_once_and_answered_in_any_order() {
    let commit = main_push();
    let mut loader = Loader::new(Start {
        name: ".gitlab-ci.yml".into(),
        text: "include: [a.yml, b.yml, c.yml]".into(),
        origin: Origin::Project { path: "p".into(), sha: "s".into() },
        inputs: Default::default(),
        variables: Variables::default(),
        child: false,
        limits: Limits::default(),
    });
    let Step::Need(requests) = loader.next(&commit) else {
        panic!("files are needed")
    };
    assert_eq!(requests.len(), 3);
    for request in requests.iter().rev() {
        let text = format!("variables: {{V: '{}'}}\nj: {{script: e}}", request.id);
        loader.answer(request.id, pipeline_file::Answer::file(text, request.from.clone()));
    }
    let Step::Done(done) = loader.next(&commit) else {
        panic!("all is there")
    };
    assert_eq!(done.pipeline.variables[0].value, requests[2].id.to_string());
    assert_eq!(done.files.len(), 4);
}
