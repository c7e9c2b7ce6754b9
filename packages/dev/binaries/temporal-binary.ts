import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdir, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { acquireFileLock, readLockHolder } from '../os/file-lock.ts'
import type { PrintLine } from '../os/waits.ts'
import { buildWithGo } from './go-build.ts'
import { downloadArchive, findReachableArchive } from './temporal-download.ts'

/** The newest that both the official download and the Go module proxy have; brings Server 1.29.1. */
const version = '1.5.1'
const goPrograms = {
  name: 'Temporal CLI',
  version,
  minutes: 5,
  packages: ['github.com/temporalio/cli/cmd/temporal'],
}

type TemporalBinaryOptions = {
  /** TEMPORAL_CLI_PATH, which is used as it is. */
  temporalCliPath?: string
  cacheHome: string
  environment: NodeJS.ProcessEnv
  print?: PrintLine
  abort?: AbortSignal
}

/** The two ways to get a binary; each fills an empty folder with a file `temporal`, or says false: not possible. */
export type TemporalBinarySources = Record<
  'download' | 'build',
  (folder: string, search: TemporalBinaryOptions) => Promise<boolean>
>

/** The command of Temporal's CLI: as configured, on PATH, cached, downloaded or built, in this order. */
export async function resolveTemporalBinary(
  search: TemporalBinaryOptions,
  sources: TemporalBinarySources = { download: downloadCli, build: buildCli },
): Promise<string> {
  if (search.temporalCliPath !== undefined) {
    if (await isTemporalCli(search.temporalCliPath, search)) return search.temporalCliPath
    throw new Error(`TEMPORAL_CLI_PATH names no Temporal CLI: ${search.temporalCliPath}`)
  }
  if (await isTemporalCli('temporal', search)) return 'temporal'

  const { print = () => {}, abort } = search
  const folder = join(search.cacheHome, 'trilho', `temporal-${version}`)
  const cached = join(folder, 'temporal')
  if (existsSync(cached)) return cached
  await buildOnce(folder, { isBuilt: () => existsSync(cached), print, abort }, async empty => {
    for (const source of ['download', 'build'] as const) {
      const isMade = await makeBinary(sources[source], empty, search).catch((error: Error) => {
        abort?.throwIfAborted()
        print(`The ${source} of the Temporal CLI failed: ${error.message}`)
      })
      if (isMade) return
    }
    throw new Error(installInstructions)
  })
  return cached
}

const installInstructions = [
  'There is no Temporal CLI here, its download (https://temporal.download) cannot be reached,',
  'and it could not be built (no `go` on PATH, or see above). One of these helps:',
  '  - install it (https://docs.temporal.io/cli) so that `temporal` is on PATH, or set TEMPORAL_CLI_PATH;',
  '  - install Go (https://go.dev/dl), which builds it once in about 5 minutes;',
  '  - set TEMPORAL_ADDRESS to a Temporal server that runs already.',
].join('\n')

/** Old or new, it must at least know its own name: other programs are called `temporal` too. */
function isTemporalCli(file: string, { environment: env }: TemporalBinaryOptions): Promise<boolean> {
  return promisify(execFile)(file, ['--version'], { env }).then(
    ({ stdout }) => stdout.startsWith('temporal version'),
    () => false,
  )
}

async function makeBinary(
  make: TemporalBinarySources['build'],
  folder: string,
  search: TemporalBinaryOptions,
): Promise<boolean> {
  const isMade = await make(folder, search)
  if (isMade && !(await isTemporalCli(join(folder, 'temporal'), search)))
    throw new Error('the result is not a Temporal CLI')
  return isMade
}

async function downloadCli(folder: string, { print, abort }: TemporalBinaryOptions): Promise<boolean> {
  const archive = await findReachableArchive('cli', `v${version}`)
  if (!archive) return false
  print?.(`Downloading the Temporal CLI ${version}, once for all clones …`)
  const file = await downloadArchive(archive, folder, abort)
  if (file !== join(folder, 'temporal')) await rename(file, join(folder, 'temporal'))
  return true
}

function buildCli(folder: string, search: TemporalBinaryOptions): Promise<boolean> {
  return buildWithGo(folder, goPrograms, { print: () => {}, ...search })
}

/**
 * Makes a folder of the cache whole or not at all, and once, however many starts want it at the same time:
 * `make` fills an empty folder next to it, which is then moved into its place.
 */
export async function buildOnce(
  folder: string,
  {
    isBuilt,
    print,
    abort,
  }: { isBuilt: () => boolean | Promise<boolean>; print: PrintLine; abort?: AbortSignal },
  make: (emptyFolder: string) => Promise<void>,
): Promise<void> {
  const lockFile = `${folder}.building`
  const lock = await acquireFileLock(lockFile, {
    onWait: () => print(`${folder} is being made by process ${readLockHolder(lockFile)}; waiting for it.`),
    abort,
  })
  const fresh = `${folder}.new`
  try {
    if (await isBuilt()) return
    await rm(fresh, { recursive: true, force: true }) // What a killed one left.
    await mkdir(fresh)
    await make(fresh)
    await rm(folder, { recursive: true, force: true })
    await rename(fresh, folder)
  } finally {
    await rm(fresh, { recursive: true, force: true })
    lock.release()
  }
}
