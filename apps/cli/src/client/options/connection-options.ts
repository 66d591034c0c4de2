import type { Command } from 'commander';
import { Option } from 'commander';

import { wholeNumber } from '../../command-line/port-option.js';

const timeoutSecondsDefault = 60;
const timeoutSecondsMax = 3_600;
const heading = 'Connection:';

function connectionOptions(): Option[] {
  return [
    new Option('--server <url>', 'address of the operations API; else LOYALTYD_SERVER, else the profile’s'),
    new Option('--token <token>', 'who asks. Others on this machine can see it: prefer --token-file'),
    new Option(
      '--token-file <file>',
      'holds the token; else LOYALTYD_TOKEN or LOYALTYD_TOKEN_FILE, else the profile’s',
    ),
    new Option('--profile <name>', 'as `loyaltyd login` stored it; else LOYALTYD_PROFILE'),
    new Option('--insecure-http', 'send the token unencrypted to a server that is not this machine'),
    new Option('--timeout <seconds>', 'how long one answer may take')
      .default(timeoutSecondsDefault)
      .argParser((text) => wholeNumber(text, 1, timeoutSecondsMax)),
  ];
}

/** Adds what every command has which asks the operations API. */
export function withConnection(command: Command): Command {
  for (const option of connectionOptions()) command.addOption(option.helpGroup(heading));
  return command;
}
