import type { ExecutionContext } from '@nestjs/common';
import { lastValueFrom, of, throwError } from 'rxjs';

import type { OperationsObserver } from './operations-observer.js';
import { WakeAfterWriteInterceptor } from './wake-after-write.interceptor.js';

function writesAfter(
  method: string,
  answer = of('ok'),
): { readonly count: () => number; readonly done: Promise<unknown> } {
  let writes = 0;
  const observer: OperationsObserver = { written: () => (writes += 1), jobItems: () => undefined };
  const context = {
    switchToHttp: () => ({ getRequest: () => ({ method, operator: {} }) }),
  } as unknown as ExecutionContext;
  const answered = new WakeAfterWriteInterceptor(observer).intercept(context, { handle: () => answer });
  return { count: () => writes, done: lastValueFrom(answered).catch((error: unknown) => error) };
}

describe('a request of the operations API', () => {
  it.each([
    ['GET', 0],
    ['HEAD', 0],
    ['POST', 1],
    ['DELETE', 1],
  ])('%s wakes who carries on what was asked for %d times', async (method, times) => {
    const { count, done } = writesAfter(method);
    await done;
    expect(count()).toBe(times);
  });

  it('wakes nobody where a stranger sends it', async () => {
    const context = { switchToHttp: () => ({ getRequest: () => ({ method: 'POST' }) }) } as unknown as ExecutionContext;
    let writes = 0;
    const observer: OperationsObserver = { written: () => (writes += 1), jobItems: () => undefined };
    await lastValueFrom(new WakeAfterWriteInterceptor(observer).intercept(context, { handle: () => of('ok') }));
    expect(writes).toBe(0);
  });

  it('wakes them also where it was refused: a part of it may be done', async () => {
    const refusal = new Error('partly');
    const { count, done } = writesAfter(
      'POST',
      throwError(() => refusal),
    );
    expect(await done).toBe(refusal);
    expect(count()).toBe(1);
  });
});
