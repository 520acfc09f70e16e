//! The derives `FromRow` and `IntoRow` of store, which documents them.

use proc_macro2::{Span, TokenStream};
use quote::quote;
use syn::{Data, DeriveInput, Error, Field, Fields, LitStr, Result, parse_macro_input};

/// Reads a struct from a row, each field from the column of its name.
#[proc_macro_derive(FromRow, attributes(columns, column, nested))]
pub fn from_row(input: proc_macro::TokenStream) -> proc_macro::TokenStream {
    let input = parse_macro_input!(input as DeriveInput);
    let all = derived(&input).unwrap_or_else(|error| error.to_compile_error());
    all.into()
}

/// Gives a struct as the parameters of an insert, each field for the column of
/// its name.
#[proc_macro_derive(IntoRow, attributes(table))]
pub fn into_row(input: proc_macro::TokenStream) -> proc_macro::TokenStream {
    let input = parse_macro_input!(input as DeriveInput);
    let all = inserted(&input).unwrap_or_else(|error| error.to_compile_error());
    all.into()
}

fn inserted(input: &DeriveInput) -> Result<TokenStream> {
    let fields = fields(input)?;
    let names = fields.iter().map(|field| name(field));
    let names = names.collect::<Vec<_>>().join(", ");
    let places = (1..=fields.len()).map(|number| format!("${number}"));
    let places = places.collect::<Vec<_>>().join(", ");
    let Some(table) = text(&input.attrs, "table")? else {
        let missing = "name the table in #[table(\"TABLE\")]";
        return Err(Error::new(Span::call_site(), missing));
    };
    let insert = format!("insert into {table} ({names}) values ({places})");
    let values = fields.iter().filter_map(|field| field.ident.as_ref());
    let (struct_name, seen) = (&input.ident, &input.vis);
    let (generics, parameters, bounds) = input.generics.split_for_impl();
    Ok(quote! {
        impl #generics #struct_name #parameters #bounds {
            /// The beginning of a statement that stores its values.
            #seen const INSERT: &'static str = #insert;

            /// The parameters of [`Self::INSERT`].
            #seen fn values(&self) -> Vec<::store::Value> {
                vec![#(::store::IntoValue::into_value(&self.#values)),*]
            }
        }
    })
}

/// The column of a field.
fn name(field: &Field) -> String {
    let name = field.ident.as_ref().map(ToString::to_string);
    name.unwrap_or_default().trim_start_matches("r#").to_owned()
}

fn derived(input: &DeriveInput) -> Result<TokenStream> {
    let fields = fields(input)?;
    let name = &input.ident;
    let names = fields.iter().filter_map(|field| field.ident.as_ref());
    let values = fields
        .iter()
        .map(|field| match has(&field.attrs, "nested") {
            true => quote!(::store::FromRow::from_row(row)?),
            false => {
                let name = &field.ident;
                quote!(row.get(stringify!(#name))?)
            }
        });
    let columns = columns(input, &fields)?;
    Ok(quote! {
        impl ::store::FromRow for #name {
            fn from_row(row: &mut ::store::Row<'_>) -> ::store::Result<Self> {
                Ok(#name { #(#names: #values),* })
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
    for field in fields {
        if !list.is_empty() {
            list.push(quote!(", "));
        }
        let (name, kind) = (name(field), &field.ty);
        let read = match text(&field.attrs, "column")? {
            Some(expression) => format!("{expression} as {name}"),
            None => format!("{table}.{name}"),
        };
        list.push(match has(&field.attrs, "nested") {
            true => quote!(<#kind>::COLUMNS),
            false => quote!(#read),
        });
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
