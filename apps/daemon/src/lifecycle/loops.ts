import type { BeforeApplicationShutdown, OnApplicationBootstrap, OnModuleDestroy } from '@nestjs/common';

import type { BackgroundLoop } from '#platform';

/** Work that continues until it is stopped. */
export type BackgroundWork = Pick<BackgroundLoop, 'start' | 'stop' | 'wake' | 'failingForMs'>;

/** A loop whose turns can be long: their work is stopped with it. */
export function interruptible(loop: BackgroundLoop, work: { stop?(): void }): BackgroundWork {
  return {
    start: () => {
      loop.start();
    },
    stop: () => {
      work.stop?.();
      return loop.stop();
    },
    wake: () => {
      loop.wake();
    },
    get failingForMs() {
      return loop.failingForMs;
    },
  };
}

async function stopAll(loops: readonly BackgroundWork[]): Promise<void> {
  await Promise.all(loops.map((loop) => loop.stop()));
}

/** Loops that begin work of their own. All of them are stopped before any is awaited, as all intake is. */
export class WorkLoops implements OnApplicationBootstrap, OnModuleDestroy, BeforeApplicationShutdown {
  private stopped: Promise<void> | null = null;

  constructor(readonly loops: BackgroundWork[] = []) {}

  /** One more, before the application has started. */
  add(loop: BackgroundWork): void {
    this.loops.push(loop);
  }

  onApplicationBootstrap(): void {
    for (const loop of this.loops) loop.start();
  }

  onModuleDestroy(): void {
    this.stopped = stopAll(this.loops);
    // Waited for below.
    this.stopped.catch(() => undefined);
  }

  async beforeApplicationShutdown(): Promise<void> {
    await this.stopped;
  }
}

/** Loops that report or serve what others do: they stop when those are done. To be provided by a global module. */
export class FollowerLoops implements OnApplicationBootstrap, BeforeApplicationShutdown {
  constructor(readonly loops: BackgroundWork[] = []) {}

  /** One more, before the application has started. */
  add(loop: BackgroundWork): void {
    this.loops.push(loop);
  }

  onApplicationBootstrap(): void {
    for (const loop of this.loops) loop.start();
  }

  async beforeApplicationShutdown(): Promise<void> {
    await stopAll(this.loops);
  }
}
