//! On-call in GraphQL.

use crate::oncall::Watch;
use http::Method;
use serde_json::{Value, json};
use testkit::Client;

async fn ask(client: &Client, query: &str) -> Value {
    let request = client.request(Method::POST, "/api/graphql");
    request.json(&json!({"query": query})).await.is(200).json()
}

/// The `data` of a query without errors.
async fn data(client: &Client, query: &str) -> Value {
    let answer = ask(client, query).await;
    assert_eq!(answer["errors"], Value::Null, "{query}");
    answer["data"].clone()
}

/// A field of the project.
async fn of_project(client: &Client, field: &str) -> Value {
    let query = format!("{{project(fullPath:\"acme/anvil\"){{it:{field}}}}}");
    data(client, &query).await["project"]["it"].clone()
}

/// The payload of a mutation.
async fn done(client: &Client, name: &str, input: &str, fields: &str) -> Value {
    let query = format!("mutation{{it:{name}(input:{{{input}}}){{errors {fields}}}}}");
    data(client, &query).await["it"].clone()
}

/// A mutation that the caller may not do.
async fn refused(client: &Client, name: &str, input: &str) {
    let query = format!("mutation{{it:{name}(input:{{{input}}}){{errors}}}}");
    let answer = ask(client, &query).await;
    assert_eq!(answer["data"]["it"], Value::Null, "{query}");
    let text = answer["errors"][0]["message"].as_str().unwrap_or_default();
    assert!(text.starts_with("The resource that you are attempting to access"), "{answer}");
}

const HERE: &str = "projectPath:\"acme/anvil\"";
const ROTATION: &str = "oncallRotation{id name startsAt endsAt length lengthUnit \
    activePeriod{startTime endTime} participants{nodes{user{username}}}}";
const POLICY: &str = "escalationPolicy{id name description \
    rules{elapsedTimeSeconds status oncallSchedule{iid} user{username}}}";

fn id(shown: &Value) -> String {
    shown["id"].as_str().unwrap().to_owned()
}

#[testkit::story]
async fn schedules_and_rotations_are_made_changed_and_removed(t: testkit::TestServer) {
    let watch = Watch::new(&t).await;
    let admin = t.admin();
    let input = format!("{HERE} name:\"Nights\" timezone:\"Europe/Berlin\" description:\"Late\"");
    let made = done(
        &admin,
        "oncallScheduleCreate",
        &input,
        "oncallSchedule{iid name description timezone}",
    )
    .await;
    assert_eq!(
        made,
        json!({"errors": [], "oncallSchedule":
        {"iid": "1", "name": "Nights", "description": "Late", "timezone": "Europe/Berlin"}})
    );
    let again = done(&admin, "oncallScheduleCreate", &input, "oncallSchedule{iid}").await;
    assert_eq!(
        again,
        json!({"errors": ["Name has already been taken"], "oncallSchedule": null})
    );
    let input = format!("{HERE} iid:\"1\" description:null timezone:\"UTC\"");
    let changed = done(
        &admin,
        "oncallScheduleUpdate",
        &input,
        "oncallSchedule{name description timezone}",
    )
    .await;
    assert_eq!(
        changed["oncallSchedule"],
        json!({"name": "Nights", "description": null, "timezone": "UTC"})
    );
    done(
        &admin,
        "oncallScheduleUpdate",
        &format!("{HERE} iid:\"1\" timezone:\"Europe/Berlin\""),
        "",
    )
    .await;

    let rest = "rotationLength:{length:1 unit:DAYS} participants:[{username:\"jane\"},{username:\"carl\"}]";
    let input = format!(
        "{HERE} scheduleIid:\"1\" name:\"Daily\" startsAt:{{date:\"2031-03-29\" time:\"09:00\"}} {rest}"
    );
    let made = done(&admin, "oncallRotationCreate", &input, ROTATION).await;
    let shown = &made["oncallRotation"];
    assert_eq!(
        (
            &made["errors"],
            &shown["startsAt"],
            &shown["lengthUnit"],
            &shown["activePeriod"]
        ),
        (&json!([]), &json!("2031-03-29T08:00:00Z"), &json!("DAYS"), &json!(null)),
        "{made}"
    );
    assert_eq!(shown["participants"]["nodes"][1]["user"]["username"], "carl");
    let rotation = id(shown);
    let shifts = "rotations{nodes{shifts(startTime:\"2031-03-29T08:00:00Z\" endTime:\"2031-03-31T07:00:00Z\")\
        {nodes{startsAt endsAt participant{user{username}}}}}}";
    let found = of_project(
        &watch.jane,
        &format!("incidentManagementOncallSchedules{{nodes{{iid {shifts}}}}}"),
    )
    .await;
    assert_eq!(
        found["nodes"][0]["rotations"]["nodes"][0]["shifts"]["nodes"],
        json!([
            {"startsAt": "2031-03-29T08:00:00Z", "endsAt": "2031-03-30T07:00:00Z", "participant": {"user": {"username": "jane"}}},
            {"startsAt": "2031-03-30T07:00:00Z", "endsAt": "2031-03-31T07:00:00Z", "participant": {"user": {"username": "carl"}}},
        ])
    );
    let input = format!(
        "id:\"{rotation}\" startsAt:{{date:\"2020-01-01\" time:\"00:00\"}} \
        activePeriod:{{startTime:\"08:00\" endTime:\"17:00\"}} endsAt:{{date:\"2032-01-01\" time:\"00:00\"}} \
        participants:[{{username:\"carl\"}}]"
    );
    let changed = done(&admin, "oncallRotationUpdate", &input, ROTATION).await;
    let shown = &changed["oncallRotation"];
    assert_eq!(
        (
            &shown["name"],
            &shown["length"],
            &shown["activePeriod"]["endTime"],
            &shown["endsAt"]
        ),
        (&json!("Daily"), &json!(1), &json!("17:00"), &json!("2031-12-31T23:00:00Z")),
        "{changed}"
    );
    let input = format!("id:\"{rotation}\" activePeriod:null endsAt:null");
    let changed = done(&admin, "oncallRotationUpdate", &input, ROTATION).await;
    assert_eq!(
        (&changed["oncallRotation"]["activePeriod"], &changed["oncallRotation"]["endsAt"]),
        (&json!(null), &json!(null))
    );
    let one = format!(
        "incidentManagementOncallSchedules(iids:[\"1\",\"7\"]){{nodes{{oncallUsers{{username}} rotation(id:\"{rotation}\"){{name}}}}}}"
    );
    assert_eq!(
        of_project(&watch.jane, &one).await,
        json!({"nodes": [
        {"oncallUsers": [{"username": "carl"}], "rotation": {"name": "Daily"}}]})
    );
    for (name, input) in [
        ("oncallRotationUpdate", format!("id:\"{rotation}\" participants:[]")),
        (
            "oncallRotationUpdate",
            format!("id:\"{rotation}\" participants:[{{username:\"nobody\"}}]"),
        ),
        (
            "oncallRotationUpdate",
            format!("id:\"{rotation}\" startsAt:{{date:\"odd\" time:\"00:00\"}}"),
        ),
        (
            "oncallRotationUpdate",
            format!("id:\"{rotation}\" rotationLength:{{length:0 unit:WEEKS}}"),
        ),
        (
            "oncallRotationUpdate",
            format!("id:\"{rotation}\" activePeriod:{{startTime:\"8\" endTime:\"9\"}}"),
        ),
        ("oncallScheduleCreate", format!("{HERE} name:\"x\" timezone:\"Mars/Base\"")),
    ] {
        let answer = done(&admin, name, &input, "").await;
        assert_eq!(answer["errors"].as_array().map(Vec::len), Some(1), "{input}: {answer}");
    }
    let input = format!("{HERE} scheduleIid:\"1\" id:\"{rotation}\"");
    let gone = done(&admin, "oncallRotationDestroy", &input, ROTATION).await;
    assert_eq!(gone["oncallRotation"]["name"], "Daily");
    assert_eq!(
        data(&admin, &format!("{{node(id:\"{rotation}\"){{__typename}}}}")).await["node"],
        Value::Null
    );
    let gone = done(
        &admin,
        "oncallScheduleDestroy",
        &format!("{HERE} iid:\"1\""),
        "oncallSchedule{name}",
    )
    .await;
    assert_eq!(gone["oncallSchedule"]["name"], "Nights");
    assert_eq!(
        of_project(&admin, "incidentManagementOncallSchedules{nodes{iid}}").await["nodes"],
        json!([])
    );
}

#[testkit::story]
async fn a_policy_is_made_changed_and_removed(t: testkit::TestServer) {
    let watch = Watch::new(&t).await;
    let admin = t.admin();
    watch.schedule("Nights").await;
    let rules = "rules:[{elapsedTimeSeconds:60 status:RESOLVED username:\"carl\"},\
        {elapsedTimeSeconds:0 status:ACKNOWLEDGED oncallScheduleIid:\"1\"}]";
    let input = format!("{HERE} name:\"Wake up\" description:\"x\" {rules}");
    let made = done(&admin, "escalationPolicyCreate", &input, POLICY).await;
    let shown = &made["escalationPolicy"];
    assert_eq!(
        (&made["errors"], &shown["rules"]),
        (
            &json!([]),
            &json!([
                {"elapsedTimeSeconds": 0, "status": "ACKNOWLEDGED", "oncallSchedule": {"iid": "1"}, "user": null},
                {"elapsedTimeSeconds": 60, "status": "RESOLVED", "oncallSchedule": null, "user": {"username": "carl"}},
            ])
        )
    );
    let policy = id(shown);
    let again = done(&admin, "escalationPolicyCreate", &input, "").await;
    assert_eq!(again["errors"], json!(["This project has an escalation policy already"]));
    let input = format!(
        "id:\"{policy}\" name:\"Call\" rules:[{{elapsedTimeSeconds:0 status:RESOLVED username:\"jane\"}}]"
    );
    let changed = done(&admin, "escalationPolicyUpdate", &input, POLICY).await;
    assert_eq!(changed["escalationPolicy"]["rules"][0]["user"]["username"], "jane");
    for wrong in [
        "rules:[]",
        "rules:[{elapsedTimeSeconds:0 status:RESOLVED}]",
        "rules:[{elapsedTimeSeconds:0 status:RESOLVED username:\"nobody\"}]",
        "name:\" \"",
    ] {
        let answer =
            done(&admin, "escalationPolicyUpdate", &format!("id:\"{policy}\" {wrong}"), "").await;
        assert_eq!(answer["errors"].as_array().map(Vec::len), Some(1), "{wrong}: {answer}");
    }
    let found = of_project(
        &watch.jane,
        "incidentManagementEscalationPolicies(name:\"cal\"){nodes{id name}}",
    )
    .await;
    assert_eq!(found["nodes"], json!([{"id": policy, "name": "Call"}]));
    let none =
        of_project(&watch.jane, "incidentManagementEscalationPolicies(name:\"other\"){nodes{id}}")
            .await;
    assert_eq!(none["nodes"], json!([]));
    let one = format!("incidentManagementEscalationPolicy(id:\"{policy}\"){{name}}");
    assert_eq!(of_project(&watch.jane, &one).await["name"], "Call");
    let gone = done(&admin, "escalationPolicyDestroy", &format!("id:\"{policy}\""), POLICY).await;
    assert_eq!(gone["escalationPolicy"]["rules"].as_array().map(Vec::len), Some(1));
    assert_eq!(of_project(&watch.jane, &one).await, Value::Null);
}

#[testkit::story]
async fn what_is_hidden_in_rest_is_hidden_here(t: testkit::TestServer) {
    let watch = Watch::new(&t).await;
    let nights = watch.schedule("Nights").await;
    let rotation = watch.rotation(&nights, "2031-01-01T00:00:00Z", &[&watch.jane]).await;
    let policy = watch
        .policy(
            json!([{"elapsed_time_seconds": 0, "status": "resolved", "oncall_schedule_iid": 1}]),
        )
        .await;
    let of = |model: &str, path: &str| {
        let number = path.rsplit('/').next().unwrap_or_default();
        format!("gid://service/IncidentManagement::{model}/{number}")
    };
    let (rotation, policy) = (of("OncallRotation", &rotation), of("EscalationPolicy", &policy));
    let (gus, rita, zoe) = (t.user("gus").await, t.user("rita").await, t.user("zoe").await);
    watch.project.add(&gus, 10).await;
    watch.project.add(&rita, 20).await;
    let lists = "incidentManagementOncallSchedules{nodes{name}} incidentManagementEscalationPolicies{nodes{name}}";
    let all = format!(
        "{{project(fullPath:\"acme/anvil\"){{{lists}}} nodes(ids:[\"{rotation}\",\"{policy}\"]){{__typename}}}}"
    );
    let seen = data(&rita, &all).await;
    assert_eq!(
        seen["nodes"],
        json!([{"__typename": "IncidentManagementOncallRotation"}, {"__typename": "EscalationPolicyType"}])
    );
    assert_eq!(
        seen["project"]["incidentManagementOncallSchedules"]["nodes"],
        json!([{"name": "Nights"}])
    );
    let guest = data(&gus, &all).await;
    assert_eq!(
        (
            &guest["nodes"],
            &guest["project"]["incidentManagementEscalationPolicies"]["nodes"],
            &guest["project"]["incidentManagementOncallSchedules"]["nodes"]
        ),
        (&json!([null, null]), &json!([]), &json!([]))
    );
    assert_eq!(data(&zoe, &all).await, json!({"project": null, "nodes": [null, null]}));
    for client in [&*zoe, &*gus, &*rita, &*watch.jane] {
        refused(client, "oncallScheduleUpdate", &format!("{HERE} iid:\"1\" name:\"x\"")).await;
        refused(client, "oncallScheduleDestroy", &format!("{HERE} iid:\"1\"")).await;
        refused(client, "oncallRotationUpdate", &format!("id:\"{rotation}\" name:\"x\"")).await;
        refused(
            client,
            "oncallRotationDestroy",
            &format!("{HERE} scheduleIid:\"1\" id:\"{rotation}\""),
        )
        .await;
        refused(client, "escalationPolicyUpdate", &format!("id:\"{policy}\" name:\"x\"")).await;
        refused(client, "escalationPolicyDestroy", &format!("id:\"{policy}\"")).await;
    }
    refused(&t.admin(), "oncallScheduleUpdate", &format!("{HERE} iid:\"9\" name:\"x\"")).await;
    refused(
        &t.admin(),
        "oncallRotationUpdate",
        "id:\"gid://service/IncidentManagement::OncallRotation/999\" name:\"x\"",
    )
    .await;
}

#[testkit::story]
async fn lists_take_a_fixed_number_of_statements(t: testkit::TestServer) {
    let watch = Watch::new(&t).await;
    for n in 0..12 {
        let schedule = watch.schedule(&format!("Schedule {n}")).await;
        watch
            .rotation(&schedule, "2031-01-01T00:00:00Z", &[&watch.jane, &watch.carl])
            .await;
    }
    let sent = || {
        let line = "http_request_statements_total{method=\"POST\",route=\"/api/graphql\"} ";
        let text = t.app().metrics().render();
        let count = text.lines().find_map(|one| one.strip_prefix(line).map(str::to_owned));
        count.map_or(0, |count| count.parse::<u64>().unwrap())
    };
    let cost = async |rows: usize| {
        let before = sent();
        let found = of_project(&t.admin(), &format!("incidentManagementOncallSchedules(first:{rows}){{nodes{{\
            oncallUsers{{username}} rotations{{nodes{{participants{{nodes{{user{{username}}}}}}}}}}}}}}")).await;
        assert_eq!(found["nodes"].as_array().map(Vec::len), Some(rows));
        sent() - before
    };
    cost(1).await;
    let few = cost(2).await;
    assert_eq!(few, cost(12).await);
}
