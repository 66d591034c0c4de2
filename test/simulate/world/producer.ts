import type { Chance } from '../kernel/chance.js';
import type { Surroundings } from './surroundings.js';
import { Traffic } from './traffic.js';

const retryMs = 700;

/** Sends the traffic of a world: what the brokers do not confirm is sent again. */
export class Producer {
  private open = 0;
  private readonly chance: Chance;

  constructor(private readonly around: Surroundings) {
    this.chance = around.chance.fork('producer');
  }

  get isDone(): boolean {
    return this.open === 0;
  }

  schedule(): void {
    const { timeline, scenario } = this.around;
    for (const emission of new Traffic(scenario).draw()) {
      this.open += 1;
      timeline.after(emission.at, 'produces', () => {
        this.send(() => emission.make(timeline.now));
      });
    }
  }

  private send(make: Parameters<typeof this.sendAgain>[0]): void {
    const { broker } = this.around;
    if (broker.weather.isDown) {
      this.sendAgain(make);
      return;
    }
    const record = make();
    broker.append(record);
    // The record is the same when it is sent again, its time included.
    if (this.chance.happens(broker.weather.losesProduceAcknowledgement)) this.sendAgain(() => record);
    else this.open -= 1;
  }

  private sendAgain(make: () => Parameters<Surroundings['broker']['append']>[0]): void {
    this.around.timeline.after(retryMs, 'produces again', () => {
      this.send(make);
    });
  }
}
