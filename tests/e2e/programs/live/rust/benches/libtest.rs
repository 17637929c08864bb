#![feature(test)]
extern crate test;
use test::{black_box, Bencher};

#[bench]
fn planted(bencher: &mut Bencher) {
    let steps = live::work();
    bencher.iter(|| live::chain(black_box(steps)));
}

#[bench]
fn steady(bencher: &mut Bencher) {
    live::fail();
    bencher.iter(|| live::chain(black_box(20_000)));
}
