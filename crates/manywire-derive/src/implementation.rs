//! The implementation as a whole.

use proc_macro2::TokenStream;
use quote::{ToTokens, quote};
use serde_derive_internals::ast::{Container, Data, Style};
use serde_derive_internals::attr::TagType;
use serde_derive_internals::{Ctxt, Derive};
use syn::{DeriveInput, GenericParam, Ident, Result, Type};

use crate::attribute::{Attributes, Place, error_at};
use crate::{bound, content, doc, fields, variants};

/// What is carried along while an implementation is written.
pub(crate) struct Context {
    /// Where the shape crate is.
    pub(crate) krate: TokenStream,
    /// The types whose shapes are asked for.
    pub(crate) types: Vec<Type>,
}

/// Writes the implementation, by the crate of shapes that is `here` unless the type says where.
pub(crate) fn expand(input: &DeriveInput, here: TokenStream) -> Result<TokenStream> {
    let said = Attributes::parse(&input.attrs, Place::Container)?;
    let krate = said.krate.as_ref().map_or(here, ToTokens::to_token_stream);
    let mut context = Context { krate, types: Vec::new() };
    let body = body(&mut context, input, &said)?;
    let krate = &context.krate;
    let generics = bound::with_bounds(&input.generics, said.bound, &context.types, krate);
    let (impl_generics, _, where_clause) = generics.split_for_impl();
    let (_, type_generics, _) = input.generics.split_for_impl();
    let ident = &input.ident;
    let borrowed = borrowed(krate, input);
    Ok(quote! {
        #borrowed

        #[automatically_derived]
        impl #impl_generics #krate::Shaped for #ident #type_generics #where_clause {
            fn node(builder: &mut #krate::ShapeBuilder) -> #krate::NodeId {
                #body
            }
        }
    })
}

/// The type as one of a family, where it has one lifetime and nothing else to choose.
fn borrowed(krate: &TokenStream, input: &DeriveInput) -> Option<TokenStream> {
    let mut parameters = input.generics.params.iter();
    let (Some(GenericParam::Lifetime(_)), None) = (parameters.next(), parameters.next()) else {
        return None;
    };
    let ident = &input.ident;
    Some(quote! {
        #[automatically_derived]
        impl<'any> #krate::Borrowed for #ident<'any> {
            type Of<'b> = #ident<'b>;

            fn shortened<'s, 'b>(value: &'s #ident<'b>) -> &'s #ident<'s> {
                value
            }
        }
    })
}

/// The expression that gives the node of the type.
fn body(context: &mut Context, input: &DeriveInput, said: &Attributes) -> Result<TokenStream> {
    // Serde's own derives report what is wrong with serde's attributes; so does this, for a type
    // that has only this derive.
    let errors = Ctxt::new();
    let private = Ident::new("__private", proc_macro2::Span::call_site());
    let container = Container::from_ast(&errors, input, Derive::Serialize, &private);
    errors.check()?;
    let Some(container) = container else {
        return Err(error_at(input, "a union has no shape"));
    };
    let attrs = &container.attrs;
    if let Some(ty) = &said.written_as {
        return Ok(alias(context, ty));
    }
    if let Some(into) = attrs.type_into() {
        let from = attrs.type_from().or(attrs.type_try_from());
        if from.is_some_and(|from| !same(from, into)) {
            let why = "written as one type and read as another: add #[shaped(as = \"Type\")] \
                with the type that both are written as";
            return Err(error_at(&input.ident, why));
        }
        return Ok(alias(context, into));
    }
    let doc = doc::text(&input.attrs);
    match &container.data {
        Data::Enum(list) => variants::node(context, attrs, list, &doc),
        Data::Struct(_, list) if attrs.transparent() => {
            let field = list.iter().find(|field| field.attrs.transparent());
            let field = field.ok_or_else(|| error_at(input, "no field to be transparent for"))?;
            let said = Attributes::parse(&field.original.attrs, Place::Field)?;
            Ok(alias_of(context, |context| content::node(context, field, &said))?)
        }
        Data::Struct(Style::Newtype, list) => {
            let said = Attributes::parse(&list[0].original.attrs, Place::Field)?;
            Ok(alias_of(context, |context| content::node(context, &list[0], &said))?)
        }
        Data::Struct(Style::Unit, _) => {
            let krate = &context.krate;
            Ok(quote!(builder.add(#krate::Node::Null)))
        }
        Data::Struct(Style::Tuple, list) => alias_of(context, |context| {
            let nodes = fields::positional(context, list)?;
            let krate = &context.krate;
            Ok(quote! {
                {
                    let items = ::std::vec![#(#nodes),*];
                    builder.add(#krate::Node::Tuple(items))
                }
            })
        }),
        Data::Struct(Style::Struct, list) => {
            let name = &attrs.name().serialize_name().value;
            let fields = fields::named(context, list, !attrs.default().is_none())?;
            let krate = &context.krate;
            let tag = match attrs.tag() {
                // Serde writes the name of the type into it and passes over it when reading.
                TagType::Internal { tag } => Some(quote! {
                    let node = builder.add(#krate::Node::Str);
                    fields.push(#krate::Field {
                        presence: #krate::Presence::Defaulted,
                        ..#krate::Field::new(#tag, node)
                    });
                }),
                _ => None,
            };
            Ok(quote! {
                #krate::derived::record(
                    builder,
                    ::core::any::type_name::<Self>(),
                    #name,
                    #doc,
                    |builder, fields| { #tag #fields },
                )
            })
        }
    }
}

/// A type that is written as another type is.
fn alias(context: &mut Context, ty: &Type) -> TokenStream {
    let node = content::of_type(context, ty);
    quote!(builder.alias(::core::any::type_name::<Self>(), |builder| #node))
}

fn alias_of(
    context: &mut Context,
    node: impl FnOnce(&mut Context) -> Result<TokenStream>,
) -> Result<TokenStream> {
    let node = node(context)?;
    Ok(quote!(builder.alias(::core::any::type_name::<Self>(), |builder| #node)))
}

fn same(left: &Type, right: &Type) -> bool {
    left.to_token_stream().to_string() == right.to_token_stream().to_string()
}
