import { chmod, mkdir, readFile, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, expect, test } from '@jest/globals'
import {
  resolveTemporalBinary,
  type TemporalBinarySources,
} from '../../packages/dev/binaries/temporal-binary.ts'
import { pause } from '../../src/startup/wait-until.ts'
import { createTemporaryFolder } from '../support/servers.ts'
import { resolveTimeSkippingServer } from '../support/temporal-test-server.ts'

let folder: Awaited<ReturnType<typeof createTemporaryFolder>>
let made: string[]
beforeEach(async () => {
  folder = await createTemporaryFolder()
  made = []
})
afterEach(() => folder.remove())

async function program(path: string, says: string) {
  await mkdir(dirname(path), { recursive: true })
  await writeFile(path, `#!/bin/sh\necho '${says}'\n`)
  await chmod(path, 0o755)
  return path
}

const fake = (path: string) => program(path, 'temporal version 1.5.1 (Server 1.29.1)')

function search() {
  const path = join(folder.path, 'bin')
  return { cacheHome: join(folder.path, 'cache'), environment: { PATH: path } }
}

const cached = () => join(folder.path, 'cache/trilho/temporal-1.5.1/temporal')

/** The result of each way: it builds one, it cannot, it fails, or it builds something else. */
type Outcome = 'provides it' | 'cannot' | 'fails' | 'provides an invalid file'
function makers(outcomes: Record<keyof TemporalBinarySources, Outcome>): TemporalBinarySources {
  const maker = (way: keyof TemporalBinarySources) => async (empty: string) => {
    made.push(way)
    await pause(50)
    if (outcomes[way] === 'fails') throw new Error('The line is cut.')
    if (outcomes[way] === 'cannot') return false
    const says = outcomes[way] === 'provides it' ? 'temporal version 1.5.1' : 'hello'
    await program(join(empty, 'temporal'), says)
    return true
  }
  return { download: maker('download'), build: maker('build') }
}
const all = makers({ download: 'provides it', build: 'provides it' })

test('the configured binary comes first, then PATH, then the cache', async () => {
  await fake(cached())
  expect(await resolveTemporalBinary(search(), all)).toBe(cached())
  await fake(join(folder.path, 'bin/temporal'))
  expect(await resolveTemporalBinary(search(), all)).toBe('temporal')
  const named = await fake(join(folder.path, 'my own/temporal'))
  expect(await resolveTemporalBinary({ ...search(), temporalCliPath: named }, all)).toBe(named)
  expect(made).toEqual([])
})

test('a configured path without a file is an error, and no search follows', async () => {
  const temporalCliPath = join(folder.path, 'nowhere')
  await expect(resolveTemporalBinary({ ...search(), temporalCliPath }, all)).rejects.toThrow(
    'TEMPORAL_CLI_PATH',
  )
})

test('another program called temporal is skipped', async () => {
  await program(join(folder.path, 'bin/temporal'), 'a calendar for monks')
  expect(await resolveTemporalBinary(search(), all)).toBe(cached())
})

test.each<[Outcome, Outcome, string[]]>([
  ['provides it', 'provides it', ['download']],
  ['cannot', 'provides it', ['download', 'build']],
  ['fails', 'provides it', ['download', 'build']],
  ['provides an invalid file', 'provides it', ['download', 'build']],
])('the download %s, the build %s', async (download, build, ways) => {
  expect(await resolveTemporalBinary(search(), makers({ download, build }))).toBe(cached())
  expect(made).toEqual(ways)
})

test('where neither is possible, the error says what helps', async () => {
  const neither = resolveTemporalBinary(search(), makers({ download: 'cannot', build: 'cannot' }))
  await expect(neither).rejects.toThrow(/TEMPORAL_CLI_PATH[\s\S]*install Go[\s\S]*TEMPORAL_ADDRESS/)
})

test('two concurrent starts build it once', async () => {
  const both = [resolveTemporalBinary(search(), all), resolveTemporalBinary(search(), all)]
  expect(await Promise.all(both)).toEqual([cached(), cached()])
  expect(made).toEqual(['download'])
})

test('Go builds it into the cache, and reports its progress', async () => {
  const go = 'env > "$GOBIN.env"; echo "$@" >> "$GOBIN.env"; echo go.temporal.io/server >&2'
  const result =
    'printf "#!/bin/sh\\necho temporal version DEV\\n" > "$GOBIN/temporal"; chmod +x "$GOBIN/temporal"'
  await mkdir(join(folder.path, 'bin'))
  await writeFile(join(folder.path, 'bin/go'), `#!/bin/sh\n${go}\n${result}\n`, { mode: 0o755 })
  await program(join(folder.path, 'bin/temporal'), 'a calendar for monks') // Before one that is installed here.
  const environment = { PATH: `${join(folder.path, 'bin')}:/usr/bin:/bin` }
  const lines: string[] = []
  const binary = await resolveTemporalBinary({ ...search(), environment, print: line => lines.push(line) })
  expect(binary).toBe(cached())
  const seen = await readFile(`${dirname(cached())}.new.env`, 'utf8')
  expect(seen).toContain('CGO_ENABLED=0')
  expect(seen).toContain('install -v -ldflags=-s -w github.com/temporalio/cli/cmd/temporal@v1.5.1')
  expect(lines.join()).toContain('about 5 minutes')
})

test('the SDK’s own test server is used where it can be downloaded; a cached one comes first', async () => {
  expect(await resolveTimeSkippingServer(search(), async () => true)).toEqual({})
  const path = await program(
    join(folder.path, 'cache/trilho/temporal-test-server-1.38.0/temporal-test-server'),
    'hello',
  )
  expect(await resolveTimeSkippingServer(search(), async () => true)).toEqual({
    executable: { type: 'existing-path', path },
  })
})

test('without it and without Java the error says what helps', async () => {
  await expect(resolveTimeSkippingServer(search(), async () => false)).rejects.toThrow(/mvn.*java.*javac/)
})
