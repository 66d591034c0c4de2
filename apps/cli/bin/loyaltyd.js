#!/usr/bin/env node
import { spawn } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import * as nodeModule from 'node:module';
import { constants } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers';
import { fileURLToPath } from 'node:url';

/**
 * What npm links as `loyaltyd`. Plain JavaScript that Nodes long out of support still read: on one that is too old it
 * runs itself on the Node that the project pins, or says in one line that it cannot. Then it runs the compiled program,
 * which in a checkout it first compiles if need be.
 */
const root = fileURLToPath(new URL('../../../', import.meta.url));
const pinnedNode = join(root, 'node_modules/node/bin/node');
/** Ours alone, unlike Node's default below the system's temporary folder: what lies there is run. */
const compileCache = join(root, 'dist/.compile-cache');
const forwardedSignals = ['SIGTERM', 'SIGINT', 'SIGHUP'];

const fail = (line) => {
  process.stderr.write(`loyaltyd: ${line}\n`);
  process.exit(1);
};

const isAtLeast = (version, wanted) => {
  const [have, need] = [version, wanted].map((text) => text.split('.').map(Number));
  const at = need.findIndex((part, index) => part !== have[index]);
  return at === -1 || have[at] > need[at];
};

/** Ctrl-C in a terminal reaches the child by itself; told twice, the daemon would not drain. */
const isTerminal = () => [process.stdin, process.stdout, process.stderr].some((stream) => stream.isTTY);

const runOnPinnedNode = () => {
  const child = spawn(pinnedNode, [fileURLToPath(import.meta.url), ...process.argv.slice(2)], { stdio: 'inherit' });
  for (const signal of forwardedSignals) {
    process.on(signal, () => {
      if (signal !== 'SIGINT' || !isTerminal()) child.kill(signal);
    });
  }
  child.on('error', (error) => fail(`cannot run ${pinnedNode}: ${error.message}`));
  child.on('exit', (code, signal) => {
    if (signal === null) process.exit(code);
    for (const forwarded of forwardedSignals) process.removeAllListeners(forwarded);
    process.kill(process.pid, signal);
    // A signal that this process survives: the shell's convention.
    setTimeout(() => process.exit(128 + constants.signals[signal]), 1000);
  });
};

/** Other commands do not wait for the console to be built. */
const servesConsole = () => ['start', 'dev'].includes(process.argv.slice(2).find((word) => !word.startsWith('-')));

const runCompiled = async () => {
  const { provideCompiled, provideConsole } = await import('./compiled.js');
  if (!provideCompiled()) fail('it could not be compiled');
  // The console is no part of what must work: a daemon without one still delivers.
  if (servesConsole() && !provideConsole()) {
    process.stderr.write('loyaltyd: the console could not be built; going on without\n');
  }
  // A later start reads what V8 made of the sources before: it takes a fifth less time. No cache where nothing can be written.
  nodeModule.enableCompileCache?.(compileCache);
  await import('../../../dist/apps/cli/src/main.js');
};

const wanted = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')).engines.node.replace('>=', '');
if (isAtLeast(process.versions.node, wanted)) runCompiled().catch((error) => fail(error.stack));
else if (existsSync(pinnedNode)) runOnPinnedNode();
else fail(`Node ${wanted} or newer is needed, this is ${process.versions.node}`);
