use clap::Args;

/// What `negotiate` takes.
#[derive(Debug, Args)]
pub(crate) struct Negotiate {
    /// The client's Accept field; without it, a client that takes anything
    #[arg(long, value_name = "FIELD", conflicts_with = "accept_encoding")]
    pub(crate) accept: Option<String>,

    /// The client's Accept-Encoding field: choose a content coding instead of a media type
    #[arg(long, value_name = "FIELD")]
    pub(crate) accept_encoding: Option<String>,

    /// What the server can make, the one it likes best first: media types or names of formats; or
    /// content codings
    #[arg(long, value_name = "OFFER,…", required = true, value_delimiter = ',')]
    pub(crate) offer: Vec<String>,
}
