import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { copyFile, mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { buildOnce } from '../../packages/dev/binaries/temporal-binary.ts'
import { findReachableArchive } from '../../packages/dev/binaries/temporal-download.ts'
import { readLocalConfig } from '../../packages/dev/config.ts'
import type { PrintLine } from '../../packages/dev/os/waits.ts'

/** The newest on Maven Central; the official binary is the same code, compiled ahead of time. */
const version = '1.38.0'

export type TestServerOptions = {
  cacheHome: string
  environment: NodeJS.ProcessEnv
  print?: PrintLine
}

/**
 * The time-skipping test server, ready for `TestWorkflowEnvironment.createTimeSkipping({ server })`.
 * `{}` lets the SDK download its own, where that can be reached; else Maven Central's is made once, for all clones.
 */
export async function resolveTimeSkippingServer(
  search: TestServerOptions = readLocalConfig(),
  isReachable = async () => (await findReachableArchive('temporal-test-server', 'default')) !== undefined,
): Promise<{ executable: { type: 'existing-path'; path: string } } | Record<string, never>> {
  const folder = join(search.cacheHome, 'trilho', `temporal-test-server-${version}`)
  const path = join(folder, 'temporal-test-server')
  if (!existsSync(path)) {
    if (await isReachable()) return {}
    const print = search.print ?? (() => {})
    await buildOnce(folder, { isBuilt: () => existsSync(path), print }, empty =>
      buildFromMaven(empty, search),
    )
  }
  return { executable: { type: 'existing-path', path } }
}

const run = promisify(execFile)

async function buildFromMaven(folder: string, { environment, print }: TestServerOptions) {
  const inFolder = { cwd: folder, env: environment }
  for (const program of ['mvn', 'java', 'javac'])
    await run(program, ['-version'], inFolder).catch(() => {
      throw new Error(installInstructions)
    })
  print?.(`Fetching Temporal's test server ${version} from Maven Central, once for all clones …`)

  const source = 'LoopbackTestServer.java'
  await writeFile(join(folder, 'pom.xml'), pom)
  await copyFile(join(import.meta.dirname, source), join(folder, source))
  const scope = ['-DincludeScope=runtime', '-DoutputDirectory=lib']
  await run('mvn', ['-q', '-B', 'dependency:copy-dependencies', ...scope], inFolder)
  await mkdir(join(folder, 'classes'))
  await run('javac', ['-cp', 'lib/*', '-d', 'classes', source], inFolder)
  await writeFile(join(folder, 'temporal-test-server'), launchScript, { mode: 0o755 })
}

const installInstructions = [
  "The time-skipping tests need Temporal's test server. Its download (https://temporal.download) cannot be reached,",
  'and to take it from Maven Central `mvn`, `java` and `javac` (17 or newer) must be on PATH.',
].join('\n')

const pom = `<project xmlns="http://maven.apache.org/POM/4.0.0">
  <modelVersion>4.0.0</modelVersion>
  <groupId>trilho</groupId>
  <artifactId>temporal-test-server</artifactId>
  <version>1</version>
  <dependencies>
    <dependency>
      <groupId>io.temporal</groupId>
      <artifactId>temporal-test-server</artifactId>
      <version>${version}</version>
    </dependency>
  </dependencies>
</project>
`

/** The SDK gives it 5 seconds to answer: quick to start matters more than quick to run. */
const launchScript = `#!/bin/sh
here=$(cd "$(dirname "$0")" && pwd)
exec java -XX:TieredStopAtLevel=1 -XX:+UseSerialGC -XX:-UsePerfData -Xshare:auto \\
  -cp "$here/classes:$here/lib/*" LoopbackTestServer "$@"
`
