let isQuiet = false;

/**
 * KafkaJS 2.2.4 asks for timers in the past, on which Node 24 warns (tulios/kafkajs#1751): harmless, and noise between
 * the lines of progress. From now on exactly that warning from exactly there is dropped.
 */
export function quietTimerWarning(): void {
  if (isQuiet) return;
  isQuiet = true;
  const emit = process.emitWarning.bind(process) as (...args: readonly unknown[]) => void;
  process.emitWarning = (...args: readonly unknown[]): void => {
    const isTimer = args[1] === 'TimeoutNegativeWarning';
    if (!isTimer || !(new Error().stack ?? '').includes('kafkajs')) emit(...args);
  };
}
