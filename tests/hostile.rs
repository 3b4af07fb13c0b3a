//! Hostile schemas and candidates: each class, at growing sizes, ends within 2 s and 256 MiB in a result or a typed
//! refusal. Every case runs in a process of its own, on a thread with a stack of 256 KiB, and its peak memory is measured.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::print_stdout,
    clippy::string_slice,
    reason = "a test may panic and tell what it measured"
)]

use std::fmt::Write as _;
use std::io::{BufRead, BufReader, Write as _};
use std::process::{Command, Stdio};
use std::sync::mpsc;
use std::time::{Duration, Instant};

use formwork::json::ParseLimits;
use formwork::schema::preflight;
use formwork::schema::validate::{JudgeOptions, Judgement, judge};

const MEBI: usize = 1024 * 1024;
/// The candidate limit, less what the wrapping takes.
const FULL: usize = 8 * MEBI - 64;

fn repeat(unit: &str, bytes: usize) -> String {
    unit.repeat(bytes / unit.len().max(1))
}

fn list(unit: &str, bytes: usize) -> String {
    let mut out = repeat(&format!("{unit},"), bytes);
    out.pop();
    format!("[{out}]")
}

/// Text of two letters without a period: every position is another state for a counting pattern.
fn noise(bytes: usize) -> String {
    let mut state = 88_172_645_463_325_252_u64;
    let mut letter = || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        if state & 4096 == 0 { 'a' } else { 'b' }
    };
    (0..bytes).map(|_| letter()).collect()
}

fn object(bytes: usize, value: &str) -> String {
    let mut out = String::from("{");
    let mut at = 0;
    while out.len() < bytes {
        write!(out, "\"k{at}\":{value},").unwrap();
        at += 1;
    }
    out.pop();
    out.push('}');
    out
}

/// `n` definitions, each made from the name of the next one.
fn chain(n: usize, link: impl Fn(&str) -> String, leaf: &str) -> String {
    let defs: Vec<String> =
        (0..n).map(|i| format!("\"d{i}\":{}", link(&format!("{{\"$ref\":\"#/$defs/d{}\"}}", i + 1)))).collect();
    format!("{{\"$ref\":\"#/$defs/d0\",\"$defs\":{{{},\"d{n}\":{leaf}}}}}", defs.join(","))
}

fn nested(n: usize) -> String {
    format!("{}{}", "[".repeat(n), "]".repeat(n))
}

type Make = fn(usize) -> (String, String);

/// Name, sizes, generator of schema and candidate.
const CLASSES: &[(&str, &[usize], Make)] = &[
    ("anyof chain", &[4, 12, 16, 20, 28, 200, 1_000], |n| {
        (chain(n, |r| format!("{{\"anyOf\":[{r},{r}]}}"), "{\"type\":\"null\"}"), "1".into())
    }),
    ("allof chain", &[4, 12, 16, 20, 28, 200], |n| {
        (chain(n, |r| format!("{{\"allOf\":[{r},{r}]}}"), "{\"minimum\":3}"), "1".into())
    }),
    ("oneof chain", &[4, 12, 16, 20, 28], |n| {
        (chain(n, |r| format!("{{\"oneOf\":[{r},{r},{{\"type\":\"string\"}}]}}"), "{\"type\":\"null\"}"), "1".into())
    }),
    ("anyof chain over a long list", &[4, 12, 15], |n| {
        (
            format!(
                "{{\"items\":{},{}",
                "{\"$ref\":\"#/$defs/d0\"}",
                &chain(n, |r| format!("{{\"anyOf\":[{r},{r}]}}"), "{\"type\":\"null\"}")
                    ["{\"$ref\":\"#/$defs/d0\",".len()..]
            ),
            list("1", MEBI),
        )
    }),
    ("recursive branches", &[8, 16, 64, 500], |n| {
        (r##"{"anyOf":[{"type":"array","items":{"$ref":"#"}},{"type":"array","minItems":0,"items":{"$ref":"#"}},{"type":"null"}]}"##.into(), nested(n).replace("[]", "[1]"))
    }),
    ("recursive branches, oneOf", &[8, 16, 64, 500], |n| {
        (r##"{"oneOf":[{"type":"array","items":{"$ref":"#"}},{"type":"array","maxItems":0,"items":{"$ref":"#"}},{"type":"null"}]}"##.into(), nested(n).replace("[]", "[null]"))
    }),
    ("unevaluated over chains", &[4, 10, 14, 16, 20], |n| {
        (
            chain(
                n,
                |r| format!("{{\"anyOf\":[{r},{r}],\"unevaluatedProperties\":false}}"),
                "{\"properties\":{\"k0\":true}}",
            ),
            object(20_000, "1"),
        )
    }),
    ("unevaluated, one chain, many keys", &[10, 100, 800], |n| {
        (
            chain(
                n,
                |r| format!("{{\"allOf\":[{r}],\"unevaluatedProperties\":false}}"),
                "{\"additionalProperties\":{\"type\":\"integer\"}}",
            ),
            object(MEBI, "1"),
        )
    }),
    ("unevaluated recursion", &[8, 16, 100, 500], |n| {
        (
            r##"{"anyOf":[{"items":{"$ref":"#"}},{"prefixItems":[{"$ref":"#"}]}],"unevaluatedItems":false}"##.into(),
            nested(n),
        )
    }),
    ("dynamic recursion", &[8, 16, 100, 500], |n| {
        (r##"{"$dynamicAnchor":"x","anyOf":[{"items":{"$dynamicRef":"#x"},"minItems":3},{"items":{"$dynamicRef":"#x"},"minItems":1}]}"##.into(), nested(n))
    }),
    ("links", &[100, 900, 1_500, 2_000], |n| (chain(n, str::to_owned, "{\"type\":\"integer\"}"), "\"x\"".into())),
    ("allof links over a list", &[100, 1_300], |n| {
        (chain(n, |r| format!("{{\"allOf\":[{r}]}}"), "{\"items\":{\"$ref\":\"#/$defs/d0\"}}"), nested(500))
    }),
    ("nested not", &[50, 99, 100, 5_000], |n| (format!("{}{{}}{}", "{\"not\":".repeat(n), "}".repeat(n)), "1".into())),
    ("nested items", &[50, 99], |n| {
        (
            format!("{}{{\"type\":\"null\"}}{}", "{\"items\":".repeat(n), "}".repeat(n)),
            nested(n + 1).replace("[]", "[1]"),
        )
    }),
    ("huge enum, long list", &[10, 1_000, 8_000], |n| {
        (
            format!(
                "{{\"items\":{{\"enum\":[{}]}}}}",
                (0..n).map(|i| format!("\"value{i}\"")).collect::<Vec<_>>().join(",")
            ),
            list("\"valuex\"", FULL),
        )
    }),
    ("huge enum of lists", &[10, 1_000, 3_000], |n| {
        (
            format!(
                "{{\"items\":{{\"enum\":[{}]}}}}",
                (0..n).map(|i| format!("[1,{i}]")).collect::<Vec<_>>().join(",")
            ),
            list("[1,0.5]", FULL),
        )
    }),
    ("huge enum of numbers", &[8_000], |n| {
        (
            format!(
                "{{\"items\":{{\"enum\":[{}]}}}}",
                (0..n).map(|i: usize| i.to_string()).collect::<Vec<_>>().join(",")
            ),
            list("1e400", FULL),
        )
    }),
    ("look-around, long text", &[100, 10_000, MEBI, FULL], |n| {
        (r#"{"pattern":"^(?=.*[0-9])(?=.*[A-Z])(?!.*x$).+$"}"#.into(), format!("\"{}\"", "a".repeat(n)))
    }),
    ("look-around search", &[100, 3_000, 20_000, FULL], |n| {
        (r#"{"pattern":"(?=.*x)y"}"#.into(), format!("\"{}\"", "a".repeat(n)))
    }),
    ("look-around, many texts", &[1_000, 100_000, FULL], |n| {
        (r#"{"items":{"pattern":"^(a+)+(?!b)c$"}}"#.into(), list("\"aaaaaaaaaaaaaaaaaaaaaaaaaaaaa\"", n))
    }),
    ("back-reference", &[100, 10_000, FULL], |n| {
        (r#"{"pattern":"(a*)*\\1b"}"#.into(), format!("\"{}\"", "a".repeat(n)))
    }),
    ("nested quantifiers", &[100, MEBI, FULL], |n| {
        (r#"{"pattern":"^(a+)+$"}"#.into(), format!("\"{}!\"", "a".repeat(n)))
    }),
    ("big repeats, long text", &[1_000, MEBI, FULL], |n| {
        (r#"{"pattern":"^(a|b)*a(a|b){300}c$"}"#.into(), format!("\"{}\"", repeat("abbaabababbbaabaaababab", n)))
    }),
    // under `not`: every text must be searched to its end, the first failure ends nothing
    ("big repeats, many texts", &[MEBI / 4, MEBI * 3 / 4, FULL], |n| {
        (
            r#"{"items":{"not":{"pattern":"^(a|b)*a(a|b){300}c$"}}}"#.into(),
            list(&format!("\"{}\"", repeat("abbaabababbbaabaaababab", 10_000)), n),
        )
    }),
    ("counting states, one text", &[1_000, 100_000, MEBI / 2, MEBI, FULL], |n| {
        (r#"{"not":{"pattern":"(a|b)*a(a|b){100}[^ab]"}}"#.into(), format!("\"{}\"", noise(n)))
    }),
    ("counting many states, one text", &[1_000, 100_000, MEBI / 4], |n| {
        (r#"{"not":{"pattern":"(a|b)*a(a|b){500}[^ab]"}}"#.into(), format!("\"{}\"", noise(n)))
    }),
    ("counting states, many texts", &[100_000, MEBI, FULL], |n| {
        (r#"{"items":{"not":{"pattern":"(a|b)*a(a|b){60}[^ab]"}}}"#.into(), list(&format!("\"{}\"", noise(500)), n))
    }),
    ("counting states in look-around", &[100, 1_000, 3_000, 20_000], |n| {
        (r#"{"not":{"pattern":"(?=(a|b)*a(a|b){60}[^ab])y"}}"#.into(), format!("\"{}\"", noise(n)))
    }),
    ("overlapping alternatives, many texts", &[MEBI / 4, MEBI, FULL], |n| {
        (
            r#"{"items":{"not":{"pattern":"([ab]{1,40}|[abc]{1,60}|(ab|ba|aab)*x){1,3}!$"}}}"#.into(),
            list(&format!("\"{}\"", repeat("abbaabababbbaabaaababab", 3_000)), n),
        )
    }),
    ("look-around search, many texts", &[30_000, MEBI, FULL], |n| {
        (r#"{"items":{"not":{"pattern":"(?=.*x)y"}}}"#.into(), list(&format!("\"{}\"", "a".repeat(3_000)), n))
    }),
    ("exponential look-around, many texts", &[1_000, MEBI, FULL], |n| {
        (r#"{"items":{"not":{"pattern":"^(a+)+(?!b)c$"}}}"#.into(), list("\"aaaaaaaaaaaaaa\"", n))
    }),
    ("large look-around", &[200, 1_000, 3_000, 20_000], |n| {
        (
            r#"{"items":{"not":{"pattern":"(?=(a|b)*a(a|b){300}c)y"}}}"#.into(),
            list(&format!("\"{}\"", repeat("abbaabababbbaabaaababab", n)), MEBI),
        )
    }),
    ("big repeats", &[10, 1_000, 100_000], |n| (format!("{{\"pattern\":\"(a{{{n}}}){{{n}}}\"}}"), "\"a\"".into())),
    ("unicode repeats", &[10, 400, 2_000], |n| {
        (format!("{{\"pattern\":\"^\\\\p{{L}}{{1,{n}}}$\"}}"), list("\"é\"", 1_000))
    }),
    ("many patterns", &[100, 1_000, 2_000], |n| {
        (
            format!(
                "{{\"patternProperties\":{{{}}}}}",
                (0..n).map(|i| format!("\"^x{i}[a-z]{{1,90}}$\":{{}}")).collect::<Vec<_>>().join(",")
            ),
            object(MEBI, "1"),
        )
    }),
    ("patterns, many keys", &[1, 40, 400], |n| {
        (
            format!(
                "{{\"patternProperties\":{{{}}}}}",
                (0..n).map(|i| format!("\"x{i}\":{{\"type\":\"string\"}}")).collect::<Vec<_>>().join(",")
            ),
            object(FULL, "1"),
        )
    }),
    ("full of numbers", &[MEBI, FULL], |n| {
        (r#"{"type":"array","items":{"type":"integer","minimum":0,"maximum":5}}"#.into(), list("1", n))
    }),
    ("full of wrong numbers", &[MEBI, FULL], |n| {
        (r#"{"type":"array","items":{"type":"integer","minimum":5}}"#.into(), list("1.25", n))
    }),
    ("full of texts", &[MEBI, FULL], |n| {
        (
            r#"{"items":{"type":"string","maxLength":10,"pattern":"^[a-z ]{1,64}$"}}"#.into(),
            list("\"some text here\"", n),
        )
    }),
    ("full of objects", &[MEBI, FULL], |n| {
        (r#"{"items":{"type":"object","properties":{"id":{"type":"integer"},"name":{"type":"string"}},"required":["id","name","gone"],"additionalProperties":false}}"#.into(), list(r#"{"id":12345,"name":"some name","more":1}"#, n))
    }),
    ("full of lists", &[FULL], |n| (r#"{"items":{"type":"object"}}"#.into(), list("[]", n))),
    ("full of empty objects", &[FULL], |n| (r#"{"items":{"type":"array"}}"#.into(), list("{}", n))),
    ("full of keys", &[MEBI, FULL], |n| (r#"{"additionalProperties":false}"#.into(), object(n, "1"))),
    ("property names", &[MEBI, FULL], |n| {
        (r#"{"propertyNames":{"pattern":"^[a-j]$","maxLength":3}}"#.into(), object(n, "1"))
    }),
    ("one long text", &[FULL], |n| {
        (r#"{"type":"string","maxLength":10,"pattern":"x"}"#.into(), format!("\"{}\"", "é".repeat(n / 2)))
    }),
    ("one long number", &[1_000, MEBI, FULL], |n| {
        (r#"{"type":"integer","minimum":3,"multipleOf":0.07}"#.into(), "7".repeat(n))
    }),
    ("long number against long bound", &[MEBI], |n| {
        (format!("{{\"minimum\":{},\"multipleOf\":3}}", "7".repeat(n - 100)), "7".repeat(n))
    }),
    ("exponents", &[9, 18, 40], |n| {
        (
            r#"{"items":{"type":"integer","minimum":1,"multipleOf":0.3,"exclusiveMaximum":1e900}}"#.into(),
            list(&format!("1e{}", "9".repeat(n)), MEBI),
        )
    }),
    ("unique numbers", &[MEBI, FULL], |n| {
        (
            r#"{"uniqueItems":true}"#.into(),
            format!("[{}]", (0..n / 9).map(|i| (10_000_000 + i).to_string()).collect::<Vec<_>>().join(",")),
        )
    }),
    ("unique objects", &[MEBI, FULL], |n| {
        (
            r#"{"uniqueItems":true}"#.into(),
            format!(
                "[{}]",
                (0..n / 24).map(|i| format!("{{\"key\":{}}}", 10_000_000 + i)).collect::<Vec<_>>().join(",")
            ),
        )
    }),
    ("unique in depth", &[500], |n| {
        (
            r##"{"uniqueItems":true,"items":{"$ref":"#"}}"##.into(),
            format!("{}{}{}", "[".repeat(n), list("1.5", MEBI), "]".repeat(n)),
        )
    }),
    ("contains over a list", &[MEBI, FULL], |n| {
        (r#"{"contains":{"const":"x"},"minContains":2,"unevaluatedItems":{"type":"string"}}"#.into(), list("1", n))
    }),
    ("many branches", &[100, 2_000], |n| {
        (format!("{{\"items\":{{\"oneOf\":[{}]}}}}", vec!["{\"type\":\"string\"}"; n].join(",")), list("1", MEBI))
    }),
    ("long key", &[100, 2_000], |n| {
        (
            format!(
                "{{\"properties\":{{\"{}\":{{\"properties\":{{{}}}}}}}}}",
                "k".repeat(500_000),
                (0..n).map(|i| format!("\"p{i}\":{{\"type\":\"nul\"}}")).collect::<Vec<_>>().join(",")
            ),
            "{}".into(),
        )
    }),
    ("dependent schemas", &[100, 2_000], |n| {
        (
            format!(
                "{{\"items\":{{\"dependentSchemas\":{{{}}}}}}}",
                (0..n).map(|i| format!("\"k{i}\":{{\"required\":[\"z\"]}}")).collect::<Vec<_>>().join(",")
            ),
            list(&object(900, "1"), MEBI),
        )
    }),
    ("meta errors", &[100, 3_000], |n| {
        (
            format!(
                "{{\"$schema\":\"http://json-schema.org/draft-07/schema#\",\"allOf\":[{}]}}",
                vec!["{\"items\":{\"type\":3}}"; n.min(1_300)].join(",")
            ),
            "1".into(),
        )
    }),
    ("meta errors in depth", &[10, 99], |n| {
        (
            format!(
                "{{\"$schema\":\"http://json-schema.org/draft-07/schema#\",\"items\":{}{{\"type\":3}}{}}}",
                "{\"items\":".repeat(n - 2),
                "}".repeat(n - 2)
            ),
            "1".into(),
        )
    }),
    ("many cycles", &[10, 1_300], |n| {
        (
            format!(
                "{{\"$defs\":{{{}}}}}",
                (0..n).map(|i| format!("\"d{i}\":{{\"$ref\":\"#/$defs/d{i}\"}}")).collect::<Vec<_>>().join(",")
            ),
            "1".into(),
        )
    }),
    ("broken schema text", &[1_000, 100_000, 7_000_000], |n| ("[".repeat(n), "1".into())),
    ("many automata", &[10, 300, 1_200], |n| {
        let one = |i: usize| format!("{{\"not\":{{\"pattern\":\"(a|b)*{}(a|b){{14}}[^ab{i}]\"}}}}", ["a", "b"][i % 2]);
        (
            format!("{{\"allOf\":[{}]}}", (0..n).map(one).collect::<Vec<_>>().join(",")),
            format!("\"{}\"", noise(200_000)),
        )
    }),
    ("many wide automata", &[10, 200], |n| {
        let one = |i: usize| format!("{{\"not\":{{\"pattern\":\"(\\\\p{{L}}|[^b])*a[^c]{{12}}\\\\P{{L}}{i}\"}}}}");
        (
            format!("{{\"allOf\":[{}]}}", (0..n).map(one).collect::<Vec<_>>().join(",")),
            format!("\"{}\"", repeat("aéabßxaa中abaxa", 200_000)),
        )
    }),
    ("broken tiny values", &[MEBI, FULL], |n| (r#"{"type":"array"}"#.into(), format!("[{}]", "1,".repeat(n / 2 - 1)))),
    ("broken tiny members", &[MEBI, FULL], |n| {
        (
            "{}".into(),
            format!("{{{}}}", (0..n / 12).map(|i| format!("\"{i:x}\":1")).collect::<Vec<_>>().join(",") + ","),
        )
    }),
    ("broken candidate", &[1_000, FULL], |n| ("{}".into(), "[".repeat(n))),
];

/// What became of a case, in a word.
fn outcome(schema: &str, candidate: &str) -> String {
    let checked = match preflight::check_text(schema) {
        Ok(checked) => checked,
        Err(errors) => return format!("refused {:?}", errors[0].reason),
    };
    let judge = match judge(&checked.format, JudgeOptions { limits: ParseLimits::default(), assert_format: false }) {
        Ok(judge) => judge,
        Err(error) => return format!("not compiled {:?}", error.reason),
    };
    match judge.judge(candidate) {
        Judgement::Valid { .. } => "valid".into(),
        Judgement::NotJson(error) => format!("not json {}", error.hint),
        Judgement::Invalid(issues) => {
            assert!(issues.list.len() <= 20 && issues.list.iter().all(|i| i.message.chars().count() <= 500));
            format!("invalid {} +{}", issues.list[0].code, issues.list.len() - 1 + issues.omitted)
        }
    }
}

/// Runs in the child: reads class and size from standard input, tells outcome, milliseconds and peak memory in KiB.
#[test]
#[ignore = "the child of `every_class_ends_in_time_and_memory`"]
fn child() {
    let mut line = String::new();
    std::io::stdin().read_line(&mut line).unwrap();
    let (name, size) = line.trim().rsplit_once('|').unwrap();
    let make = CLASSES.iter().find(|(n, ..)| *n == name).unwrap().2;
    let (schema, candidate) = make(size.parse().unwrap());
    let work = move || {
        let start = Instant::now();
        let outcome = outcome(&schema, &candidate);
        (outcome, start.elapsed())
    };
    let (outcome, time) = std::thread::Builder::new().stack_size(256 * 1024).spawn(work).unwrap().join().unwrap();
    let status = fs_err::read_to_string("/proc/self/status").unwrap_or_default();
    let peak = status.lines().find_map(|l| l.strip_prefix("VmHWM:")).map_or("0", |l| l.trim().trim_end_matches(" kB"));
    let stat = fs_err::read_to_string("/proc/self/stat").unwrap_or_default();
    let ticks = |n: usize| stat.rsplit(')').next().and_then(|t| t.split_whitespace().nth(n)?.parse::<u128>().ok());
    let cpu = ticks(11).zip(ticks(12)).map_or(time.as_millis(), |(user, system)| (user + system) * 10);
    println!("\nRESULT|{outcome}|{}|{peak}|{cpu}", time.as_millis());
}

/// Outcome, milliseconds of wall and processor, KiB; `None` when the child was killed after half a minute or died.
fn run(name: &str, size: usize) -> Option<(String, u128, u64, u128)> {
    let mut child = Command::new(std::env::current_exe().unwrap())
        .args(["--ignored", "--exact", "child", "--nocapture", "--test-threads=1"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    writeln!(child.stdin.take().unwrap(), "{name}|{size}").unwrap();
    let out = BufReader::new(child.stdout.take().unwrap());
    let (send, receive) = mpsc::channel();
    let reader = std::thread::spawn(move || {
        let found = out.lines().map_while(Result::ok).find(|l| l.starts_with("RESULT|"));
        let _ = send.send(found);
    });
    let line = receive.recv_timeout(Duration::from_secs(30)).ok().flatten();
    let _ = child.kill();
    let _ = child.wait();
    reader.join().unwrap();
    let line = line?;
    let parts: Vec<&str> = line.split('|').collect();
    Some((parts[1].to_owned(), parts[2].parse().unwrap(), parts[3].parse().unwrap(), parts[4].parse().unwrap()))
}

/// Processor time of the child, making the input included: on a busy machine the clock counts the others' work too.
const TIME: u128 = 2_000;
const MEMORY: u64 = 256 * 1024;

#[test]
fn every_class_ends_in_time_and_memory() {
    let mut bad = Vec::new();
    for (name, sizes, _) in CLASSES {
        for size in *sizes {
            let Some((outcome, time, memory, cpu)) = run(name, *size) else {
                bad.push(format!("{name} {size}: no answer"));
                continue;
            };
            let line = format!("{name:36} {size:8}: {outcome:32} {time:5} ms (cpu {cpu:4}) {:4} MiB", memory / 1024);
            println!("{line}");
            if cpu > TIME || memory > MEMORY {
                bad.push(line);
            }
        }
    }
    assert!(bad.is_empty(), "{}", bad.join("\n"));
}
