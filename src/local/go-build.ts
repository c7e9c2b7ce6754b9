import { findOnPath, run } from './commands.ts'
import { LIMITS, type Say, withProgress } from './waiting.ts'

/** Programs of one Go module: how people call them, and what Go does. */
export type GoPrograms = { name: string; version: string; packages: string[]; minutes: number }

/** Builds them from their module into the folder, and tells how far it is; says false where there is no Go. */
export async function builtWithGo(
  folder: string,
  { name, version, packages, minutes }: GoPrograms,
  {
    path,
    environment,
    say,
    abort,
  }: { path: string; environment: NodeJS.ProcessEnv; say: Say; abort?: AbortSignal },
): Promise<boolean> {
  const go = await findOnPath('go', path)
  if (!go) return false
  say(`Building the ${name} ${version} with Go, once for all clones: about ${minutes} minutes on two cores …`)
  let doing = 'asking for the modules'
  let compiled = 0
  const modules = packages.map(one => `${one}@v${version}`)
  await withProgress({ say, line: () => `  ${name}: ${doing}` }, () =>
    run(go, ['install', '-v', '-ldflags=-s -w', ...modules], {
      env: { ...environment, CGO_ENABLED: '0', GOBIN: folder, GOFLAGS: '' },
      abort: AbortSignal.any([AbortSignal.timeout(LIMITS.buildMs), ...(abort ? [abort] : [])]),
      onLine: line => {
        doing = line.startsWith('go: ') ? line.slice(4) : `${++compiled} packages compiled, now ${line}`
      },
    }),
  )
  return true
}
