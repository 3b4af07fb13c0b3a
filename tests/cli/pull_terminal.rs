//! `formwork model pull` in front of a person: the bar, the question before a large download, Ctrl-C and going on.

use crate::model::{FILE, Hub, TOKEN, gguf, send, stored};
use crate::place::Place;
use crate::typed::Terminal;

fn start(hub: &Hub, place: &Place, args: &[&str]) -> Terminal {
    Terminal::start(place, &[("HF_ENDPOINT", hub.address.as_str()), ("HF_TOKEN", TOKEN)], args)
}

#[test]
fn a_pull_shows_its_bar_ends_by_ctrl_c_and_goes_on() {
    let file = gguf("tiny");
    let (whole, total) = (file.clone(), file.len());
    // Gives a part, then nothing until the program is gone; the rest to who asks for it.
    let hub = Hub::start(move |number, head, stream| {
        if number == 0 {
            send(stream, 200, "etag: \"v1\"\r\n", total, &whole[..30]);
            let _ = std::io::Read::read(stream, &mut [0]);
            return;
        }
        assert!(head.contains("range: bytes=30-"), "{head}");
        let range = format!("content-range: bytes 30-{}/{total}\r\n", total - 1);
        send(stream, 206, &range, total - 30, &whole[30..]);
    });
    let place = Place::new();
    let mut terminal = start(&hub, &place, &["model", "pull", FILE, "--yes"]);
    terminal.until("pulling from hub lab/tiny-GGUF@main/Tiny.Q8_0.gguf");
    terminal.until(&format!("30 B/{total} B"));
    terminal.press("\u{3}");
    let (code, rows) = terminal.end();
    assert_eq!(code, 130, "{rows:?}");
    assert!(rows.iter().any(|row| row.contains("the next pull goes on where this one ended")), "{rows:?}");
    // The terminal's own `^C` has moved the cursor below the bar, which stays and tells where the pull ended.
    assert_eq!(stored(&place), ["Tiny.Q8_0.gguf.part", "Tiny.Q8_0.gguf.part.json"]);

    let (code, rows) = start(&hub, &place, &["model", "pull", FILE, "--yes"]).end();
    assert_eq!(code, 0, "{rows:?}");
    assert!(rows.iter().any(|row| row.contains("local/Tiny.Q8_0 is here")), "{rows:?}");
    assert!(rows.iter().all(|row| !row.contains("B/s")), "the bar is gone: {rows:?}");
    assert_eq!(fs_err::read(place.path("data/models/Tiny.Q8_0.gguf")).unwrap(), file);
    assert_eq!(stored(&place), ["Tiny.Q8_0.gguf", "Tiny.Q8_0.json"]);
}

#[test]
fn a_large_download_waits_for_a_yes() {
    let large = "qwen2.5-1.5b-instruct";
    let hub = Hub::start(|_, _, stream| send(stream, 404, "", 0, b""));
    let asked = |hub: &Hub| hub.heads.lock().unwrap().len();
    let place = Place::new();
    for answer in ["n\r", "\r", "\u{4}"] {
        let mut terminal = start(&hub, &place, &["model", "pull", large]);
        terminal.until("download it? [y/N]");
        assert!(terminal.raw.contains("1.1 GB, Apache-2.0"), "{:?}", terminal.raw);
        terminal.press(answer);
        let (code, rows) = terminal.end();
        assert_eq!(code, 2, "{rows:?}");
        assert!(rows.iter().any(|row| row.contains("nothing was downloaded")), "{rows:?}");
        assert_eq!(asked(&hub), 0, "{answer:?}: the hub was asked");
    }
    let mut terminal = start(&hub, &place, &["model", "pull", large]);
    terminal.until("download it? [y/N]");
    terminal.press("y\r");
    assert_eq!((terminal.end().0, asked(&hub)), (1, 1), "there is none there");
    let yes = start(&hub, &place, &["model", "pull", large, "--yes"]);
    assert_eq!((yes.end().0, asked(&hub)), (1, 2), "no question");
    assert!(stored(&place).is_empty(), "{:?}", stored(&place));
}
