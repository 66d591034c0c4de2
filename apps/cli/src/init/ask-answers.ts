import type { Terminal } from '../command-line/terminal.js';
import { wrongUsage } from '../command-line/command-failure.js';
import type { AnswerName, Answers, Question } from './questions.js';
import { flagOf, questions } from './questions.js';

/** What flags and variables say. */
export type GivenAnswers = Partial<Record<AnswerName, string>>;

interface Asking {
  readonly terminal: Terminal;
  readonly given: GivenAnswers;
  /** Nobody is asked: what is not given is as it is by default. */
  readonly isYes: boolean;
}

/**
 * An answer to each question: given, asked for until it is right, or the standard one.
 * @throws {CommandFailure} with everything that is wrong in what was given
 */
export async function askAnswers({ terminal, given, isYes }: Asking): Promise<Answers> {
  requireRight(given);
  if (!isYes && !terminal.isInteractive) {
    throw wrongUsage('nobody can be asked here: give flags, and --yes for the rest');
  }
  const answers: Partial<Record<AnswerName, string>> = {};
  for (const question of questions) {
    answers[question.name] = given[question.name] ?? (await answerTo(question, answers, isYes ? null : terminal));
  }
  return answers as Answers;
}

function requireRight(given: GivenAnswers): void {
  const problems = questions.flatMap((question) => {
    const answer = given[question.name];
    const problem = answer === undefined ? null : question.problem(answer);
    return problem === null ? [] : [`${wordOf(question)}: ${problem}`];
  });
  if (problems.length > 0) throw wrongUsage(problems.join('\n'));
}

async function answerTo(question: Question, before: Partial<Answers>, terminal: Terminal | null): Promise<string> {
  if (question.isAsked?.(before) === false) return question.standard;
  const standard = question.isRequired?.(before) === true ? '' : question.standard;
  if (terminal !== null) return askUntilRight(question, standard, terminal);
  if (standard === '') throw wrongUsage(`${wordOf(question)}: required`);
  return standard;
}

async function askUntilRight(question: Question, standard: string, terminal: Terminal): Promise<string> {
  for (;;) {
    const answer = (await askOne(question, standard, terminal)).trim() || standard;
    const problem = answer === '' ? 'required' : question.problem(answer);
    if (problem === null) return answer;
    terminal.report(`  ${problem}`);
  }
}

function askOne({ text, variable }: Question, standard: string, terminal: Terminal): Promise<string> {
  const words = standard === '' ? `${text}: ` : `${text} [${standard}]: `;
  return variable === undefined ? terminal.ask(words) : terminal.askSecret(words);
}

/** What it is given by. */
function wordOf(question: Question): string {
  return question.variable ?? flagOf(question);
}
