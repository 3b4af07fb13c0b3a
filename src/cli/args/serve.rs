//! The arguments of `formwork serve`.

use std::net::IpAddr;
use std::path::PathBuf;

use clap::{ArgAction, Args, ValueHint};

/// Where the server listens and who may call it.
#[derive(Debug, Clone, Args)]
pub struct ServeArgs {
    /// Address to listen on
    #[arg(long, value_name = "ADDR", default_value = "127.0.0.1")]
    pub bind: IpAddr,
    /// Port to listen on; 0 takes a free one
    #[arg(long, value_name = "N", default_value_t = 8377)]
    pub port: u16,
    /// File with the owner's token; made on first start [default: serve.token in the data folder]
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub token_file: Option<PathBuf>,
    /// Certificate chain in PEM: HTTPS instead of HTTP
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath, requires = "tls_key")]
    pub tls_cert: Option<PathBuf>,
    /// Its private key in PEM
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath, requires = "tls_cert")]
    pub tls_key: Option<PathBuf>,
    /// A name, with port, by which the server may be called besides the loopback ones; may be repeated
    #[arg(long, value_name = "NAME:PORT", action = ArgAction::Append)]
    pub allow_host: Vec<String>,
    /// Origin of another page that may call with the token; may be repeated
    #[arg(long, value_name = "ORIGIN", action = ArgAction::Append)]
    pub allow_origin: Vec<String>,
    /// The model of requests that name none, for example openai/gpt-5-mini
    #[arg(long, value_name = "PROVIDER/MODEL")]
    pub default_model: Option<String>,
}
