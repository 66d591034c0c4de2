import type { Command } from 'commander';

import type { CommandContext } from '../command-line/terminal.js';

/** Commander's name of each flag, and what it is. The questions themselves are loaded when the command runs. */
const flags = [
  ['--target <where>', 'what it will run on: compose, helm or none'],
  ['--image <name>', 'for helm: where you push the image'],
  ['--program <name>', 'your name of the program'],
  ['--brand-id <id>', 'the partner’s id of your brand'],
  ['--program-id <id>', 'the partner’s id of the program'],
  ['--currency <code>', 'of the program'],
  ['--purchase-type <id>', 'the partner’s transaction type of a purchase'],
  ['--refund-type <id>', 'that of a refund, or none'],
  ['--customers-topic <name>', 'of your customers in JSON, or none'],
  ['--orders-topic <name>', 'of your orders in JSON, or none'],
  ['--brokers <host:port,...>', 'Kafka'],
  ['--partner <whom>', 'sandbox, or own'],
  ['--base-url <address>', 'of your partner; ends with /brands'],
  ['--auth-url <address>', 'of its tokens'],
  ['--environment <name>', 'which of its environments: sandbox or production'],
  ['--scope <scope>', 'of the tokens'],
  ['--client-id <id>', 'what the partner calls you'],
] as const;

const explanation = `
What no flag says is asked, each answer checked at once; with --yes it is as it is by default. DATABASE_URL and
WALLET_CLIENT_SECRET are asked unseen, or come from those variables. Nothing is overwritten without --force, and secrets
never are.`;

interface InitFlags extends Readonly<Record<string, string | boolean | undefined>> {
  readonly yes?: boolean;
  readonly force?: boolean;
}

/** `loyaltyd init`: a house of one's own. */
export function addInit(program: Command, { finish, terminal }: CommandContext): void {
  const command = program
    .command('init')
    .description('write the files of a house of your own: programs, sources, dialect, settings, secrets')
    .argument('[folder]', 'where they go', 'loyalty');
  for (const [words, what] of flags) command.option(words, what);
  command
    .option('--yes', 'ask nothing')
    .option('--force', 'write over files that are there')
    .addHelpText('after', explanation)
    .action(async (folder: string, { yes = false, force = false, ...given }: InitFlags) => {
      const { runInit } = await import('./run-init.js');
      finish(await runInit({ folder, given, isYes: yes, isForced: force }, terminal));
    });
}
