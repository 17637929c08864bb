//! usage: stages CALLS
//!
//! 30 functions: ten plain ones, ten methods of ten types, and ten that are inlined into their
//! caller. What a step does is explained in steps.h.

use std::hint::black_box;

// A macro rather than a function, whose own name a profile would show for all of them.
macro_rules! steps {
    ($n:expr, $x:ident, $rounds:expr, $table:expr) => {
        for j in 0..$rounds {
            match $n % 3 {
                0 => {
                    $x = $x.wrapping_mul(6364136223846793005 + 2 * $n).wrapping_add(j);
                    $x ^= $x >> 29;
                    $x = $x.wrapping_add($x << (3 + $n % 5));
                }
                1 => {
                    $x = ($x ^ $table[($x >> 17) as usize & 1023]).wrapping_add(2 * $n + j);
                }
                _ => {
                    if j & 7 == 0 {
                        $x = $x.wrapping_add($x << (2 + $n % 7));
                    }
                    $x = ($x ^ ($x >> 13)).wrapping_mul(2862933555777941757 + 2 * $n);
                    $x ^= $x >> 31;
                }
            }
        }
    };
}

macro_rules! plain {
    ($($name:ident $n:literal)*) => {
        $(#[inline(never)]
        fn $name(mut x: u64, rounds: u64, table: &[u64; 1024]) -> u64 {
            steps!($n, x, rounds, table);
            x
        })*
    };
}

macro_rules! inlined {
    ($($name:ident $n:literal)*) => {
        $(#[inline(always)]
        fn $name(mut x: u64, rounds: u64, table: &[u64; 1024]) -> u64 {
            steps!($n, x, rounds, table);
            x
        })*
    };
}

trait Stage {
    fn run(x: u64, rounds: u64, table: &[u64; 1024]) -> u64;
}

macro_rules! stages {
    ($($name:ident $n:literal)*) => {
        $(struct $name;
        impl Stage for $name {
            #[inline(never)]
            fn run(mut x: u64, rounds: u64, table: &[u64; 1024]) -> u64 {
                steps!($n, x, rounds, table);
                x
            }
        })*
    };
}

plain!(plain_0 0 plain_1 1 plain_2 2 plain_3 3 plain_4 4 plain_5 5 plain_6 6 plain_7 7 plain_8 8
       plain_9 9);
stages!(Stage10 10 Stage11 11 Stage12 12 Stage13 13 Stage14 14 Stage15 15 Stage16 16 Stage17 17
        Stage18 18 Stage19 19);
inlined!(inlined_20 20 inlined_21 21 inlined_22 22 inlined_23 23 inlined_24 24 inlined_25 25
         inlined_26 26 inlined_27 27 inlined_28 28 inlined_29 29);

#[inline(never)]
fn one_call(mut x: u64, rounds: &[u64], table: &[u64; 1024]) -> u64 {
    let plain = [plain_0, plain_1, plain_2, plain_3, plain_4, plain_5, plain_6, plain_7, plain_8,
                 plain_9];
    let staged = [Stage10::run, Stage11::run, Stage12::run, Stage13::run, Stage14::run,
                  Stage15::run, Stage16::run, Stage17::run, Stage18::run, Stage19::run];
    for (function, rounds) in plain.iter().chain(&staged).zip(rounds) {
        x = function(x, *rounds, table);
    }
    x = inlined_20(x, rounds[20], table);
    x = inlined_21(x, rounds[21], table);
    x = inlined_22(x, rounds[22], table);
    x = inlined_23(x, rounds[23], table);
    x = inlined_24(x, rounds[24], table);
    x = inlined_25(x, rounds[25], table);
    x = inlined_26(x, rounds[26], table);
    x = inlined_27(x, rounds[27], table);
    x = inlined_28(x, rounds[28], table);
    inlined_29(x, rounds[29], table)
}

fn main() {
    let calls: u64 = std::env::args().nth(1).map_or(1, |word| word.parse().unwrap());
    // black_box: read when the program runs, so that the code does not depend on the numbers.
    let rounds: Vec<u64> =
        black_box(env!("ROUNDS")).split(',').map(|word| word.parse().unwrap()).collect();
    let mut table = [0u64; 1024];
    for (i, value) in table.iter_mut().enumerate() {
        *value = (i as u64).wrapping_mul(0x9E3779B97F4A7C15);
    }
    let mut x = 1;
    for _ in 0..calls {
        x = one_call(x, &rounds, &table);
    }
    println!("{x:016x}");
}
