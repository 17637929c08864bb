// WORK and FAIL as in google_benchmark.cc.
import { Bench } from 'tinybench';

let sink = 0;
function chain(steps) {
  let value = 1;
  for (let i = 0; i < steps; ++i) value = (Math.imul(value, 1664525) + 1013904223) | 0;
  sink += value;
}

const bench = new Bench({ time: 50, warmupTime: 10 });
const steps = Number(process.env.WORK ?? 20000);
bench.add('planted', () => chain(steps));
bench.add('steady', () => {
  if (process.env.FAIL) throw new Error('no such file: corpus.txt');
  chain(20000);
});
await bench.run();
console.log(JSON.stringify({ tasks: bench.tasks.map((t) => ({ name: t.name, result: t.result })) }));
