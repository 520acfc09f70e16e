//! Statements about a job, signed for other services: they tell by them who asks, so that
//! no password of theirs stands anywhere.

use super::Reading;
use identity::oauth::id_token;
use kernel::app::App;
use kernel::error::Result;
use kernel::secrets::random_token;
use pipeline_file::variables::expand_text;
use pipeline_file::{Level, Variable, Variables};
use serde_json::{Map, Value, json};
use spaces::access::role_name;
use spaces::model::Visibility;

/// Seconds before which a token is not believed, seen from when it is made: clocks differ.
const EARLIER: i64 = 5;
/// Seconds for which it is believed at least.
const LEAST: i64 = 300;
/// Longest audience, in bytes.
const LONGEST: usize = 4_096;

/// The variables of a job that hold such tokens.
pub async fn signed(app: &App, reading: &Reading, all: &Variables) -> Result<Vec<Variable>> {
    let wanted = &reading.definition.id_tokens;
    if wanted.is_empty() {
        return Ok(Vec::new());
    }
    let about = about(app, reading);
    let claims = wanted.values().map(|token| {
        let expanded = token.aud.iter().map(|text| expand_text(text, all, LONGEST));
        let mut claims = about.clone();
        claims.insert("aud".into(), audience(expanded.collect()));
        claims.insert("jti".into(), json!(random_token("").expose()));
        claims
    });
    let signed = id_token::signed(app, claims.collect()).await?;
    let variable = |(name, token): (&String, String)| Variable {
        raw: true,
        masked: true,
        ..Variable::new(Level::Manual, name.as_str(), token)
    };
    Ok(wanted.keys().zip(signed).map(variable).collect())
}

fn audience(mut all: Vec<String>) -> Value {
    match all.len() {
        1 => json!(all.remove(0)),
        _ => json!(all),
    }
}

/// What is said of a job to whoever it is for.
fn about(app: &App, reading: &Reading) -> Map<String, Value> {
    let (job, pipeline, project) = (&reading.job, &reading.pipeline, &reading.project);
    let kind = if pipeline.tag { "tag" } else { "branch" };
    let on_ref = pipeline.on_ref.as_str();
    let ref_path = match (on_ref.starts_with("refs/"), pipeline.tag) {
        (true, _) => on_ref.to_owned(),
        (false, true) => format!("refs/tags/{on_ref}"),
        (false, false) => format!("refs/heads/{on_ref}"),
    };
    let now = app.now().as_second();
    let mut claims = Map::new();
    let mut say = |name: &str, value: Value| drop(claims.insert(name.to_owned(), value));
    say("iss", json!(app.base_url()));
    say(
        "sub",
        json!(format!("project_path:{}:ref_type:{kind}:ref:{on_ref}", project.full_path)),
    );
    say("iat", json!(now));
    say("nbf", json!(now - EARLIER));
    say("exp", json!(now + reading.timeout().max(LEAST)));
    say("namespace_id", json!(project.namespace_id.to_string()));
    say("namespace_path", json!(project.namespace_full_path));
    say("project_id", json!(project.id.to_string()));
    say("project_path", json!(project.full_path));
    say("project_visibility", json!(Visibility::of(project.visibility).as_str()));
    if let Some(user) = &reading.user {
        say("user_id", json!(user.id.to_string()));
        say("user_login", json!(user.username));
        say("user_email", json!(user.email));
        say("user_access_level", json!(role_name(reading.level).to_lowercase()));
    }
    say("pipeline_id", json!(pipeline.id.to_string()));
    say("pipeline_source", json!(pipeline.source.as_str()));
    say("job_id", json!(job.id.to_string()));
    say("ref", json!(on_ref));
    say("ref_type", json!(kind));
    say("ref_path", json!(ref_path));
    say("ref_protected", json!(pipeline.protected.to_string()));
    if let Some(environment) = &job.environment {
        say("environment", json!(environment));
    }
    say("runner_id", json!(reading.runner.id));
    say("runner_environment", json!("self-hosted"));
    say("sha", json!(pipeline.sha));
    claims
}
