//! Where merge requests of branches are made, by a page of a room above.

use crate::entity::in_address;

/// The address where one of a branch is made, into another branch if that is named.
pub fn merge_request_url(project_url: &str, source: &str, target: Option<&str>) -> String {
    let page = format!("{project_url}/-/merge_requests/new");
    let source = format!("merge_request%5Bsource_branch%5D={}", in_address(source));
    match target {
        None => format!("{page}?{source}"),
        Some(target) => {
            let target = in_address(target);
            format!("{page}?{source}&merge_request%5Btarget_branch%5D={target}")
        }
    }
}

#[cfg(test)]
mod tests {
    use super::merge_request_url;

    #[test]
    fn names_of_branches_stay_in_their_parameter() {
        let page = "/acme/anvil/-/merge_requests/new?merge_request%5Bsource_branch%5D=a%26b/c";
        assert_eq!(merge_request_url("/acme/anvil", "a&b/c", None), page);
        let target = format!("{page}&merge_request%5Btarget_branch%5D=x%23y");
        assert_eq!(merge_request_url("/acme/anvil", "a&b/c", Some("x#y")), target);
    }
}
