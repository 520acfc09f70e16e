//! Uploads that are refused, each with its reason and without a trace.

use super::{Chart, chart, described, packed};
use crate::packages_formats::archives::tar_gz;
use serde_json::json;
use testkit::{TestProject, TestServer};

async fn refused(t: &TestServer, project: &TestProject, chart: Chart, reason: &str) {
    let reply = chart.to(&t.admin(), project, "stable").await.is(400);
    let text = reply.json()["message"].as_str().unwrap_or_default().to_owned();
    assert!(text.starts_with(&format!("400 Bad request - {reason}")), "{text}");
}

async fn nothing_is_kept(t: &TestServer, project: &TestProject) {
    let listed = t.admin().get(project.at("/packages")).await.is(200);
    assert_eq!(listed.json(), json!([]));
}

fn holding(members: &[(&str, &str)]) -> Chart {
    Chart { file: "hammer-1.0.0.tgz".into(), bytes: tar_gz(members) }
}

#[testkit::story]
async fn a_chart_has_to_say_what_it_is(t: TestServer) {
    let project = t.project("acme/anvil").await;
    let own = described("hammer", "1.0.0", "");
    let says = |own: &str| packed("hammer", "1.0.0", own);
    for (own, reason) in [
        ("apiVersion: v3\nname: hammer\nversion: 1.0.0\n", "apiVersion in Chart.yaml"),
        (
            "apiVersion: v2\nname: ../hammer\nversion: 1.0.0\n",
            "name in Chart.yaml is invalid",
        ),
        (
            "apiVersion: v2\nname: hammer\nversion: one\n",
            "version in Chart.yaml is invalid",
        ),
        ("name: hammer\nversion: 1.0.0\n", "Chart.yaml cannot be read"),
        ("[", "Chart.yaml cannot be read"),
    ] {
        refused(&t, &project, says(own), reason).await;
    }
    refused(
        &t,
        &project,
        holding(&[("hammer/values.yaml", "")]),
        "the archive has no Chart.yaml",
    )
    .await;
    refused(&t, &project, holding(&[("Chart.yaml", &own)]), "the archive has no Chart.yaml").await;
    let two = holding(&[("hammer/Chart.yaml", &own), ("nail/Chart.yaml", &own)]);
    refused(&t, &project, two, "the archive has more than one Chart.yaml").await;
    nothing_is_kept(&t, &project).await;
}

#[testkit::story]
async fn hostile_archives_and_texts_are_refused(t: TestServer) {
    let project = t.project("acme/anvil").await;
    let own = described("hammer", "1.0.0", "");
    let mut bomb = format!("{own}a: &a0 [x, x, x, x, x, x, x, x]\n");
    for level in 1..9 {
        let below = format!("*a{}, ", level - 1).repeat(8);
        bomb.push_str(&format!("b{level}: &a{level} [{below}]\n"));
    }
    let deep = format!("{own}x: {}{}\n", "[".repeat(9_000), "]".repeat(9_000));
    let large = format!("{own}description: {}\n", "x".repeat(5 << 20));
    for text in [&bomb, &deep, &large] {
        packed("hammer", "1.0.0", text).to(&t.admin(), &project, "stable").await.is(400);
    }
    for bytes in [
        b"not an archive".to_vec(),
        Vec::new(),
        chart("hammer", "1.0.0").bytes[..60].to_vec(),
        tar_gz(&[("hammer/Chart.yaml", own.as_str()), ("hammer/../../x", "")]),
        tar_gz(&[("/hammer/Chart.yaml", own.as_str())]),
    ] {
        let chart = Chart { file: "hammer-1.0.0.tgz".into(), bytes };
        chart.to(&t.admin(), &project, "stable").await.is(400);
    }
    nothing_is_kept(&t, &project).await;
}

#[testkit::story]
async fn forms_and_addresses_are_checked(t: TestServer) {
    let project = t.project("acme/anvil").await;
    let reply = crate::packages_formats::forms::multipart(
        t.admin().post(project.at("/packages/helm/api/stable/charts")),
        &[("a", "b")],
        &[],
    )
    .await
    .is(400);
    assert_eq!(reply.json()["error"], "chart is missing");
    for channel in ["-x", "a..b", "a%2Fb", "%252e", "a%20b", "ä"] {
        chart("hammer", "1.0.0").to(&t.admin(), &project, channel).await.is(400);
        t.admin()
            .get(project.at(&format!("/packages/helm/{channel}/index.yaml")))
            .await
            .is(400);
    }
    for file in ["..%2f..%2fx.tgz", "%252e%252e", "hammer-1.0.0.zip", "x.tgz.prov", ".prov"] {
        t.admin()
            .get(project.at(&format!("/packages/helm/stable/charts/{file}")))
            .await
            .is(404);
    }
    nothing_is_kept(&t, &project).await;
}

#[testkit::story]
async fn provenance_is_of_the_chart_it_comes_with(t: TestServer) {
    let project = t.project("acme/anvil").await;
    let (hammer, nail) = (chart("hammer", "1.0.0"), chart("nail", "1.0.0"));
    for wrong in [nail.provenance(), format!("sha256:{}", hammer.digest()), String::new()] {
        hammer.signed(&t.admin(), &project, &wrong).await.is(400);
    }
    nothing_is_kept(&t, &project).await;
    hammer.signed(&t.admin(), &project, &hammer.provenance()).await.is(201);
    nail.to(&t.admin(), &project, "stable").await.is(201);
    let at = |file: &str| project.at(&format!("/packages/helm/stable/charts/{file}"));
    t.admin().get(at("hammer-1.0.0.tgz.prov")).await.is(200);
    t.admin().get(at("nail-1.0.0.tgz.prov")).await.is(404);
}

#[testkit::story]
async fn two_charts_do_not_share_a_file(t: TestServer) {
    let project = t.project("acme/anvil").await;
    chart("a", "1.0.0-2.0.0").to(&t.admin(), &project, "stable").await.is(201);
    refused(
        &t,
        &project,
        chart("a-1.0.0", "2.0.0"),
        "a-1.0.0-2.0.0.tgz is the file of another chart",
    )
    .await;
    chart("a-1.0.0", "2.0.0").to(&t.admin(), &project, "edge").await.is(201);
}

#[testkit::story]
async fn the_limit_of_the_format_holds(t: TestServer) {
    let project = t.project("acme/anvil").await;
    let limit = json!({"helm_max_file_size": 100});
    t.admin().put("/application/plan_limits").json(&limit).await.is(200);
    refused(&t, &project, chart("hammer", "1.0.0"), "File is too large").await;
    nothing_is_kept(&t, &project).await;
}
