// WORK and FAIL as in google_benchmark.cc.
import { bench, describe } from 'vitest';

let sink = 0;
function chain(steps) {
  let value = 1;
  for (let i = 0; i < steps; ++i) value = (Math.imul(value, 1664525) + 1013904223) | 0;
  sink += value;
}

const options = { time: 50, iterations: 10, warmupTime: 10, warmupIterations: 2 };

describe('live', () => {
  const steps = Number(process.env.WORK ?? 20000);
  bench('planted', () => chain(steps), options);
  bench('steady', () => {
    if (process.env.FAIL) throw new Error('no such file: corpus.txt');
    chain(20000);
  }, options);
});
