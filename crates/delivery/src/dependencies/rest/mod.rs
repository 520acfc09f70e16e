//! REST of dependencies (docs/interface/delivery.md 20).

mod lists;
mod problems;
mod uploads;

pub(super) fn routes(r: &mut kernel::http::Routes) {
    lists::routes(r);
    uploads::routes(r);
    problems::routes(r);
}
