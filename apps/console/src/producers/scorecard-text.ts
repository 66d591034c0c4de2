import { producerName, type Producer, rateOf, rateText, sentBy, troubles } from './scorecard.js';

const escaped = (text: string): string => text.replaceAll('|', String.raw`\|`);
const count = (value: number): string => value.toLocaleString('en');

function lineOf(producer: Producer): string {
  const { store, program } = producer;
  const cells = [
    producerName(producer),
    store ?? '',
    program ?? '',
    count(sentBy(producer)),
    ...troubles.map(({ trouble }) => `${count(producer[trouble])} (${rateText(rateOf(producer, trouble))})`),
  ];
  return `| ${cells.map(escaped).join(' | ')} |`;
}

/** A scorecard as Markdown, which reads as text, too: for the team that emits. */
export function scorecardText(producers: readonly Producer[], rangeText: string): string {
  const names = ['Source', 'Store', 'Program', 'Sent', ...troubles.map(({ name }) => name)];
  const rule = names.map((_name, index) => (index < 3 ? '---' : '---:'));
  return [
    `# Loyalty events, ${rangeText}`,
    '',
    `| ${names.join(' | ')} |`,
    `| ${rule.join(' | ')} |`,
    ...producers.map(lineOf),
    '',
    ...troubles.map(({ name, means }) => `- ${name}: ${means}.`),
    '',
  ].join('\n');
}
