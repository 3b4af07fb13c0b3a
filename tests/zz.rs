#![allow(clippy::all, clippy::pedantic, clippy::unwrap_used, clippy::print_stdout)]
use formwork::local::grammar::verdict;
use formwork::plan::GrammarVerdict;
#[test]
fn zz() {
    let text = std::fs::read_to_string(std::env::var("F").unwrap()).unwrap();
    let schema = formwork::json::parse(&text, formwork::json::ParseLimits{max_bytes: usize::MAX, max_depth: 500}).unwrap();
    match verdict(&schema) {
        GrammarVerdict::Lenient{schema, dropped} => { for d in &dropped { println!("{d:?}"); }
            println!("--"); if let GrammarVerdict::Lenient{dropped,..} = verdict(&schema) { for d in &dropped { println!("{d:?}"); } } else { println!("{:?}", verdict(&schema)); } }
        other => println!("{other:?}"),
    }
}
