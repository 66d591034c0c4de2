import { existsSync } from 'node:fs';

import { chart } from '../cluster/cluster.js';
import { composeFile } from './stack.js';

describe('what the drills on real containers read of this checkout', () => {
  it.each([composeFile, chart])('%s is there', (path) => {
    expect(existsSync(path)).toBe(true);
  });
});
