//! The derive `FromRow` of store, which documents it.

use proc_macro2::{Span, TokenStream};
use quote::quote;
use syn::{Data, DeriveInput, Error, Field, Fields, LitStr, Result, parse_macro_input};

/// Reads a struct from a row, each field from the column of its name; a
/// `#[nested]` one is a struct of the same row.
#[proc_macro_derive(FromRow, attributes(columns, column, nested))]
pub fn from_row(input: proc_macro::TokenStream) -> proc_macro::TokenStream {
    let input = parse_macro_input!(input as DeriveInput);
    let all = derived(&input).unwrap_or_else(|error| error.to_compile_error());
    all.into()
}

fn derived(input: &DeriveInput) -> Result<TokenStream> {
    let fields = fields(input)?;
    let name = &input.ident;
    let read = fields.iter().map(|field| {
        let name = &field.ident;
        match has(&field.attrs, "nested") {
            true => quote!(#name: ::store::FromRow::from_row(row)?),
            false => quote!(#name: row.get(stringify!(#name))?),
        }
    });
    let columns = columns(input, &fields)?;
    Ok(quote! {
        impl ::store::FromRow for #name {
            fn from_row(row: &mut ::store::Row<'_>) -> ::store::Result<Self> {
                Ok(#name { #(#read),* })
            }
        }
        #columns
    })
}

fn fields(input: &DeriveInput) -> Result<Vec<&Field>> {
    match &input.data {
        Data::Struct(data) if matches!(data.fields, Fields::Named(_)) => {
            Ok(data.fields.iter().collect())
        }
        _ => Err(Error::new(
            Span::call_site(),
            "a row is read into a struct with named fields",
        )),
    }
}

/// The select list, of a struct that names a table.
fn columns(input: &DeriveInput, fields: &[&Field]) -> Result<TokenStream> {
    let Some(table) = text(&input.attrs, "columns")? else {
        return match fields.iter().find(|field| has(&field.attrs, "column")) {
            Some(field) => Err(Error::new_spanned(
                field,
                "this column is of no use: name the table in #[columns(\"TABLE\")]",
            )),
            None => Ok(TokenStream::new()),
        };
    };
    let mut list = Vec::new();
    for (place, field) in fields.iter().enumerate() {
        let comma = if place == 0 { "" } else { ", " };
        if has(&field.attrs, "nested") {
            let nested = &field.ty;
            list.push(quote!(#comma, <#nested>::COLUMNS));
            continue;
        }
        let name = field.ident.as_ref().map(ToString::to_string);
        let name = name.unwrap_or_default();
        let name = name.trim_start_matches("r#");
        let column = match text(&field.attrs, "column")? {
            Some(expression) => format!("{comma}{expression} as {name}"),
            None => format!("{comma}{table}.{name}"),
        };
        list.push(quote!(#column));
    }
    let (struct_name, seen) = (&input.ident, &input.vis);
    Ok(quote! {
        impl #struct_name {
            /// The select list it is read from.
            #seen const COLUMNS: &'static str = ::store::concat!(#(#list),*);
        }
    })
}

fn has(attributes: &[syn::Attribute], name: &str) -> bool {
    attributes.iter().any(|it| it.path().is_ident(name))
}

/// The text of `#[NAME("…")]`.
fn text(attributes: &[syn::Attribute], name: &str) -> Result<Option<String>> {
    let found = attributes.iter().find(|it| it.path().is_ident(name));
    let text = found.map(|it| it.parse_args::<LitStr>());
    Ok(text.transpose()?.map(|text| text.value()))
}
