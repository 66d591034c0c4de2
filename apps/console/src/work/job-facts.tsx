import type { Fact } from '../components/facts.js';
import { capital } from '../components/operation-words.js';
import { TimeText } from '../components/time-text.js';
import type { reportFacts } from './job-progress.js';

const moment = /^\d{4}-\d\d-\d\dT[\d:.]+Z$/;

/** As it is read: `dry run` begins a line, and a moment is told in the zone that somebody has chosen. */
export function factOf({ name, text }: ReturnType<typeof reportFacts>[number]): Fact {
  return { name: capital(name), value: moment.test(text) ? <TimeText at={text} isLong mayCome /> : text };
}
