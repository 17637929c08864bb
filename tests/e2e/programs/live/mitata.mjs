// WORK and FAIL as in google_benchmark.cc.
import { bench, run } from 'mitata';

let sink = 0;
function chain(steps) {
  let value = 1;
  for (let i = 0; i < steps; ++i) value = (Math.imul(value, 1664525) + 1013904223) | 0;
  sink += value;
}

const steps = Number(process.env.WORK ?? 20000);
bench('planted', () => chain(steps));
bench('steady', () => {
  if (process.env.FAIL) throw new Error('no such file: corpus.txt');
  chain(20000);
});
await run({ format: { json: { debug: false, samples: false } } });
