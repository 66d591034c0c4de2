type EmitWarning = typeof process.emitWarning;

function isFromKafkaJs(args: readonly unknown[]): boolean {
  const [, type] = args;
  const name = typeof type === 'object' && type !== null && 'type' in type ? type.type : type;
  return name === 'TimeoutNegativeWarning' && (new Error().stack ?? '').includes('kafkajs');
}

let users = 0;
let restore: () => void = () => undefined;

function filter(): () => void {
  // eslint-disable-next-line @typescript-eslint/unbound-method -- called with its process below
  const original = process.emitWarning;
  const filtered = (...args: Parameters<EmitWarning>): void => {
    if (!isFromKafkaJs(args)) original.apply(process, args);
  };
  process.emitWarning = filtered as EmitWarning;
  return () => {
    if (process.emitWarning === filtered) process.emitWarning = original;
  };
}

/**
 * KafkaJS 2.2.4 asks for timers in the past, on which Node 24 warns each time (tulios/kafkajs#1751): harmless. Exactly
 * that warning from exactly there is dropped; the returned function undoes it, once all who asked for it have.
 */
export function silenceTimeoutWarning(): () => void {
  users += 1;
  if (users === 1) restore = filter();
  let isUndone = false;
  return () => {
    if (isUndone) return;
    isUndone = true;
    users -= 1;
    if (users === 0) restore();
  };
}
