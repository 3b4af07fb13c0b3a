use super::*;

fn user(files: &[(&str, &str)]) -> Vec<(String, String)> {
    files.iter().map(|(name, text)| ((*name).to_owned(), (*text).to_owned())).collect()
}

/// Relative luminance per WCAG 2.2.
fn luminance(color: Color) -> f64 {
    let Color::Rgb(r, g, b) = color else { panic!("{color:?} is no RGB colour") };
    let channel = |c: u8| {
        let c = f64::from(c) / 255.0;
        if c <= 0.04045 { c / 12.92 } else { ((c + 0.055) / 1.055).powf(2.4) }
    };
    0.2126 * channel(r) + 0.7152 * channel(g) + 0.0722 * channel(b)
}

fn contrast(a: Color, b: Color) -> f64 {
    let (a, b) = (luminance(a), luminance(b));
    (a.max(b) + 0.05) / (a.min(b) + 0.05)
}

/// Lines, not letters: WCAG asks for 3 only.
const LINES: [Role; 3] = [Role::Border, Role::BorderFocus, Role::Scrollbar];

#[test]
fn roles_are_listed_in_order() {
    for (i, (role, _)) in ROLES.iter().enumerate() {
        assert_eq!(*role as usize, i);
    }
}

#[test]
fn every_theme_meets_wcag_aa() {
    for (name, _) in BUILT_IN.iter().filter(|(name, _)| *name != "mono") {
        let theme = Theme::load(name, &[], ColorDepth::TrueColor).unwrap();
        let own = |role| theme.style(role).bg.unwrap_or_else(|| panic!("{name} {role:?} has no background"));
        let grounds = [own(Role::Text), own(Role::Selection), own(Role::Popup)];
        for role in Role::all().filter(|role| *role != Role::Selection) {
            let style = theme.style(role);
            let fg = style.fg.unwrap_or_else(|| panic!("{name} {role:?} has no colour"));
            let needed = if LINES.contains(&role) { 3.0 } else { 4.5 };
            let paired = style.bg.is_some() && !matches!(role, Role::Text | Role::Popup);
            for ground in if paired { vec![style.bg.unwrap()] } else { grounds.to_vec() } {
                let found = contrast(fg, ground);
                assert!(found >= needed, "{name} {role:?} on {ground:?}: {found:.2}");
            }
        }
    }
}

#[test]
fn without_colour_no_cell_is_coloured_and_states_still_differ() {
    for (name, _) in BUILT_IN {
        let theme = Theme::load(name, &[], ColorDepth::None).unwrap();
        assert_eq!(theme.name(), name);
        for role in Role::all() {
            let style = theme.style(role);
            assert_eq!((style.fg, style.bg), (None, None), "{name} {role:?}");
        }
        for role in [Role::Selection, Role::Match, Role::MarkError, Role::Cursor, Role::Title, Role::BorderFocus] {
            assert!(!theme.style(role).add_modifier.is_empty(), "{name} {role:?}");
        }
    }
}

#[test]
fn sixteen_colours_use_terminal_colours_and_leave_the_background() {
    for (name, _) in BUILT_IN.iter().filter(|(name, _)| *name != "mono") {
        let theme = Theme::load(name, &[], ColorDepth::Ansi16).unwrap();
        for role in Role::all() {
            let style = theme.style(role);
            for color in [style.fg, style.bg].into_iter().flatten() {
                assert!(!matches!(color, Color::Rgb(..) | Color::Indexed(_)), "{name} {role:?}");
            }
        }
        assert_eq!(theme.style(Role::Text).bg, None);
        for role in [Role::Success, Role::Error, Role::JsonKey, Role::JsonString] {
            assert!(theme.style(role).fg.is_some(), "{name} {role:?}");
        }
        assert!(!theme.style(Role::Selection).add_modifier.is_empty(), "{name}");
        let indexed = Theme::load(name, &[], ColorDepth::Indexed256).unwrap();
        assert!(matches!(indexed.style(Role::Error).fg, Some(Color::Indexed(_))));
    }
}

#[test]
fn a_user_theme_inherits_and_recolours() {
    let files = user(&[
        (
            "mine",
            "inherits = \"dark\"\n[palette]\nred = \"#ff0000\"\n[roles]\ntitle = { fg = \"red\", modifiers = [\"bold\"] }",
        ),
        ("dark", "inherits = \"dark\"\n[roles]\ninfo = \"#010203\""),
    ]);
    let theme = Theme::load("mine", &files, ColorDepth::TrueColor).unwrap();
    assert_eq!(theme.style(Role::Error).fg, Some(Color::Rgb(255, 0, 0)));
    assert_eq!(theme.style(Role::Title).fg, Some(Color::Rgb(255, 0, 0)));
    assert_eq!(theme.style(Role::Info).fg, Some(Color::Rgb(1, 2, 3)));
    assert_eq!(Theme::names(&files).last().map(String::as_str), Some("mine"));
    assert_eq!(Theme::names(&files).len(), BUILT_IN.len() + 1);
}

#[test]
fn errors_name_theme_line_and_key() {
    for (text, want) in [
        ("a = ", "theme t, line 1: "),
        ("\n[roles]\nfoo = \"#000000\"", "theme t, line 3, key foo: no such role"),
        ("[palette]\nred = \"red\"", "theme t, line 2, key red: expected a colour like \"#1e1e2e\""),
        ("[roles]\ntext = \"blu\"", "theme t, line 2, key text: \"blu\" is neither in the palette"),
        (
            "[roles]\n\"json.key\" = { modifiers = [\"blink\"] }",
            "theme t, line 2, key json.key: \"blink\": expected bold",
        ),
        ("[roles]\ntext = { ansi = \"mauve\" }", "theme t, line 2, key text: \"mauve\" is no terminal colour"),
        ("inherits = \"no\"", "theme t, line 1, key inherits: no theme is called no"),
        ("inherits = 3", "theme t, line 1, key inherits: expected the name"),
        ("colors = 1", "theme t, line 1, key colors: expected inherits"),
        ("inherits = \"t\"", "theme t inherits from itself through t"),
        ("inherits = \"u\"", "theme t inherits from itself through t"),
    ] {
        let files = user(&[("t", text), ("u", "inherits = \"t\"")]);
        let error = Theme::load("t", &files, ColorDepth::TrueColor).unwrap_err().to_string();
        assert!(error.starts_with(want), "{error}");
    }
    assert!(Theme::load("no", &[], ColorDepth::None).unwrap_err().to_string().contains("there are dark, light"));
}

#[test]
fn depth_follows_the_environment() {
    use ColorDepth::{Ansi16, Indexed256, None as Mono, TrueColor};
    for (no_color, colorterm, term, want) in [
        (Some("1"), Some("truecolor"), Some("xterm-256color"), Mono),
        (Some(""), Some("truecolor"), Some("xterm"), TrueColor),
        (None, Some("24bit"), None, TrueColor),
        (None, None, Some("xterm-direct"), TrueColor),
        (None, None, Some("xterm-kitty"), TrueColor),
        (None, None, Some("screen-256color"), Indexed256),
        (None, Some("yes"), Some("xterm"), Ansi16),
        (None, None, Some("linux"), Ansi16),
        (None, None, Some("dumb"), Mono),
        (None, None, None, Ansi16),
    ] {
        assert_eq!(ColorDepth::detect(no_color, colorterm, term), want, "{no_color:?} {colorterm:?} {term:?}");
    }
}
