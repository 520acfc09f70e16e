//! Mail about signing up and in.

use super::mail::{plain, post};
use crate::model::User;
use crate::sign_up::{is_pending, unconfirmed};
use crate::tasks::{AddressInUse, Decided, NewPlace, PendingUser};
use crate::users;
use kernel::jobs::{Failure, Job, Run};
use kernel::time::Timestamp;
use serde::{Deserialize, Serialize};

impl Job for AddressInUse {
    const NAME: &'static str = "identity.address_in_use";

    async fn run(self, run: Run) -> Result<(), Failure> {
        let text = format!(
            "Hello,\n\nsomebody, perhaps you, tried to sign up at {} with this address. It belongs \
             to an account already, so no other was made.\n\nSign in: {}\nChoose a new password: \
             {}\n\nIf that was not you, ignore this mail.\n",
            run.app.base_url(),
            run.app.url("/users/sign_in"),
            run.app.url("/users/password/new"),
        );
        let message = plain(self.to, "You have an account already", text);
        post(&run.app, message).await
    }
}

/// Ends accounts that nobody confirmed, where administrators want that.
#[derive(Debug, Default, Serialize, Deserialize)]
pub struct EndUnconfirmed {}

impl Job for EndUnconfirmed {
    const NAME: &'static str = "identity.end_unconfirmed";

    fn dedupe_key(&self) -> Option<String> {
        Some("all".into())
    }

    async fn run(self, run: Run) -> Result<(), Failure> {
        let mut after = 0;
        while let Some(last) = run.app.write(move |tx| unconfirmed::end_some(tx, after)).await? {
            after = last;
        }
        Ok(())
    }
}

impl Job for PendingUser {
    const NAME: &'static str = "identity.pending_user";

    async fn run(self, run: Run) -> Result<(), Failure> {
        let found = run.app.read(move |tx| {
            let user = users::find(tx, self.user)?.filter(is_pending);
            let told = users::find(tx, self.administrator)?;
            Ok(user.zip(told.filter(|told| told.is_admin)))
        });
        let Some((user, administrator)) = found.await? else {
            return Ok(());
        };
        let text = format!(
            "Hello {},\n\n{} (@{}, {}) has signed up and waits to be let in:\n\n{}\n",
            administrator.name,
            user.name,
            user.username,
            user.email,
            run.app.url(&format!("/admin/users/{}", user.username)),
        );
        let message = plain(administrator.email, "Somebody waits for approval", text);
        post(&run.app, message).await
    }
}

impl Job for Decided {
    const NAME: &'static str = "identity.approval_decided";

    async fn run(self, run: Run) -> Result<(), Failure> {
        let (subject, what) = match self.approved {
            true => (
                "Your account is approved",
                format!(
                    "an administrator has let you in. Once your address is confirmed you can sign \
                     in:\n\n{}",
                    run.app.url("/users/sign_in")
                ),
            ),
            false => (
                "Your request to join was rejected",
                format!(
                    "an administrator has rejected your request to join {}.",
                    run.app.base_url()
                ),
            ),
        };
        let text = format!("Hello {},\n\n{what}\n", self.name);
        post(&run.app, plain(self.to, subject, text)).await
    }
}

impl Job for NewPlace {
    const NAME: &'static str = "identity.new_place";

    async fn run(self, run: Run) -> Result<(), Failure> {
        let id = self.user;
        let user = run.app.read(move |tx| users::find(tx, id)).await?;
        let Some(user) = user.filter(User::is_human) else {
            return Ok(());
        };
        let at = Timestamp::from_microsecond(self.at)
            .map_err(|error| Failure::GiveUp(error.to_string()))?;
        let text = format!(
            "Hello {},\n\nsomebody signed in to the account {} at {} from a new place:\n\n\
             Time: {}\nAddress: {}\nBrowser: {}\n\nIf that was you, there is nothing to do. If \
             not, end the session and change your password:\n\n{}\n",
            user.name,
            user.username,
            run.app.base_url(),
            at.strftime("%-d %b %Y, %H:%M UTC"),
            self.ip,
            self.browser,
            run.app.url("/-/user_settings/sessions"),
        );
        let message = plain(user.email, "Sign-in from a new place", text);
        post(&run.app, message).await
    }
}
