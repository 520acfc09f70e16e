//! Where alerts come from.

use super::*;

#[testkit::story]
async fn integrations_are_made_changed_and_removed(t: TestServer) {
    let project = t.project("acme/anvil").await;
    let (jane, carl) = (t.user("jane").await, t.user("carl").await);
    project.add(&jane, 40).await;
    project.add(&carl, 30).await;
    let fields = "integration{id type name active token url apiUrl payloadExample \
        payloadAttributeMappings{fieldName path label type} payloadAlertFields{path label type}}";
    let input = format!(
        "{HERE},name:\"Grid\",active:true,payloadExample:\"{{\\\"a\\\":{{\\\"b\\\":[\\\"x\\\"]}}}}\",\
        payloadAttributeMappings:[{{fieldName:TITLE,path:[\"a\",\"b\",0],type:STRING}}]"
    );
    let made = done(&jane, "httpIntegrationCreate", &input, fields).await;
    assert_eq!(made["errors"], json!([]));
    let one = &made["integration"];
    assert_eq!(
        (&one["type"], &one["name"], &one["active"], &one["apiUrl"]),
        (&json!("HTTP"), &json!("Grid"), &json!(true), &Value::Null)
    );
    assert_eq!(
        one["payloadAttributeMappings"],
        json!([{"fieldName": "TITLE", "path": ["a", "b", 0], "label": "a/b[0]", "type": "STRING"}])
    );
    assert_eq!(
        one["payloadAlertFields"],
        json!([{"path": ["a", "b"], "label": "a/b", "type": "ARRAY"},
        {"path": ["a", "b", 0], "label": "a/b[0]", "type": "STRING"}])
    );
    let id = one["id"].as_str().unwrap();
    assert!(id.starts_with("gid://service/AlertManagement::HttpIntegration/"), "{id}");
    let (token, url) = (one["token"].as_str().unwrap(), one["url"].as_str().unwrap());
    let path = url.strip_prefix(&t.url()).unwrap().to_owned();
    let sent = t
        .anonymous()
        .request(Method::POST, path.clone())
        .header("authorization", &format!("Bearer {token}"));
    assert_eq!(
        sent.json(&json!({"a": {"b": ["Mapped"]}})).await.is(200).json()[0]["title"],
        "Mapped"
    );

    let named = format!("id:\"{id}\"");
    let changed = done(
        &jane,
        "httpIntegrationUpdate",
        &format!("{named},name:\"Net\",active:false"),
        fields,
    )
    .await;
    assert_eq!(
        (&changed["integration"]["name"], &changed["integration"]["active"]),
        (&json!("Net"), &json!(false))
    );
    assert_eq!(
        changed["integration"]["payloadAttributeMappings"],
        one["payloadAttributeMappings"]
    );
    let nothing = done(&jane, "httpIntegrationUpdate", &named, "integration{id}").await;
    assert_eq!(
        nothing,
        json!({"errors": ["Please provide attributes to update"], "integration": null})
    );
    let blank = done(
        &jane,
        "httpIntegrationUpdate",
        &format!("{named},name:\" \""),
        "integration{id}",
    )
    .await;
    assert_eq!(blank["errors"], json!(["Name can't be blank"]));
    let reset = done(&jane, "httpIntegrationResetToken", &named, "integration{token}").await;
    assert_ne!(reset["integration"]["token"], token);

    for input in ["httpIntegrationUpdate", "httpIntegrationResetToken", "httpIntegrationDestroy"] {
        refused(&carl, input, &named).await;
    }
    refused(&carl, "httpIntegrationCreate", &format!("{HERE},name:\"x\",active:true")).await;
    assert_eq!(
        of_project(&carl, "alertManagementIntegrations{nodes{token}}").await,
        json!({"nodes": []})
    );
    let gone = done(&jane, "httpIntegrationDestroy", &named, "integration{name}").await;
    assert_eq!(gone, json!({"errors": [], "integration": {"name": "Net"}}));
    refused(&jane, "httpIntegrationDestroy", &named).await;
    assert_eq!(
        of_project(&jane, "alertManagementIntegrations{nodes{id}}").await,
        json!({"nodes": []})
    );
}

#[testkit::story]
async fn integrations_of_the_metrics_tool_are_shown_as_such(t: TestServer) {
    let desk = Desk::metrics(&t, "acme/anvil").await;
    let jane = t.user("jane").await;
    desk.project.add(&jane, 40).await;
    let second = done(
        &jane,
        "prometheusIntegrationCreate",
        &format!("{HERE},active:true"),
        "integration{id}",
    )
    .await;
    assert_eq!(
        second,
        json!({"errors": ["Multiple Prometheus integrations are not supported"], "integration": null})
    );
    let listed =
        of_project(&jane, "alertManagementIntegrations{nodes{__typename id type url}}").await;
    let node = &listed["nodes"][0];
    let number = desk.integration["id"].to_string();
    assert_eq!(
        (&node["__typename"], &node["type"], &node["id"]),
        (
            &json!("AlertManagementPrometheusIntegration"),
            &json!("PROMETHEUS"),
            &json!(format!("gid://service/Integrations::Prometheus/{number}"))
        )
    );
    assert!(
        node["url"]
            .as_str()
            .unwrap()
            .ends_with("/acme/anvil/prometheus/alerts/notify.json")
    );
    for (model, expected) in [
        ("Integrations::Prometheus", 1),
        ("PrometheusService", 1),
        ("AlertManagement::HttpIntegration", 0),
        ("Issue", 0),
    ] {
        let field = format!(
            "alertManagementIntegrations(id:\"gid://service/{model}/{number}\"){{nodes{{id}}}}"
        );
        assert_eq!(
            of_project(&jane, &field).await["nodes"].as_array().unwrap().len(),
            expected,
            "{model}"
        );
    }
    let old = format!("id:\"gid://service/PrometheusService/{number}\"");
    let changed = done(
        &jane,
        "prometheusIntegrationUpdate",
        &format!("{old},active:false"),
        "integration{active}",
    )
    .await;
    assert_eq!(changed["integration"]["active"], false);
    let reset = done(&jane, "prometheusIntegrationResetToken", &old, "integration{token}").await;
    assert_ne!(reset["integration"]["token"], desk.integration["token"]);
    let all = of_project(&jane, "alertManagementHttpIntegrations{nodes{id type}}").await;
    assert_eq!(
        all["nodes"],
        json!([{"id": format!("gid://service/AlertManagement::HttpIntegration/{number}"), "type": "PROMETHEUS"}])
    );
    let offered = of_project(&jane, "alertManagementPayloadFields(payloadExample:\"{\\\"at\\\":\\\"2025-01-01\\\",\\\"n\\\":1}\"){path label type}").await;
    assert_eq!(offered, json!([{"path": ["at"], "label": "at", "type": "DATETIME"}]));
    let wrong = ask(&jane, "{project(fullPath:\"acme/anvil\"){alertManagementPayloadFields(payloadExample:\"[]\"){label}}}").await;
    assert_eq!(wrong["errors"][0]["message"], "payloadExample must be a JSON object");
    let deep = format!("{{\"a\":{}{}}}", "[".repeat(100), "]".repeat(100));
    let body = json!({"query": "query($it:String!){project(fullPath:\"acme/anvil\"){alertManagementPayloadFields(payloadExample:$it){label}}}",
        "variables": {"it": deep}});
    let wrong = jane.request(Method::POST, "/api/graphql").json(&body).await.is(200).json();
    assert_eq!(
        wrong["errors"][0]["message"],
        "payloadExample is too large or nested too deeply"
    );
    desk.send_group(json!([item("f", "firing")])).await.is(401);
    drop(group(json!([])));
}
