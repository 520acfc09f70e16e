//! Cleanup rules within a project's policy.

use crate::graphql::{ask, ask_with, data};
use serde_json::json;

const SET: &str = "mutation($rules:[PackagesCleanupRuleInput!]){updatePackagesCleanupPolicy(input:{\
    projectPath:\"acme/anvil\",rules:$rules}){errors packagesCleanupPolicy{\
    keepNDuplicatedPackageFiles rules{packageType enabled keepLast removeNameRegex}}}}";
const SHOWN: &str = "{project(fullPath:\"acme/anvil\"){packagesCleanupPolicy{rules{packageType \
    enabled keepLast olderThanDays notDownloadedDays neverDownloaded keepNameRegex \
    keepVersionRegex removeNameRegex removeVersionRegex nextRunAt}}}}";
const PREVIEW: &str = "{project(fullPath:\"acme/anvil\"){packagesCleanupPolicy{rules{\
    preview(first:1){packagesCount packagesSize packages{name version size reasons \
    lastDownloadedAt}}}}}}";

#[testkit::story(noon)]
async fn a_policy_has_rules_with_dry_runs(t: testkit::TestServer) {
    let project = t.project("acme/anvil").await;
    for version in ["1.0", "1.1", "1.2"] {
        project.generic_package("hammer", version).await;
        t.advance(60);
    }
    let guest = t.user("guest").await;
    project.add(&guest, 10).await;
    let rules = json!([{"packageType": "GENERIC", "keepLast": 1, "enabled": true}]);

    let refused = ask_with(&guest, SET, json!({"rules": rules})).await;
    assert_eq!(refused["data"]["updatePackagesCleanupPolicy"], json!(null));
    let set = ask_with(&t.admin(), SET, json!({"rules": rules})).await;
    assert_eq!(
        set["data"]["updatePackagesCleanupPolicy"],
        json!({"errors": [],
        "packagesCleanupPolicy": {"keepNDuplicatedPackageFiles": "ALL_PACKAGE_FILES", "rules": [
            {"packageType": "GENERIC", "enabled": true, "keepLast": 1, "removeNameRegex": null}]}})
    );

    let shown = data(&t.admin(), SHOWN).await["project"]["packagesCleanupPolicy"]["rules"].clone();
    assert_eq!(
        shown,
        json!([{"packageType": "GENERIC", "enabled": true, "keepLast": 1,
        "olderThanDays": null, "notDownloadedDays": null, "neverDownloaded": false,
        "keepNameRegex": null, "keepVersionRegex": null, "removeNameRegex": null,
        "removeVersionRegex": null, "nextRunAt": "2031-05-07T00:03:00Z"}])
    );
    let told = data(&t.admin(), PREVIEW).await["project"]["packagesCleanupPolicy"]["rules"].clone();
    assert_eq!(
        told,
        json!([{"preview": {"packagesCount": 2, "packagesSize": "12", "packages": [
        {"name": "hammer", "version": "1.1", "size": "6", "lastDownloadedAt": null,
         "reasons": ["not among the newest 1 of its name"]}]}}])
    );
    let hidden = data(&guest, SHOWN).await["project"]["packagesCleanupPolicy"].clone();
    assert_eq!(hidden, json!(null));

    let kept = "mutation{updatePackagesCleanupPolicy(input:{projectPath:\"acme/anvil\"}){\
        packagesCleanupPolicy{rules{keepLast}}}}";
    let kept = ask(&t.admin(), kept).await;
    let policy = &kept["data"]["updatePackagesCleanupPolicy"]["packagesCleanupPolicy"];
    assert_eq!(policy["rules"], json!([{"keepLast": 1}]), "nothing was said of rules");
    let bad = json!([{"packageType": "NPM"}]);
    let refused = ask_with(&t.admin(), SET, json!({"rules": bad})).await;
    let errors = &refused["data"]["updatePackagesCleanupPolicy"]["errors"];
    assert!(
        errors[0].as_str().is_some_and(|text| text.contains("say what goes")),
        "{refused}"
    );
    let none = ask_with(&t.admin(), SET, json!({"rules": []})).await;
    let policy = &none["data"]["updatePackagesCleanupPolicy"]["packagesCleanupPolicy"];
    assert_eq!(policy["rules"], json!([]));
}
