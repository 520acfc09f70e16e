//! REST of environments, deployments and freezes (docs/interface/delivery.md 9).

mod deployments;
mod environments;
mod freezes;

use kernel::http::Routes;

pub fn routes(r: &mut Routes) {
    environments::routes(r);
    deployments::routes(r);
    freezes::routes(r);
}
