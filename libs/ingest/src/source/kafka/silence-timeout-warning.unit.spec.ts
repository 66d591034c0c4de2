import { runInThisContext } from 'node:vm';

import { silenceTimeoutWarning } from './silence-timeout-warning.js';

const original = process.emitWarning;

describe("KafkaJS' warning about timers in the past", () => {
  const heard: string[] = [];
  let undo: () => void;

  beforeEach(() => {
    heard.length = 0;
    process.emitWarning = ((message: string, type: string) => {
      heard.push(`${type}: ${message}`);
    }) as typeof process.emitWarning;
    undo = silenceTimeoutWarning();
  });

  afterEach(() => {
    undo();
    process.emitWarning = original;
  });

  /** Calls as from a file of that name: the stack is all that tells who warns. */
  function warnFrom(file: string, type: string): void {
    const code = '(emit, type) => emit("-1 is a negative number", type)';
    const call = runInThisContext(code, { filename: file }) as (
      emit: (text: string, type: string) => void,
      type: string,
    ) => void;
    call(process.emitWarning.bind(process), type);
  }

  it('is dropped', () => {
    warnFrom('/app/node_modules/kafkajs/src/network/requestQueue/index.js', 'TimeoutNegativeWarning');
    expect(heard).toEqual([]);
  });

  it('is heard from anybody else, and any other warning from KafkaJS', () => {
    warnFrom('/app/node_modules/other/index.js', 'TimeoutNegativeWarning');
    warnFrom('/app/node_modules/kafkajs/src/index.js', 'DeprecationWarning');
    expect(heard).toHaveLength(2);
  });

  it('stays dropped until everybody who asked for it has had enough, once each', () => {
    const undoOther = silenceTimeoutWarning();
    undo();
    undo();
    warnFrom('/app/node_modules/kafkajs/src/index.js', 'TimeoutNegativeWarning');
    expect(heard).toEqual([]);
    undoOther();
    warnFrom('/app/node_modules/kafkajs/src/index.js', 'TimeoutNegativeWarning');
    expect(heard).toHaveLength(1);
  });

  it('is heard again in the end', () => {
    undo();
    warnFrom('/app/node_modules/kafkajs/src/index.js', 'TimeoutNegativeWarning');
    expect(heard).toHaveLength(1);
  });
});
