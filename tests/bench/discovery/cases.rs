//! The benchmarks of cases.cc, with Criterion.

use criterion::{black_box, Criterion};
use std::{collections::HashSet, env, time::Duration};

fn variable(name: &str, otherwise: &str) -> String {
    env::var(name).unwrap_or_else(|_| otherwise.to_string())
}

/// Each step needs the result of the one before, so the time is proportional to the steps.
fn chain(steps: u64) -> u64 {
    (0..steps).fold(1, |value: u64, _| {
        black_box(value.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407))
    })
}

fn main() {
    let cases: u64 = variable("CASES", "120").parse().unwrap();
    let share: f64 = variable("SHARE", "0.05").parse().unwrap();
    let planted: HashSet<u64> = variable("PLANTED", "")
        .split(',')
        .filter_map(|word| word.parse().ok())
        .collect();
    let mut criterion = Criterion::default()
        .without_plots()
        .sample_size(10)
        .nresamples(1000)
        .warm_up_time(Duration::from_millis(2))
        .measurement_time(Duration::from_millis(10))
        .configure_from_args();
    for number in 0..cases {
        let steps = 1000 * (1 + number * 37 % 100);
        let more = if planted.contains(&number) { 1.0 + share } else { 1.0 };
        let work = (steps as f64 * more) as u64;
        criterion.bench_function(&format!("case{}", number), |bencher| {
            bencher.iter(|| chain(black_box(work)))
        });
    }
    criterion.final_summary();
}
