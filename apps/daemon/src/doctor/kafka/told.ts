import { kafkaTrouble } from '#ingest';
import { SafeError } from '#platform';

import type { Examined } from '../examination.js';
import { failed } from '../finding.js';
import { troubleRemedy, troubleText } from './describe-trouble.js';

/** Whatever Kafka refuses becomes the finding of that name. */
export async function told<Value>(name: string, work: () => Promise<Examined<Value>>): Promise<Examined<Value>> {
  try {
    return await work();
  } catch (error) {
    // Not Kafka's: it says itself what it is.
    if (error instanceof SafeError) throw error;
    const trouble = kafkaTrouble(error);
    return {
      findings: [failed(name, { detail: troubleText(trouble), remedy: troubleRemedy(trouble) })],
      value: null,
    };
  }
}
