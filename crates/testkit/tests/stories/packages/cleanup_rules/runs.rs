//! When rules are applied, and how a run takes what it takes.

use super::*;

#[testkit::story(noon)]
async fn rules_are_applied_twice_a_day(t: TestServer) {
    let project = t.project("acme/anvil").await;
    publish(&t, &project, "hammer", &["1", "2"]).await;
    let at = add(&t, &project.at(""), json!({"package_type": "generic", "keep_last": 1})).await;
    let next = t.admin().get(&at).await.is(200).json()["next_run_at"].clone();
    assert_eq!(next, "2031-05-09T00:00:00.000Z");
    let look = async || {
        let registry = t.app().jobs().clone();
        let asked = t.app().write(move |tx| {
            let job = packages::tasks::Cleanup {};
            kernel::jobs::enqueue(tx, &registry, &job)
        });
        asked.await.expect("enqueued");
        t.settle().await;
    };

    t.advance(11 * 3600);
    look().await;
    assert_eq!(left(&t, &project).await.len(), 2, "it is not due");
    t.advance(2 * 3600);
    look().await;
    assert_eq!(left(&t, &project).await, ["hammer 2"]);

    publish(&t, &project, "hammer", &["3"]).await;
    let off = t.admin().patch(&at).json(&json!({"enabled": false})).await.is(200);
    assert_eq!(off.json()["next_run_at"], json!(null));
    t.admin().post(format!("{at}/runs")).await.is(422);
    t.advance(DAY);
    look().await;
    assert_eq!(left(&t, &project).await.len(), 2, "it is off");
}

#[testkit::story(noon)]
async fn a_run_goes_on_where_it_was_cut_off(t: TestServer) {
    let project = t.project("acme/anvil").await;
    for name in ["a", "b", "c"] {
        publish(&t, &project, name, &["1", "2"]).await;
    }
    let at = add(&t, &project.at(""), json!({"package_type": "generic", "keep_last": 1})).await;
    let id: i64 = at.rsplit('/').next().and_then(|id| id.parse().ok()).expect("an id");
    let registry = t.app().jobs().clone();
    // As a server leaves it that was killed after the first name.
    let cut = t.app().write(move |tx| {
        tx.execute(
            sql!(
                "insert into package_cleanup_runs (rule_id, under_way, after_project, after_name,
                    names_done, names_total, removed_packages, removed_size, started_at)
                 select $1, 1, id, 'a', 1, 3, 1, 10, $2 from projects"
            ),
            (id, tx.now()),
        )?;
        let run = tx.one(sql!("select max(id) from package_cleanup_runs"), ())?;
        kernel::jobs::enqueue(tx, &registry, &packages::tasks::ApplyRule { run })
    });
    cut.await.expect("begun");
    t.settle().await;

    let runs = t.admin().get(format!("{at}/runs")).await.is(200).json();
    assert_eq!(runs.as_array().map(Vec::len), Some(1));
    assert_eq!((&runs[0]["removed_packages"], &runs[0]["names_done"]), (&json!(3), &json!(3)));
    assert_eq!(left(&t, &project).await, ["a 1", "a 2", "b 2", "c 2"]);
}

#[testkit::story]
async fn maven_s_list_loses_the_versions_that_went(t: TestServer) {
    let project = t.project("acme/anvil").await;
    let at = |rest: &str| project.at(&format!("/packages/maven/com/acme/anvil/{rest}"));
    for version in ["1.0", "1.1"] {
        let jar = at(&format!("{version}/anvil-{version}.jar"));
        t.admin().put(jar).bytes("a jar").await.is(200);
    }
    let list = "<metadata><groupId>com.acme</groupId><artifactId>anvil</artifactId><versioning>\
        <versions><version>1.0</version><version>1.1</version></versions></versioning></metadata>";
    t.admin().put(at("maven-metadata.xml")).bytes(list).await.is(200);
    let rule = add(&t, &project.at(""), json!({"package_type": "maven", "keep_last": 1})).await;

    assert_eq!(apply(&t, &rule).await["removed_packages"], 1);

    let listed = t.admin().get(at("maven-metadata.xml")).await.is(200).text();
    assert!(listed.contains("1.1") && !listed.contains("<version>1.0<"), "{listed}");
    t.admin().get(at("1.0/anvil-1.0.jar")).await.is(404);
}

#[testkit::story]
async fn what_a_rule_takes_is_read_and_removed_by_the_batch(t: TestServer) {
    let project = t.project("acme/anvil").await;
    let at = add(&t, &project.at(""), json!({"package_type": "generic", "keep_last": 1})).await;
    let route = "/projects/{id}/packages/cleanup/rules/{cleanup_rule_id}/preview";
    let line = format!("http_request_statements_total{{method=\"GET\",route=\"/api/v4{route}\"}} ");
    let sent = || {
        let text = t.app().metrics().render();
        let count = text.lines().find_map(|one| one.strip_prefix(&line)?.parse::<u64>().ok());
        count.unwrap_or(0)
    };
    let mut costs = Vec::new();
    for upto in [2, 20] {
        for number in 0..upto {
            let path = project.at(&format!("/packages/generic/hammer/1.{number}/a"));
            t.admin().put(path).bytes("x").await.is(201);
        }
        let before = sent();
        assert_eq!(told(&t, &at).await.len(), upto - 1);
        let read = sent() - before;
        let id: i64 = at.rsplit('/').next().and_then(|id| id.parse().ok()).expect("an id");
        let registry = t.app().jobs().clone();
        let removed = t.app().write(move |tx| {
            let rule: packages::cleanup::model::Rule =
                tx.one(sql!("select * from package_cleanup_rules where id = $1"), (id,))?;
            let going = tx.all(
                sql!(
                    "select id, project_id, name, name_key, version, package_type, status,
                        created_at, last_downloaded_at, cast(2 as bigint) as place, size from
                        (select p.*, cast(1 as bigint) as size from packages p) sized
                        order by id"
                ),
                (),
            )?;
            let going: Vec<_> = going
                .into_iter()
                .skip(1)
                .map(|standing| {
                    let reasons = vec!["it is old".to_owned()];
                    packages::cleanup::model::Going { standing, reasons }
                })
                .collect();
            let before = tx.statements();
            packages::rules::destroy::by_rule(tx, &registry, &rule, &going)?;
            let cost = tx.statements() - before;
            // Only counted: all is there again for the next round.
            tx.execute(sql!("update packages set live = 1, status = 'default'"), ())?;
            Ok(cost)
        });
        costs.push((read, removed.await.expect("removed")));
    }
    assert!(costs[0] == costs[1] && costs[0].0 > 0 && costs[0].1 <= 5, "{costs:?}");
}
