import type { OutcomeSink } from '#ingest';

import type { HeardOutcome } from '../../checker/index.js';
import type { Surroundings } from './surroundings.js';

type SentOutcomes = Parameters<OutcomeSink['send']>[0];

const losesAcknowledgement = 0.1;

/** The outcomes topic with somebody who listens to it. */
export class OutcomeListener implements OutcomeSink {
  readonly heard: HeardOutcome[] = [];

  /** Of intents, each once however often it was told. */
  get intentsHeard(): number {
    return new Set(this.heard.filter(({ seq }) => seq !== null).map(({ id }) => id)).size;
  }

  constructor(private readonly around: Surroundings) {}

  async send(outcomes: SentOutcomes): Promise<void> {
    const { broker, chance, scenario, timeline } = this.around;
    if (broker.weather.isDown) throw new Error('the broker does not answer');
    for (const { id, name, memberId, data } of outcomes) {
      const seq = 'intentId' in data ? Number(data.intentId.split('~').at(-1)) : null;
      const passId = 'passId' in data ? Number(data.passId) : null;
      this.heard.push({ id, name, program: data.program, memberId, seq, passId });
    }
    const isTroubled = timeline.now < scenario.startsAt + scenario.troubledMs;
    if (isTroubled && chance.happens(losesAcknowledgement)) throw new Error('the broker did not confirm');
  }

  async close(): Promise<void> {
    // There is nothing to let go of.
  }
}
