import { execFile } from 'node:child_process';
import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { cachedFolder } from './cached-folder.js';

const fetchTimeoutMs = 600_000;

/** slf4j-simple lets the broker say why it does not start; both supported lines of Kafka log through slf4j 1.7. */
const pom = (version: string): string => `<?xml version="1.0" encoding="UTF-8"?>
<project xmlns="http://maven.apache.org/POM/4.0.0">
  <modelVersion>4.0.0</modelVersion>
  <groupId>loyaltyd.test</groupId>
  <artifactId>kafka</artifactId>
  <version>1</version>
  <packaging>pom</packaging>
  <dependencies>
    <dependency>
      <groupId>org.apache.kafka</groupId>
      <artifactId>kafka_2.13</artifactId>
      <version>${version}</version>
    </dependency>
    <dependency>
      <groupId>org.slf4j</groupId>
      <artifactId>slf4j-simple</artifactId>
      <version>1.7.36</version>
    </dependency>
  </dependencies>
</project>
`;

const copyJars = async (folder: string, version: string): Promise<void> => {
  const file = join(folder, 'pom.xml');
  await writeFile(file, pom(version));
  const goal = ['dependency:copy-dependencies', `-DoutputDirectory=${folder}`, '-DincludeScope=runtime'];
  await promisify(execFile)('mvn', ['-q', '-B', '-f', file, ...goal], { cwd: folder, timeout: fetchTimeoutMs });
  await rm(file);
};

/** The folder with Apache Kafka and all it needs, from Maven Central, cached per version outside the checkout. */
export const kafkaJars = (version: string): Promise<string> =>
  cachedFolder({
    name: `kafka/${version}`,
    fill: async (folder) => {
      process.stderr.write(`fetching Kafka ${version} from Maven Central (45 MB, only once)\n`);
      await copyJars(folder, version);
    },
  });
