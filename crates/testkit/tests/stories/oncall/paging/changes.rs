//! People, projects and policies that change while an alert is paged about.

use super::*;

#[testkit::story(noon)]
async fn who_may_not_see_alerts_any_more_is_not_paged(t: TestServer) {
    let watch = Watch::new(&t).await;
    let (bob, dora) = (t.user("bob").await, t.user("dora").await);
    watch.project.add(&bob, 30).await;
    watch.project.add(&dora, 30).await;
    let rules: Vec<Value> = [&watch.jane, &watch.carl, &bob, &dora]
        .iter()
        .map(|user| of_user(0, "resolved", user.id))
        .collect();
    watch.policy(json!(rules)).await;
    t.admin()
        .delete(watch.project.at(&format!("/members/{}", watch.jane.id)))
        .await
        .is(204);
    t.admin().post(format!("/users/{}/block", watch.carl.id)).await.is(201);
    t.admin()
        .put(watch.project.at(&format!("/members/{}", bob.id)))
        .json(&json!({"access_level": 20}))
        .await
        .is(200);
    watch.send(json!({"title": "Secret"})).await;
    t.settle().await;
    assert_eq!(mailed(&t, "Secret"), ["dora"]);
    let told = watch.told(&t, 1).await;
    let nobody = "found nobody on call to page about this alert";
    assert_eq!(told, [nobody, nobody, nobody, "paged @dora about this alert by e-mail"]);
    // Also if that happened after the page was recorded.
    t.admin().post(format!("/users/{}/block", dora.id)).await.is(201);
    let page = count(&t, sql!("select max(id) from escalation_pages")).await;
    t.app()
        .write(move |tx| {
            tx.execute(sql!("update escalation_pages set mailed_at = null"), ())?;
            let now = tx.now();
            kernel::jobs::enqueue_at(tx, &Tell { page }, now)
        })
        .await
        .unwrap();
    t.settle().await;
    assert_eq!(mailed(&t, "Secret"), ["dora"]);
}

#[testkit::story(noon)]
async fn archived_projects_page_nobody(t: TestServer) {
    let watch = watched(&t).await;
    watch.send(json!({"title": "Before"})).await;
    t.settle().await;
    let shelve = watch.project.at("/alert_management/alerts/1/shelve");
    t.admin().post(&shelve).json(&json!({"duration": 300})).await.is(200);
    watch.send(json!({"title": "Other"})).await;
    t.settle().await;
    t.admin().post(watch.project.at("/archive")).await.is(201);
    t.advance(300);
    let jobs = t.app().jobs().clone();
    let watching = monitoring::tasks::Watch::default();
    t.app().write(move |tx| enqueue(tx, &jobs, &watching)).await.unwrap();
    later(&t, 5_000).await;
    assert_eq!(
        (mailed(&t, "Before"), mailed(&t, "Other")),
        (vec!["jane".into()], vec!["jane".into()])
    );
    assert_eq!(watch.told(&t, 2).await.len(), 1);
    assert_eq!(count(&t, sql!("select count(*) from escalations")).await, 0);
}

#[testkit::story(noon)]
async fn people_of_the_group_above_take_turns_as_long_as_they_are_in_it(t: TestServer) {
    let watch = Watch::new(&t).await;
    let group = t.admin().get("/groups/acme").await.is(200).id();
    let (mia, gus) = (t.user("mia").await, t.user("gus").await);
    for (user, level) in [(&mia, 30), (&gus, 20)] {
        let member = json!({"user_id": user.id, "access_level": level});
        t.admin().post(format!("/groups/{group}/members")).json(&member).await.is(201);
    }
    let nights = watch.schedule("Nights").await;
    let turns = watch.rotation(&nights, STARTED, &[&mia]).await;
    let of_gus = json!({"user_ids": [mia.id, gus.id]});
    let refused = t.admin().put(&turns).json(&of_gus).await.is(400);
    assert!(refused.text().contains("gus, who may not see the alerts"), "{refused:?}");
    watch.policy(json!([of_schedule(0, "resolved", 1)])).await;
    watch.send(json!({"title": "In"})).await;
    t.settle().await;
    t.admin().delete(format!("/groups/{group}/members/{}", mia.id)).await.is(204);
    watch.send(json!({"title": "Out"})).await;
    t.settle().await;
    assert_eq!((mailed(&t, "In"), mailed(&t, "Out")), (vec!["mia".to_owned()], vec![]));
}

#[testkit::story(noon)]
async fn a_policy_that_changes_or_goes_is_followed(t: TestServer) {
    let watch = Watch::new(&t).await;
    let policy = watch
        .policy(json!([
            of_user(0, "resolved", watch.jane.id),
            of_user(600, "resolved", watch.jane.id)
        ]))
        .await;
    watch.send(json!({"title": "Change"})).await;
    t.settle().await;
    let rules = json!({"rules": [of_user(0, "resolved", watch.carl.id), of_user(600, "resolved", watch.carl.id),
        of_user(900, "resolved", watch.carl.id)]});
    t.admin().put(&policy).json(&rules).await.is(200);
    later(&t, 600).await;
    assert_eq!(mailed(&t, "Change"), ["carl", "jane"]);
    t.admin().delete(&policy).await.is(204);
    later(&t, 600).await;
    assert_eq!(mailed(&t, "Change"), ["carl", "jane"]);
    watch.send(json!({"title": "Unwatched"})).await;
    later(&t, 600).await;
    assert!(mailed(&t, "Unwatched").is_empty());
    t.admin().delete(watch.project.at("")).await.is(202);
    later(&t, 8 * 86_400).await;
    let left =
        sql!("select (select count(*) from escalation_pages) + (select count(*) from alerts)");
    assert_eq!(count(&t, left).await, 0);
}
