use criterion::{black_box, criterion_group, criterion_main, Criterion};
use std::time::Duration;

fn planted(criterion: &mut Criterion) {
    let steps = live::work();
    criterion.bench_function("planted", |bencher| bencher.iter(|| live::chain(black_box(steps))));
}

fn steady(criterion: &mut Criterion) {
    criterion.bench_function("steady", |bencher| {
        live::fail();
        bencher.iter(|| live::chain(black_box(20_000)))
    });
}

criterion_group! {
    name = live;
    config = Criterion::default()
        .without_plots()
        .sample_size(10)
        .nresamples(1000)
        .warm_up_time(Duration::from_millis(10))
        .measurement_time(Duration::from_millis(50));
    targets = planted, steady
}
criterion_main!(live);
