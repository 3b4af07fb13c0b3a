use proptest::prelude::*;
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use super::*;
use crate::tui::scroll::{Motion, Scroll};
use crate::tui::theme::Theme;

fn plain(text: &str, width: u16) -> Rows {
    let mut rows = Rows::of(text, Syntax::Plain, Gutter::None);
    rows.fit(width);
    rows
}

fn cut(rows: &Rows) -> Vec<&str> {
    (0..rows.len()).map(|row| rows.slice(rows.range_of(row))).collect()
}

fn screen(rows: &Rows, (width, height): (u16, u16), scroll: &Scroll) -> Vec<String> {
    let area = Rect::new(0, 0, width, height);
    let mut buf = Buffer::empty(area);
    rows.render(area, &mut buf, scroll, &Theme::mono());
    lines(&buf)
}

fn lines(buf: &Buffer) -> Vec<String> {
    let row = |y| (0..buf.area.width).map(|x| buf[(x, y)].symbol()).collect::<String>().trim_end().to_owned();
    (0..buf.area.height).map(row).collect()
}

#[test]
fn wraps_by_cells_at_cluster_boundaries() {
    for (text, width, want) in [
        ("", 4, vec![""]),
        ("abcd", 4, vec!["abcd"]),
        ("abcde", 4, vec!["abcd", "e"]),
        ("abcd\n", 4, vec!["abcd\n", ""]),
        ("a\r\nb", 4, vec!["a\r\n", "b"]),
        ("語語語", 5, vec!["語語", "語"]),
        ("a\tb", 8, vec!["a\tb"]),
        ("abc\td", 4, vec!["abc\t", "d"]),
        ("e\u{301}e\u{301}e\u{301}x", 3, vec!["e\u{301}e\u{301}e\u{301}", "x"]),
        ("語a", 1, vec!["語", "a"]),
    ] {
        assert_eq!(cut(&plain(text, width)), want, "{text:?} at {width}");
    }
}

#[test]
fn the_last_cluster_waits_for_what_may_join_it() {
    let mut rows = Rows::new(Syntax::Plain, Gutter::None);
    rows.push("ae");
    assert_eq!(rows.laid, 1);
    rows.push("\u{301}");
    assert_eq!(rows.laid, 1);
    rows.finish();
    assert_eq!(rows.laid, 4);
}

#[test]
fn tu_001_tu_003_model_text_cannot_drive_the_terminal() {
    let mut rows = Rows::new(Syntax::Json, Gutter::None);
    for delta in ["a\u{1b}]52;c;aGk=\u{7}b", "\u{1b}", "[2J", "\u{9b}31m", "\u{202E}x"] {
        rows.push(delta);
    }
    rows.finish();
    assert_eq!(screen(&rows, (60, 1), &Scroll::default()), ["a␛]52;c;aGk=␇b␛[2J<U+009B>31m<U+202E>x"]);
}

#[test]
fn tu_006_the_last_line_is_reached() {
    let text = format!("{}LASTLINE", "word word word abcdefghijklmnop ".repeat(20));
    let rows = plain(&text, 20);
    assert!(screen(&rows, (20, 6), &Scroll::default()).concat().contains("LASTLINE"));
}

#[test]
fn tu_007_combining_marks_take_no_column() {
    let rows = plain("e\u{301}e\u{301}e\u{301}e\u{301}e\u{301}e\u{301}x", 6);
    let want = ["e\u{301}e\u{301}e\u{301}e\u{301}e\u{301}e\u{301}", "x", ""];
    assert_eq!(screen(&rows, (6, 3), &Scroll::default()), want);
}

#[test]
fn tu_014_scrolling_up_while_text_streams_moves_one_row_and_stays() {
    let (mut rows, mut scroll) = (Rows::new(Syntax::Plain, Gutter::None), Scroll::default());
    let mut before = 0;
    for i in 0..60 {
        rows.push(&format!("l{i}\n"));
        if i == 40 {
            before = scroll.top(&rows, 6);
            scroll.go(&rows, 6, Motion::Up(1));
        }
    }
    assert_eq!(scroll.top(&rows, 6), before - 1);
    assert!(!scroll.follows());
    scroll.go(&rows, 6, Motion::End);
    rows.push("more\nand more\n");
    assert_eq!(scroll.top(&rows, 6), rows.len() - 6);
}

#[test]
fn moving_down_to_the_end_follows_again() {
    let (mut rows, mut scroll) = (plain(&"x\n".repeat(20), 10), Scroll::default());
    scroll.go(&rows, 5, Motion::PageUp);
    assert_eq!(scroll.top(&rows, 5), 12);
    scroll.go(&rows, 5, Motion::HalfUp);
    assert_eq!(scroll.top(&rows, 5), 10);
    scroll.go(&rows, 5, Motion::PageDown);
    scroll.go(&rows, 5, Motion::PageDown);
    assert!(scroll.follows());
    rows.push("y\n");
    assert_eq!(scroll.top(&rows, 5), rows.len() - 5);
}

#[test]
fn a_jump_keeps_what_is_seen_and_holds_it() {
    let (mut rows, mut scroll) = (plain(&"x\n".repeat(100), 10), Scroll::at_start());
    scroll.to_offset(&rows, 10, 10);
    assert_eq!(scroll.top(&rows, 10), 0);
    scroll.to_offset(&rows, 10, 100);
    assert_eq!(scroll.top(&rows, 10), 47);
    rows.push("more");
    assert_eq!(scroll.top(&rows, 10), 47);
}

#[test]
fn line_numbers_stand_at_line_starts_only() {
    let mut rows = Rows::of("abcdefghijklmnop\nz", Syntax::Json, Gutter::LineNumbers);
    rows.fit(17);
    assert_eq!(screen(&rows, (17, 3), &Scroll::at_start()), ["   1 abcdefghijkl", "     mnop", "   2 z"]);
    assert_eq!((rows.line_of(1), rows.line_of(2)), (1, 2));
}

#[test]
fn marks_and_hits_are_drawn_where_they_are() {
    let mut rows = Rows::of("{\"a\": 1}", Syntax::Json, Gutter::None);
    rows.set_marks(vec![Mark { range: 6..7, role: Role::MarkError }, Mark { range: 8..8, role: Role::MarkError }]);
    assert_eq!(rows.search("\"A\""), 1);
    let (area, theme) = (Rect::new(0, 0, 12, 1), Theme::mono());
    let mut buf = Buffer::empty(area);
    rows.render(area, &mut buf, &Scroll::default(), &theme);
    let has = |x, role: Role| buf[(x, 0)].modifier.contains(theme.style(role).add_modifier);
    assert!(!theme.style(Role::MarkError).add_modifier.is_empty());
    assert!(has(6, Role::MarkError) && !has(5, Role::MarkError) && has(8, Role::MarkError));
    assert!(has(1, Role::Match) && has(3, Role::Match) && !has(4, Role::Match));
}

#[test]
fn search_follows_the_stream() {
    let mut rows = Rows::new(Syntax::Plain, Gutter::None);
    assert_eq!(rows.search("ab"), 0);
    for delta in ["xa", "B ab", "ab"] {
        rows.push(delta);
    }
    assert_eq!(rows.hits(), 3);
    assert_eq!(rows.hit_after(1), Some(4..6));
    assert_eq!(rows.hit_after(6), Some(1..3));
    assert_eq!(rows.hit_before(1), Some(6..8));
    rows.clear();
    rows.push("ab");
    assert_eq!(rows.hits(), 1);
}

#[test]
fn the_cost_of_a_delta_does_not_grow_with_the_text() {
    let mut rows = Rows::new(Syntax::Json, Gutter::None);
    for _ in 0..50_000 {
        rows.push("{\"k\": \"v語\"}, ");
    }
    let bytes = rows.text().len() as u64;
    assert!(rows.work <= bytes, "{} for {bytes}", rows.work);
    let (area, theme) = (Rect::new(0, 0, 80, 20), Theme::mono());
    assert_eq!(rows.render(area, &mut Buffer::empty(area), &Scroll::default(), &theme), 20);
    let longest = rows.checks.windows(2).map(|w| w[1].offset - w[0].offset).max();
    assert!(longest <= Some(CHECK + MAX_UTF8));
}

/// A checkpoint may stand this much later than wanted.
const MAX_UTF8: usize = 4;

#[test]
fn an_endless_cluster_costs_its_bytes() {
    let mut rows = Rows::new(Syntax::Plain, Gutter::None);
    rows.push("a");
    for _ in 0..20_000 {
        rows.push("\u{301}");
    }
    assert!(rows.text().len() - rows.laid <= cells::MAX_CLUSTER);
}

#[test]
fn lines_and_offsets_agree() {
    let text = format!("{}{}", "\n".repeat(9000), "abc\n".repeat(5000));
    let rows = plain(&text, 2);
    for line in [1, 2, 4097, 8999, 9001, 9002, 14_000, 14_001] {
        let offset = rows.offset_of_line(line);
        assert_eq!(newlines(&text[..offset]) + 1, line);
        assert!(offset == 0 || text.as_bytes()[offset - 1] == b'\n');
        assert_eq!(rows.line_of(rows.row_of(offset)), line);
    }
}

fn corpora() -> Vec<String> {
    let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR"));
    let Some(root) = root.ancestors().skip(1).map(|a| a.join("shared/corpora")).find(|p| p.is_dir()) else {
        println!("skipped: the folder ../shared is not here");
        return vec![];
    };
    let folders = ["text", "terminal"].into_iter().flat_map(|f| fs_err::read_dir(root.join(f)).unwrap());
    let files: Vec<_> = folders.map(|f| fs_err::read(f.unwrap().path()).unwrap()).collect();
    let mut texts: Vec<String> = files.iter().map(|b| String::from_utf8_lossy(b).into_owned()).collect();
    // C1 controls as characters too.
    texts.extend(files.iter().map(|b| b.iter().map(|b| char::from(*b)).collect()));
    texts
}

#[test]
fn nothing_from_the_corpora_reaches_the_buffer_as_a_control() {
    for text in corpora() {
        let mut rows = plain(&text, 33);
        rows.fit(40);
        let area = Rect::new(0, 0, 40, u16::try_from(rows.len().min(1_500)).unwrap());
        let mut scroll = Scroll::at_start();
        loop {
            let mut buf = Buffer::empty(area);
            rows.render(area, &mut buf, &scroll, &Theme::mono());
            for cell in &buf.content {
                assert!(!cell.symbol().chars().any(|c| c.is_control() || ('\u{202A}'..='\u{202E}').contains(&c)));
            }
            let top = scroll.top(&rows, usize::from(area.height));
            scroll.go(&rows, usize::from(area.height), Motion::PageDown);
            if scroll.top(&rows, usize::from(area.height)) == top {
                break;
            }
        }
    }
}

fn any_text() -> impl Strategy<Value = String> {
    let atoms = prop::sample::select(vec![
        "a",
        "b ",
        "\n",
        "\r",
        "\r\n",
        "\t",
        "語",
        "e\u{301}",
        "\u{301}",
        "\u{200D}",
        "\u{1F468}",
        "\u{1F469}\u{200D}",
        "\u{1F3FD}",
        "\u{1F1E9}",
        "\u{1F1EA}",
        "\u{FE0F}",
        "\u{2764}",
        "\u{1b}",
        "\u{202E}",
        "\u{E0041}",
        "\u{1F3F4}",
        "\u{FF9E}",
        "\u{1100}",
        "\u{1161}",
        "\u{0915}\u{094D}",
        "\u{0937}",
        "{\"k\":",
        "1,",
        "\u{7f}",
        "\u{600}",
    ]);
    prop::collection::vec(atoms, 0..120).prop_map(|atoms| atoms.concat())
}

proptest! {
    #[test]
    fn any_chunking_gives_the_rows_of_the_whole(text in any_text(), width in 1u16..24, cuts in prop::collection::vec(0usize..400, 0..30)) {
        let mut cuts: Vec<usize> = cuts.into_iter().map(|c| text.floor_char_boundary(c.min(text.len()))).collect();
        cuts.extend([0, text.len()]);
        cuts.sort_unstable();
        let mut rows = Rows::new(Syntax::Json, Gutter::None);
        rows.fit(width);
        for pair in cuts.windows(2) {
            rows.push(&text[pair[0]..pair[1]]);
        }
        rows.finish();
        let mut whole = Rows::of(&text, Syntax::Json, Gutter::None);
        whole.fit(width);
        prop_assert_eq!(cut(&rows), cut(&whole));
        prop_assert_eq!(rows.lines(), whole.lines());
        prop_assert_eq!(cut(&whole).concat(), text);
    }

    #[test]
    fn rows_fit_their_width(text in any_text(), width in 10u16..24) {
        let rows = plain(&text, width);
        for row in cut(&rows) {
            let (mut at, mut column) = (0, 0);
            while let Some(unit) = cells::unit(row, at, End::Closed) {
                column += unit.width(column);
                at += unit.len;
            }
            prop_assert!(column <= width, "{row:?}");
        }
    }

    #[test]
    fn resizing_and_back_gives_the_same(text in any_text(), widths in prop::collection::vec(0u16..40, 1..6), anchor in 0usize..300) {
        let mut rows = plain(&text, 20);
        let before = rows.starts.clone();
        let mut scroll = Scroll::at_start();
        scroll.to_offset(&rows, 5, anchor);
        let top = scroll.top(&rows, 5);
        for width in widths {
            rows.fit(width);
            let area = Rect::new(0, 0, width, 5);
            rows.render(area, &mut Buffer::empty(area), &scroll, &Theme::mono());
        }
        rows.fit(20);
        prop_assert_eq!(&rows.starts, &before);
        prop_assert_eq!(scroll.top(&rows, 5), top);
    }

    #[test]
    fn offsets_round_trip(text in any_text(), width in 1u16..24) {
        let rows = plain(&text, width);
        for row in 0..rows.len() {
            let range = rows.range_of(row);
            prop_assert_eq!(rows.row_of(range.start), row);
            prop_assert!(range.is_empty() || rows.row_of(range.end - 1) == row);
        }
    }
}
