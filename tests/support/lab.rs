//! A screen beside a server on a real socket: the endpoint `lab`, which answers as `lab/m`.

use std::path::Path;

use formwork::config::{Config, Declared, Provider};
use formwork::tui::theme::ColorDepth;

use crate::screen::Screen;
use crate::server::{Fake, Part, finish, stream, text};

/// The screen, settled. `declared` is what the configuration says of the server.
pub(crate) async fn at(fake: &Fake, dir: &Path, (width, height): (u16, u16), declared: Option<Declared>) -> Screen {
    let provider = Provider {
        base_url: Some(fake.base_url.clone()),
        models: vec!["m".to_owned()],
        structured_output: declared,
        ..Provider::default()
    };
    let config = Config {
        providers: [("lab".to_owned(), provider)].into(),
        model: Some("lab/m".to_owned()),
        ..Config::default()
    };
    let mut s = Screen::with(width, height, dir, &config, ColorDepth::None);
    s.settle().await;
    s
}

/// An answer of this text.
pub(crate) fn says(answer: &str) -> Vec<Part> {
    stream(&[&text(answer), &finish("stop")])
}
