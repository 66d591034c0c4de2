import { compressedBytesMin, CompressedAnswers, compressionsMax } from './compressed-answers.js';

describe('what is compressed at once', () => {
  const made = { payload: 'x'.repeat(compressedBytesMin), contentType: 'application/json', acceptEncoding: 'gzip' };

  it('is so much and no more: what comes meanwhile goes as it is', async () => {
    const answers = new CompressedAnswers();
    const all = await Promise.all(Array.from({ length: compressionsMax + 3 }, () => answers.compress(made)));
    expect(all.filter((answer) => answer !== null)).toHaveLength(compressionsMax);
    expect(await answers.compress(made)).toMatchObject({ coding: 'gzip' });
    expect(await answers.compress({ ...made, payload: 'x'.repeat(compressedBytesMin - 1) })).toBeNull();
  });
});
