//! The types `Group` and `Namespace`, and one of either by its path.

use super::loaders::{Groups, namespaces};
use super::{GROUP_ID, NAMESPACE_ID, NamespaceView, placed};
use crate::access::{self, Purpose};
use crate::model::Visibility;
use identity::graph::viewer;
use kernel::graph::{Graph, HasTypeRef, ID, ObjectBuilder, STRING, argument, object};
use kernel::ids::{Reference, fold};
use store::{Fragment, Tx};

pub fn graph(g: &mut Graph) {
    place(
        g.object::<NamespaceView>("Group", "A group of projects and people.")
            .field("id", ID.required(), |it| GROUP_ID.of(it.namespace.id))
            .describe("Global ID.")
            .field("webUrl", STRING.required(), |it| it.namespace.web_url(&it.base_url))
            .describe("Its page.")
            .load::<Groups, _>("parent", object::<NamespaceView>("Group"), |it| {
                it.namespace.parent_id
            })
            .describe("The group it is in."),
    );
    place(
        g.object::<NamespaceView>("Namespace", "A group, or what is a user's own.")
            .field("id", ID.required(), |it| NAMESPACE_ID.of(it.namespace.id))
            .describe("Global ID."),
    );
    queries(g);
}

fn place(place: ObjectBuilder<'_, NamespaceView>) {
    place
        .field("fullPath", ID.required(), |it| it.namespace.full_path.clone())
        .describe("Its path with those of the groups above.")
        .field("path", STRING.required(), |it| it.namespace.path.clone())
        .describe("Last part of its path.")
        .field("name", STRING.required(), |it| it.namespace.name.clone())
        .describe("Display name.")
        .field("fullName", STRING.required(), |it| it.namespace.full_name.clone())
        .describe("Display name with those of the groups above.")
        .field("description", STRING, |it| Some(it.namespace.description.clone()))
        .describe("What it is, in Markdown.")
        .field("visibility", STRING, |it| {
            Some(Visibility::of(it.namespace.visibility).as_str().to_owned())
        })
        .describe("Who sees it: private, internal or public.");
}

fn queries(g: &mut Graph) {
    let path = || argument("fullPath", ID.required()).describe("Its full path.");
    g.query()
        .answer("group", object::<NamespaceView>("Group"), |args, context| async move {
            let path: String = args.get("fullPath")?;
            let reader = viewer(&context);
            let reference = Reference::Path(path);
            let read = move |tx: &mut Tx<'_>| access::group(tx, &reader, &reference, Purpose::Read);
            let found = context.app()?.read(read);
            Ok(Some(placed(&context, found.await?)?))
        })
        .describe("One group.")
        .arg(path())
        .answer("namespace", object::<NamespaceView>("Namespace"), |args, context| async move {
            let path: String = args.get("fullPath")?;
            let condition = move |sql: &mut Fragment| {
                sql.push(" and namespaces.full_path_folded = ", fold(&path));
            };
            let found = namespaces(&context, true, condition).await?;
            Ok(found.into_iter().next())
        })
        .describe("A group, or what is a user's own.")
        .arg(path());
}
