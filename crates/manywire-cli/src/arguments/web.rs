use clap::Args;
use manywire_fetch::Header;

/// How inputs that are URLs are asked for.
#[derive(Clone, Debug, Default, Args)]
pub(crate) struct Web {
    /// Send this header field with the request for an http(s) URL, such as 'Authorization: Bearer
    /// …'; may be given several times. No other host sees it, wherever a redirect leads
    #[arg(long = "header", value_name = "NAME: VALUE")]
    pub(crate) headers: Vec<Header>,
}

/// What is taken of inputs that a browser recorded.
#[derive(Clone, Debug, Default, Args)]
pub(crate) struct Recording {
    /// Of a .har, take the bodies of requests, too
    #[arg(long)]
    pub(crate) requests: bool,

    /// Of a .har, take only what belongs to this endpoint, such as 'GET /v1/hotels/{id}'
    #[arg(long, value_name = "METHOD PATH")]
    pub(crate) endpoint: Option<String>,
}
