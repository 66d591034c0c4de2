import { latenciesOf } from './run-load.js';

describe('latencies', () => {
  it('are ranked, not averaged', () => {
    const values = Array.from({ length: 1_000 }, (_, index) => 1_000 - index);
    expect(latenciesOf(values)).toEqual({ p50: 500, p99: 990, max: 1_000 });
  });

  it('of one request are that request', () => {
    expect(latenciesOf([7])).toEqual({ p50: 7, p99: 7, max: 7 });
  });

  it('of no request are unknown', () => {
    expect(latenciesOf([])).toEqual({ p50: NaN, p99: NaN, max: NaN });
  });
});
