//! Benchmarks as in cases.cc, of three of its kinds, with Criterion.

use criterion::{black_box, Bencher, Criterion};
use std::{collections::HashSet, env, fmt::Write, fs, time::Duration, time::SystemTime};

fn step(value: u64) -> u64 {
    value.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407)
}

/// Each step needs the result of the one before, so the time is proportional to the steps.
fn chain(bencher: &mut Bencher, work: usize) {
    bencher.iter(|| (0..40 * work).fold(black_box(1), |value, _| black_box(step(value))))
}

/// Values that differ in each process.
fn random_values(count: usize) -> Vec<u64> {
    let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap();
    let mut value = now.as_nanos() as u64;
    (0..count)
        .map(|_| {
            value = step(value);
            (value >> 32) ^ value
        })
        .collect()
}

fn sort(bencher: &mut Bencher, work: usize) {
    let values = random_values(work);
    bencher.iter(|| {
        let mut sorted = values.clone();
        sorted.sort_unstable();
        sorted
    })
}

fn text(bencher: &mut Bencher, work: usize) {
    let values = random_values(work);
    let mut text = String::new();
    bencher.iter(|| {
        text.clear();
        for value in &values {
            write!(text, "{}", value).unwrap();
        }
        text.len()
    })
}

fn main() {
    let kinds: [(&str, fn(&mut Bencher, usize)); 3] =
        [("chain", chain), ("sort", sort), ("text", text)];
    let program = env::current_exe().unwrap();
    let plan = fs::read_to_string(program.with_file_name("cases.txt")).unwrap();
    let mut words = plan.split_whitespace();
    let cases: usize = words.next().unwrap().parse().unwrap();
    let share: f64 = words.next().unwrap().parse().unwrap();
    let planted: HashSet<usize> = words.map(|word| word.parse().unwrap()).collect();
    // Arguments come first, because they also draw plots, which take longer than all the rest.
    let mut criterion = Criterion::default()
        .configure_from_args()
        .without_plots()
        .sample_size(10)
        .nresamples(100)
        .warm_up_time(Duration::from_millis(1))
        .measurement_time(Duration::from_millis(3));
    for number in 0..cases {
        let (kind, run) = kinds[number % kinds.len()];
        let more = if planted.contains(&number) { 1.0 + share } else { 1.0 };
        let work = ((200 + 100 * (number / kinds.len() % 20)) as f64 * more) as usize;
        criterion.bench_function(&format!("{}/case{}", kind, number), |bencher| run(bencher, work));
    }
    criterion.final_summary();
}
