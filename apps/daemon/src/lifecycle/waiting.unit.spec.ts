import { StoppedError, unlessStopped } from './waiting.js';

describe('what a start waits for', () => {
  const never = new Promise<never>(() => undefined);
  const broken = (): Promise<never> => Promise.reject(new Error('broken'));

  it('comes, or fails, where nobody stops it', async () => {
    const { signal } = new AbortController();
    expect(await unlessStopped(Promise.resolve(7), signal)).toBe(7);
    await expect(unlessStopped(broken(), signal)).rejects.toThrow('broken');
  });

  it('is left as soon as the process is told to stop, and at once when it was told before', async () => {
    const stopping = new AbortController();
    const waiting = unlessStopped(never, stopping.signal);
    stopping.abort('SIGTERM');
    await expect(waiting).rejects.toThrow(StoppedError);
    await expect(unlessStopped(never, stopping.signal)).rejects.toThrow(StoppedError);
  });

  it('may fail later: nobody listens any more', async () => {
    const late = Promise.withResolvers<never>();
    await expect(unlessStopped(late.promise, AbortSignal.abort())).rejects.toThrow(StoppedError);
    late.reject(new Error('broken'));
    await new Promise(setImmediate);
  });
});
