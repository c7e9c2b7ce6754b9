import { rename } from 'node:fs/promises'
import { join } from 'node:path'
import { makeOnce } from './cache.ts'
import { findOnPath, isExecutable, run } from './commands.ts'
import { builtWithGo } from './go-build.ts'
import { download, reachableArchive } from './temporal-download.ts'
import type { Say } from './waiting.ts'

/** The newest that both the official download and the Go module proxy have; brings Server 1.29.1. */
const version = '1.5.1'
const goPrograms = {
  ...{ name: 'Temporal CLI', version, minutes: 5 },
  packages: ['github.com/temporalio/cli/cmd/temporal'],
}

export type TemporalSearch = {
  /** TEMPORAL_CLI_PATH: taken at its word. */
  temporalCliPath?: string
  path: string
  cacheHome: string
  environment: NodeJS.ProcessEnv
  say?: Say
  abort?: AbortSignal
}

/** The two ways to get a binary; each fills an empty folder with a file `temporal`, or says false: not possible. */
export type Makers = Record<
  'download' | 'build',
  (folder: string, search: TemporalSearch) => Promise<boolean>
>

/** Temporal's command line: named, on PATH, cached, downloaded or built, in this order. */
export async function temporalBinary(
  search: TemporalSearch,
  makers: Makers = { download: downloadCli, build: buildCli },
): Promise<string> {
  if (search.temporalCliPath !== undefined) {
    if (await isTemporal(search.temporalCliPath)) return search.temporalCliPath
    throw new Error(`TEMPORAL_CLI_PATH names no Temporal CLI: ${search.temporalCliPath}`)
  }
  const installed = await findOnPath('temporal', search.path)
  if (installed && (await isTemporal(installed))) return installed

  const folder = join(search.cacheHome, 'trilho', `temporal-${version}`)
  const cached = join(folder, 'temporal')
  if (await isExecutable(cached)) return cached
  await makeOnce(
    folder,
    { isThere: () => isExecutable(cached), say: search.say ?? ignore, abort: search.abort },
    async empty => {
      if (await madeBy('download', empty, search, makers)) return
      if (await madeBy('build', empty, search, makers)) return
      throw new Error(howToGetOne)
    },
  )
  return cached
}

const ignore: Say = () => {}

const howToGetOne = [
  'There is no Temporal CLI here, its download (https://temporal.download) cannot be reached,',
  'and it could not be built (no `go` on PATH, or see above). One of these helps:',
  '  - install it (https://docs.temporal.io/cli) so that `temporal` is on PATH, or set TEMPORAL_CLI_PATH;',
  '  - install Go (https://go.dev/dl), which builds it once in about 5 minutes;',
  '  - set TEMPORAL_ADDRESS to a Temporal server that runs already.',
].join('\n')

/** Old or new, it must at least know its own name: other programs are called `temporal` too. */
async function isTemporal(file: string): Promise<boolean> {
  try {
    return /^temporal version/.test(await run(file, ['--version']))
  } catch {
    return false
  }
}

async function madeBy(
  way: keyof Makers,
  folder: string,
  search: TemporalSearch,
  makers: Makers,
): Promise<boolean> {
  try {
    if (!(await makers[way](folder, search))) return false
    if (await isTemporal(join(folder, 'temporal'))) return true
    throw new Error('what came of it is no Temporal CLI')
  } catch (error) {
    search.abort?.throwIfAborted()
    search.say?.(`The ${way} of the Temporal CLI failed: ${(error as Error).message}`)
    return false
  }
}

async function downloadCli(folder: string, { say = ignore, abort }: TemporalSearch): Promise<boolean> {
  const archive = await reachableArchive('cli', `v${version}`)
  if (!archive) return false
  say(`Downloading the Temporal CLI ${version}, once for all clones …`)
  const file = await download(archive, folder, abort)
  if (file !== join(folder, 'temporal')) await rename(file, join(folder, 'temporal'))
  return true
}

function buildCli(folder: string, search: TemporalSearch): Promise<boolean> {
  return builtWithGo(folder, goPrograms, { ...search, say: search.say ?? ignore })
}
