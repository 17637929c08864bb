//! WORK and FAIL as in google_benchmark.cc.

pub fn work() -> u64 {
    std::env::var("WORK").ok().and_then(|steps| steps.parse().ok()).unwrap_or(20_000)
}

pub fn fail() {
    if std::env::var("FAIL").is_ok() {
        panic!("no such file: corpus.txt");
    }
}

#[inline(never)]
pub fn chain(steps: u64) -> u64 {
    let mut value = 1u64;
    for step in 0..steps {
        value = value.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407 ^ step);
    }
    value
}
