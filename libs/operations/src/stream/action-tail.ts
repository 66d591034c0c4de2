import type { ListedAction } from '#intents';
import { listActions, listActionsAfter } from '#intents';
import type { Database } from '#platform';

/** Ids are given out before their transactions end: one may appear after so many higher ones. */
const overlap = 100;

/** Follows what people do. */
export class ActionTail {
  /** Told, and not so long ago that they would not be read again. */
  private told = new Set<number>();
  private lastId = 0;

  constructor(private readonly database: Database) {}

  /** The highest id that was told. */
  get last(): number {
    return this.lastId;
  }

  /** From now on: what was done before is not told. */
  async begin(): Promise<void> {
    const [newest] = await listActions(this.database, { actor: null, action: null, before: null, limit: 1 });
    this.lastId = newest?.actionId ?? 0;
    this.take(await listActionsAfter(this.database, this.lastId - overlap));
  }

  /** What has been done since, in the order of the ids; a great many are told in several calls. */
  async next(): Promise<ListedAction[]> {
    const read = await listActionsAfter(this.database, this.lastId - overlap);
    const fresh = read.filter(({ actionId }) => !this.told.has(actionId));
    this.take(read);
    return fresh;
  }

  /** What was done after an action that a viewer has seen, as far as the tail has come. */
  async since(actionId: number): Promise<ListedAction[]> {
    const read = await listActionsAfter(this.database, actionId);
    return read.filter((action) => action.actionId <= this.lastId);
  }

  private take(read: readonly ListedAction[]): void {
    this.told = new Set(read.map(({ actionId }) => actionId));
    this.lastId = Math.max(this.lastId, read.at(-1)?.actionId ?? 0);
  }
}
