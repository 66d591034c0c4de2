import type { TopicPartition } from '#ingest';

import type { Timeline } from '../kernel/timeline.js';
import type { Broker } from './broker.js';

/** A member that was not heard of for so long is taken for dead. */
const sessionMs = 6_000;
const checkMs = 1_000;

export interface GroupMember {
  readonly name: string;
}

interface Seat {
  heardAt: number;
  /** What the member was told last; another generation means that it must join again. */
  told: number;
}

/** The group coordinator: who is a member, and who has which partitions in the present generation. */
export class ConsumerGroup {
  private readonly seats = new Map<GroupMember, Seat>();
  private generation = 0;

  constructor(
    private readonly broker: Broker,
    private readonly timeline: Timeline,
  ) {
    this.watch();
  }

  /** The member is there (again); everybody's partitions are dealt anew if it was not. */
  join(member: GroupMember): TopicPartition[] {
    if (!this.seats.has(member)) {
      this.seats.set(member, { heardAt: this.timeline.now, told: -1 });
      this.rebalance();
    }
    const seat = this.seats.get(member);
    if (seat !== undefined) seat.told = this.generation;
    return this.assignment(member);
  }

  leave(member: GroupMember): void {
    if (this.seats.delete(member)) this.rebalance();
  }

  /** A sign of life. @returns whether the member's generation is still the present one */
  hear(member: GroupMember): boolean {
    const seat = this.seats.get(member);
    if (seat === undefined) return false;
    seat.heardAt = this.timeline.now;
    return seat.told === this.generation;
  }

  /** Everybody must join again. */
  rebalance(): void {
    this.generation += 1;
    this.timeline.trace.note(this.timeline.now, `group generation ${this.generation} of ${this.seats.size}`);
  }

  private assignment(member: GroupMember): TopicPartition[] {
    const members = [...this.seats.keys()];
    const partitions = this.broker.topicNames.flatMap((topic) =>
      this.broker.logsOf(topic).map(({ partition }) => ({ topic, partition })),
    );
    const place = members.indexOf(member);
    // Dealt differently in each generation, as the members' ids would have it.
    return partitions.filter((_, index) => (index + this.generation) % members.length === place);
  }

  private watch(): void {
    this.timeline.after(checkMs, 'group looks around', () => {
      const { isDown } = this.broker.weather;
      for (const [member, seat] of this.seats) {
        if (isDown) seat.heardAt = this.timeline.now;
        else if (this.timeline.now - seat.heardAt > sessionMs) this.leave(member);
      }
      this.watch();
    });
  }
}
