//! What rooms ask of those above them, plugged in.

use imports::settings::Providers;
use kernel::own_address::OwnAddress;
use spaces::pages::code_front::CodeFronts;
use spaces::pages::counts::OpenMergeRequests;
use spaces::pages::panels::{HeadMenus, Panels};
use store::{Plugs, Store};

/// What rooms ask of the rooms above them.
pub fn plugs() -> store::Result<Plugs> {
    let mut plugs = Plugs::default();
    let mut users = identity::hooks::Hooks::default();
    spaces::hooks::plug_into_identity(&mut users);
    users.pending_todos = Some(planning::hooks::pending_todos);
    users.handing_over.push(packages::jobs::hand_over);
    users.handing_over.push(planning::hooks::hand_over);
    users.handing_over.push(releases::hooks::hand_over);
    users.handing_over.push(snippets::hooks::hand_over);
    users.handing_over.push(reviews::hooks::hand_over);
    users.handing_over.push(imports::hooks::hand_over);
    users.user_destroying.push(planning::hooks::user_destroying);
    users.user_destroying.push(monitoring::on_call::user_destroying);
    users.user_destroying.push(snippets::hooks::user_destroying);
    users.settings.push(spaces::uploads::limits::PART);
    users.settings.push(packages::forwarding::PART);
    users.settings.push(planning::access::switches::PART);
    users.settings.push(monitoring::errors::limits::PART);
    users.settings.push(monitoring::alerts::limits::PART);
    users.settings.push(search::limits::PART);
    users.settings.push(repositories::receive::limits::PART);
    users.settings.push(repositories::lfs::settings::PART);
    users.settings.push(repositories::storages::PART);
    users.settings.push(repositories::moves::settings::PART);
    users.settings.push(repositories::size_limit::PART);
    users.settings.push(repositories::edits::signing::PART);
    users.settings.push(repositories::mirrors::pull::switch::PART);
    users.settings.push(code::limits::PART);
    users.settings.push(delivery::pipelines::settings::PART);
    users.settings.push(delivery::runners::settings::PART);
    users.settings.push(delivery::dependencies::switches::PART);
    users.settings.push(reviews::diffs::PART);
    users.settings.push(imports::settings::PART);
    users.settings.push(imports::archive::settings::PART);
    users.job_of_token = Some(delivery::runners::of_token);
    plugs.plug(users)?;
    plugs.plug(planning::hooks::Hooks {
        issue_closed: vec![monitoring::alerts::rules::incidents::issue_closed],
        named_alerts: Some(monitoring::alerts::graph::named),
        milestones_replaced: vec![
            releases::hooks::milestones_replaced,
            reviews::hooks::milestones_replaced,
        ],
        labels_replaced: vec![reviews::hooks::labels_replaced],
    })?;
    plugs.plug(reviews::hooks::REQUESTS)?;
    plugs.plug(planning::targets::TargetKinds::with([
        monitoring::alerts::graph::KIND,
        snippets::talk::KIND,
        reviews::talk::KIND,
        reviews::commits::talk::KIND,
    ]))?;
    plugs.plug(repositories::hooks::Hooks {
        pushed: vec![
            delivery::pipelines::pushed,
            reviews::hooks::pushed,
            // A merge closes what its commit says that it closes, too.
            planning::rules::pushed::pushed,
        ],
        answers: vec![reviews::hooks::answer],
        deploy_key_pushes: Some(ssh::rules::deploy::may_push),
        opened: Some(reviews::hooks::opened),
        for_administrators: Some(reviews::hooks::of_banned),
        contents: vec![wikis::hooks::CONTENTS, snippets::hooks::CONTENTS],
        snippets: Some(snippets::hooks::MOVES),
        imports_by_address: Some(imports::hooks::imports_by_address),
    })?;
    plugs.plug(code::hooks::Hooks {
        releases_of_tags: Some(releases::hooks::of_tags),
        last_pipelines: Some(delivery::pipelines::of_commits),
        requests_merges: Some(reviews::hooks::panels::may_request),
        below_commit: Some(reviews::commits::pages::below),
    })?;
    plugs.plug(packages::source::Repositories::default())?;
    plugs.plug(delivery::pipelines::OF_PACKAGES)?;
    plugs.plug(reviews::hooks::of_pipelines())?;
    plugs.plug(delivery::queue::Bell::default())?;
    plugs.plug(spaces::access::JobsEnter(delivery::job_tokens::may_enter))?;
    plugs.plug(search::sources())?;
    plugs.plug(kernel::markup::RecentTexts::default())?;
    plugs.plug(OwnAddress::default())?;
    plugs.plug(Providers::default())?;
    plugs.plug(Panels(vec![
        reviews::hooks::panels::pushed,
        reviews::hooks::panels::reviews,
        reviews::hooks::panels::assigned,
        monitoring::alerts::pages::panels::alerts,
        monitoring::errors::pages::panels::errors,
        planning::pages::panels::issues,
        packages::pages::panels::packages,
        snippets::pages::panels::snippets,
        activity::panels::calendar,
        activity::panels::activity,
    ]))?;
    plugs.plug(HeadMenus(vec![planning::pages::notifications::menu]))?;
    plugs.plug(CodeFronts(vec![code::pages::home::front]))?;
    plugs.plug(OpenMergeRequests(Some(reviews::hooks::panels::open_here)))?;
    plugs.plug(spaces::hooks::Hooks {
        contents: vec![
            spaces::uploads::CONTENTS,
            packages::jobs::CONTENTS,
            planning::hooks::CONTENTS,
            monitoring::errors::jobs::CONTENTS,
            monitoring::alerts::jobs::CONTENTS,
            snippets::hooks::OF_PROJECTS,
            delivery::runners::CONTENTS,
            reviews::hooks::CONTENTS,
            reviews::hooks::COMMITS,
        ],
        project_destroying: vec![
            packages::jobs::project_destroying,
            planning::hooks::project_destroying,
            delivery::runners::project_destroying,
            reviews::hooks::project_destroying,
        ],
        group_destroying: vec![planning::hooks::group_destroying],
        project_created: vec![repositories::push_rules::project_created],
        project_moved: vec![planning::hooks::project_moved],
        initialize: Some(repositories::edits::initialize_new),
        fork_code: Some(repositories::forks::copy),
        code_about: Some(code::about::read),
        blobs_unnamed: Some(packages::jobs::release_soon),
        packages_size: Some(packages::jobs::sizes),
        open_issues: Some(planning::hooks::open_issues),
        issues_of: Some(planning::hooks::issues_of),
        requests_of: Some(reviews::hooks::made_by),
        has_epics: Some(planning::access::switches::has_epics),
        references: Some(planning::hooks::references),
        repository_sizes: Some(repositories::store::sizes),
        large_file_sizes: Some(repositories::lfs::sizes),
        code_storages: Some(repositories::storages::of_projects),
        code_lies_in: Some(repositories::storages::projects_in),
        default_branch: Some(repositories::rules::heads::set_default_branch),
        ci_settings: Some(delivery::pipelines::ci_settings::HOOKS),
        merge_settings: Some(reviews::hooks::MERGE_SETTINGS),
        storage_moves: Some(repositories::moves::HOOKS),
        mirror_settings: Some(repositories::mirrors::pull::MIRROR_SETTINGS),
    })?;
    Ok(plugs)
}

/// Fails for a store that was opened without what a room asks for.
pub(super) fn check_plugs(store: &Store) -> store::Result<()> {
    store.plugged::<identity::hooks::Hooks>()?;
    store.plugged::<spaces::hooks::Hooks>()?;
    store.plugged::<planning::hooks::Hooks>()?;
    store.plugged::<planning::requests::Requests>()?;
    store.plugged::<planning::targets::TargetKinds>()?;
    store.plugged::<repositories::hooks::Hooks>()?;
    store.plugged::<code::hooks::Hooks>()?;
    store.plugged::<packages::source::Repositories>()?;
    store.plugged::<packages::builds::Hooks>()?;
    store.plugged::<delivery::queue::Bell>()?;
    store.plugged::<spaces::access::JobsEnter>()?;
    store.plugged::<kernel::search::Sources>()?;
    store.plugged::<kernel::markup::RecentTexts>()?;
    store.plugged::<OwnAddress>()?;
    store.plugged::<Providers>()?;
    store.plugged::<Panels>()?;
    store.plugged::<HeadMenus>()?;
    store.plugged::<CodeFronts>()?;
    store.plugged::<OpenMergeRequests>()?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_store_without_what_rooms_ask_for_is_refused() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let mut config = store::Config::sqlite(&folder.path().join("test.db"));
        let bare = Store::open(config.clone(), &[]).expect("it opens");
        let refused = check_plugs(&bare).map_err(|error| error.to_string());
        let said = "nothing is plugged in as identity::hooks::Hooks";
        assert_eq!(refused, Err(said.to_owned()));

        config.plugs = plugs().expect("nothing is plugged in twice");
        let whole = Store::open(config, &[]).expect("it opens");
        assert_eq!(check_plugs(&whole), Ok(()));
    }
}
