//! The benchmarks of cases.cc with Criterion: the same kinds and steps, and the same plan.

use criterion::{black_box, Bencher, Criterion};
use std::{collections::HashSet, env, fs, time::Duration, time::SystemTime};

/// What a benchmark is given: how much to do, and where its data comes from.
struct Work {
    steps: usize,
    seed: u64,
}

fn step(value: u64) -> u64 {
    value.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407)
}

/// Mixes the bits of a state, so that also the low ones look random.
fn mixed(state: u64) -> u64 {
    let value = (state ^ (state >> 32)).wrapping_mul(0xD6E8FEB86659FD93);
    value ^ (value >> 32)
}

fn random_values(count: usize, seed: u64) -> Vec<u64> {
    let mut state = seed;
    (0..count)
        .map(|_| {
            state = step(state);
            mixed(state)
        })
        .collect()
}

/// Each step needs the result of the one before, so the time is proportional to the steps.
fn chain(bencher: &mut Bencher, work: &Work) {
    bencher.iter(|| (0..40 * work.steps).fold(black_box(1), |value, _| black_box(step(value))))
}

/// Sorts other numbers in each turn, so that the processor cannot learn them.
fn sort(bencher: &mut Bencher, work: &Work) {
    let values = random_values(work.steps + 4096, work.seed);
    let mut begin = 0;
    bencher.iter(|| {
        let first = begin % 4096;
        begin += 1;
        let mut sorted = values[first..first + work.steps].to_vec();
        sorted.sort_unstable();
        sorted
    })
}

/// Insertions into a table with open addressing; how many collide depends on the data.
fn hash(bencher: &mut Bencher, work: &Work) {
    let keys = random_values(work.steps, work.seed);
    let mut table = vec![0u32; 4096];
    let mut turn = 0u64;
    bencher.iter(|| {
        table.fill(0);
        turn = turn.wrapping_add(0x9E3779B97F4A7C15);
        for key in &keys {
            let mut slot = (key.wrapping_mul(turn | 1) >> 52) as usize;
            while table[slot] != 0 {
                slot = (slot + 1) % table.len();
            }
            table[slot] = (key | 1) as u32;
        }
        table[0]
    })
}

/// Follows a random cycle through 128 KiB, which is more than the nearest cache holds.
fn chase(bencher: &mut Bencher, work: &Work) {
    let count = 1 << 15;
    let mut order: Vec<u32> = (0..count as u32).collect();
    for (i, random) in random_values(count, work.seed).iter().enumerate().skip(1) {
        order.swap(i, (random % (i as u64 + 1)) as usize);
    }
    let mut next = vec![0u32; count];
    for (i, &at) in order.iter().enumerate() {
        next[at as usize] = order[(i + 1) % count];
    }
    let mut at = 0u32;
    bencher.iter(|| {
        for _ in 0..work.steps {
            at = next[at as usize];
        }
        at
    })
}

/// Counts the digits of numbers.
fn digits(bencher: &mut Bencher, work: &Work) {
    let values = random_values(work.steps, work.seed);
    bencher.iter(|| {
        let mut digits = 0u64;
        for &one in &values {
            let mut value = one;
            while value != 0 {
                value /= 10;
                digits += 1;
            }
            digits = black_box(digits);
        }
        digits
    })
}

/// Branches that the processor cannot predict.
fn branches(bencher: &mut Bencher, work: &Work) {
    let mut value = work.seed;
    bencher.iter(|| {
        let mut sum = 0u64;
        for _ in 0..8 * work.steps {
            value = step(value);
            if value >> 63 != 0 {
                sum = sum.wrapping_add(value / 7);
            }
            sum = black_box(sum);
        }
        sum
    })
}

type Kind = (&'static str, fn(&mut Bencher, &Work));
const KINDS: [Kind; 6] = [
    ("chain", chain),
    ("sort", sort),
    ("hash", hash),
    ("chase", chase),
    ("digits", digits),
    ("branches", branches),
];

/// A number from 0 to 1 that differs in each process.
fn anew(number: usize) -> f64 {
    let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap();
    mixed(step(now.as_nanos() as u64 ^ number as u64)) as f64 / u64::MAX as f64
}

fn main() {
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
        let (kind, run) = KINDS[number % KINDS.len()];
        let mut steps = (1000 + 100 * (number / KINDS.len() % 20)) as f64;
        if planted.contains(&number) {
            steps *= 1.0 + share;
        }
        if number % 24 == 1 {
            steps *= 1.0 + 0.16 * anew(number);
        }
        let work = Work { steps: steps as usize, seed: number as u64 };
        let name = format!("{}/case{}", kind, number);
        criterion.bench_function(&name, |bencher| run(bencher, &work));
    }
    criterion.final_summary();
}
