import { parentPort, workerData } from 'node:worker_threads';

import type { FromWorker, ToWorker, WorkerSeat } from '../messages.js';

/** A worker that does nothing, and at a word in place of the programs file what no worker should do. */
const { number } = workerData as WorkerSeat;

function tell(message: FromWorker): void {
  parentPort?.postMessage(message);
}

function obey(word: string): void {
  if (word === `defect ${number}`) throw new TypeError('ada@example.org');
  while (word === `stuck ${number}`);
}

const counter = {
  name: 'planted_total',
  help: 'planted',
  type: 'counter',
  aggregator: 'sum',
  values: [{ value: number, labels: {} }],
};

parentPort?.on('message', (message: ToWorker) => {
  switch (message.type) {
    case 'start':
      obey(message.start.programsText);
      tell({ type: 'started' });
      return;
    case 'check':
      tell({
        type: 'checked',
        problems: [`planted ${number}`],
        figures: { partner: {}, lag: { purchases: { records: number, oldestAt: null } } },
      });
      return;
    case 'scrape':
      tell({ type: 'scraped', metrics: [counter] as never });
      return;
    case 'programs':
      obey(message.text);
      return;
    case 'drain':
      process.exit(0);
      return;
    case 'files':
    case 'wake':
  }
});
