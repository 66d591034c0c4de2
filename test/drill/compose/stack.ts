import { execFile } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';

import { stringify } from 'yaml';

import { waitUntil } from '#embedded';
import { checkoutRoot } from '#test-support';

import { encryptionKey } from '../installation/chaos-harness.js';
import type { Installation } from '../drill.js';
import type { ComposeOptions, Service } from './options.js';

const run = promisify(execFile);

const project = 'loyaltyd-drill';
/** `up` builds the images where there are none. */
const commandMsMax = 900_000;
const outputBytesMax = 256 * 1024 * 1024;
const healthyMsMax = 180_000;

export const composeFile = join(checkoutRoot, 'docker-compose.yml');

interface ContainerState {
  readonly Pid: number;
  readonly StartedAt: string;
  readonly Health?: { readonly Status: string };
}

/** An image that is named is pulled, or there: not built. `null` takes a key away. */
function override({ images }: Pick<ComposeOptions, 'images'>, programsPath: string): string {
  const services: Record<string, object> = Object.fromEntries(
    Object.entries(images).map(([service, image]) => [service, { image, build: '!reset' }]),
  );
  const volumes = [`${programsPath}:/etc/loyaltyd/loyaltyd.yaml:ro`];
  const text = stringify({ services: { ...services, daemon: { ...services['daemon'], volumes } } });
  return text.replaceAll('build: "!reset"', 'build: !reset null').replaceAll("build: '!reset'", 'build: !reset null');
}

/** The stack of docker-compose.yml with the programs of the drill, under a name of its own. */
export class ComposeStack implements Installation {
  private constructor(private readonly files: readonly string[]) {}

  static async open(
    options: Pick<ComposeOptions, 'images'>,
    folder: string,
    programsPath: string,
  ): Promise<ComposeStack> {
    const path = join(folder, 'override.yaml');
    await writeFile(path, override(options, programsPath));
    return new ComposeStack([composeFile, path]);
  }

  readonly brokers = 'localhost:29092';
  readonly truthUrl = 'postgres://loyaltyd:loyaltyd@127.0.0.1:25432/loyaltyd';
  readonly walletUrl = 'postgres://loyaltyd:loyaltyd@127.0.0.1:25432/wallet_sandbox';
  readonly sandboxUrl = 'http://127.0.0.1:4010';
  /** As in docker-compose.yml. */

  async versions(): Promise<Readonly<Record<string, string>>> {
    const engine = await this.docker('version', '--format', '{{.Server.Version}}');
    const compose = await this.docker('compose', 'version', '--short');
    return { 'Docker Engine': engine.trim(), Compose: compose.trim() };
  }

  /** Resolves when every service is healthy. */
  async up(): Promise<void> {
    await this.compose('up', '--wait', '--wait-timeout', String(healthyMsMax / 1_000));
  }

  async down({ withData }: { readonly withData: boolean }): Promise<void> {
    await this.compose('down', '--timeout', '60', ...(withData ? ['--volumes'] : []));
  }

  /** SIGKILL to the first process, as a crash would be: what `docker kill` ends is not started again. */
  async crash(service: Service): Promise<void> {
    const helperImage = (await this.docker('inspect', '--format', '{{.Image}}', this.container('daemon'))).trim();
    const { Pid } = await this.state(service);
    const script = `process.kill(${Pid}, 'SIGKILL')`;
    const helper = ['run', '--rm', '--pid', 'host', '--user', '0', '--privileged', '--entrypoint', 'node'];
    await this.docker(...helper, helperImage, '-e', script);
  }

  /** Waits until another process of the service is healthy than that of `before`. */
  async recovered(service: Service, before: string): Promise<void> {
    const isBack = async (): Promise<boolean> => {
      const { StartedAt, Health } = await this.state(service).catch(() => ({ StartedAt: before, Health: undefined }));
      return StartedAt !== before && Health?.Status === 'healthy';
    };
    await waitUntil(isBack, { what: `${service} to be healthy again`, timeoutMs: healthyMsMax });
  }

  async startedAt(service: Service): Promise<string> {
    return (await this.state(service)).StartedAt;
  }

  async logs(): Promise<string> {
    return this.compose('logs', '--no-color', '--no-log-prefix', 'daemon');
  }

  private async state(service: Service): Promise<ContainerState> {
    return JSON.parse(
      await this.docker('inspect', '--format', '{{json .State}}', this.container(service)),
    ) as ContainerState;
  }

  private container(service: Service): string {
    return `${project}-${service}-1`;
  }

  private compose(...args: readonly string[]): Promise<string> {
    const files = this.files.flatMap((file) => ['--file', file]);
    return this.docker('compose', '--project-name', project, ...files, ...args);
  }

  private async docker(...args: readonly string[]): Promise<string> {
    const env = { ...process.env, LOYALTYD_ENCRYPTION_KEY: encryptionKey };
    const { stdout } = await run('docker', [...args], { env, timeout: commandMsMax, maxBuffer: outputBytesMax });
    return stdout;
  }
}
