//! What most handlers begin with: the application, and who asks.

use crate::viewer::Viewer;
use kernel::app::App;
use kernel::error::Result;
use kernel::http::{Call, FromCall};
use store::Tx;

/// The application as a viewer asks it.
#[derive(Clone)]
pub struct Caller {
    pub app: App,
    pub viewer: Viewer,
}

impl FromCall for Caller {
    async fn from_call(call: &mut Call) -> Result<Caller> {
        Ok(Caller {
            app: call.app.clone(),
            viewer: Viewer::from_call(call).await?,
        })
    }
}

impl Caller {
    /// [`App::read`] with who asks.
    pub async fn read<T, F>(self, work: F) -> Result<T>
    where
        F: FnOnce(&mut Tx<'_>, &Caller) -> Result<T> + Send + 'static,
        T: Send + 'static,
    {
        let app = self.app.clone();
        app.read(move |tx| work(tx, &self)).await
    }

    /// [`App::write`] with who asks.
    pub async fn write<T, F>(self, work: F) -> Result<T>
    where
        F: Fn(&mut Tx<'_>, &Caller) -> Result<T> + Send + 'static,
        T: Send + 'static,
    {
        let app = self.app.clone();
        app.write(move |tx| work(tx, &self)).await
    }
}
