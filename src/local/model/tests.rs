#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test stops at the first surprise")]
use super::*;

#[test]
#[allow(clippy::print_stdout, clippy::disallowed_methods)]
fn scratch() {
    let t = std::time::Instant::now();
    let gguf = Gguf::open(std::path::Path::new("/work/models/smollm2.gguf")).unwrap();
    let model = Model::load(&gguf, &mut |_, _| ControlFlow::Continue(())).unwrap();
    println!("load {:?} {:?}", t.elapsed(), model.shape());
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build().unwrap();
    pool.install(|| {
        let prompt: Vec<u32> = vec![
            1, 9690, 198, 2683, 359, 253, 5356, 5646, 11173, 3365, 3511, 308, 34519, 28, 7018, 411, 407, 19712, 8182,
            2, 198, 1, 4093, 198, 1780, 314, 260, 3575, 282, 4649, 47, 2, 198, 1, 520, 9531, 198,
        ];
        let mut cache = model.cache();
        let mut hidden = model.feed(&mut cache, &prompt).unwrap();
        let mut out = Vec::new();
        let t = std::time::Instant::now();
        let c = cpu();
        let mut made = vec![];
        for _ in 0..64 {
            model.logits(&hidden, None, &mut out).unwrap();
            let best = out.iter().enumerate().max_by(|a, b| a.1.total_cmp(b.1)).unwrap().0 as u32;
            made.push(best);
            hidden = model.feed(&mut cache, &[best]).unwrap();
        }
        println!("{made:?}");
        println!("decode {:.1}/s cpu {:.1}/s", 64.0 / t.elapsed().as_secs_f64(), 64.0 / (cpu() - c));
        let mut cache = model.cache();
        let t = std::time::Instant::now();
        let c = cpu();
        for chunk in prompt.iter().copied().cycle().take(512).collect::<Vec<_>>().chunks(64) {
            let t = std::time::Instant::now();
            model.feed(&mut cache, chunk).unwrap();
            println!("  {:?}", t.elapsed());
        }
        println!("prefill {:.1}/s cpu {:.1}/s", 512.0 / t.elapsed().as_secs_f64(), 512.0 / (cpu() - c));
    });
    println!("{}", std::fs::read_to_string("/proc/self/schedstat").unwrap());
    println!(
        "{}",
        std::fs::read_to_string("/proc/self/status")
            .unwrap()
            .lines()
            .filter(|l| l.starts_with("VmHWM"))
            .collect::<String>()
    );
}

fn cpu() -> f64 {
    let text = std::fs::read_to_string("/proc/thread-self/schedstat").unwrap();
    text.split(' ').next().unwrap().parse::<f64>().unwrap() / 1e9
}
