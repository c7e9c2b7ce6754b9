import { findOnPath, runCommand } from '../os/exec.ts'
import { type PrintLine, WAIT_LIMITS, withProgress } from '../os/wait-until.ts'

/** Programs of one Go module: how people call them, and what Go does. */
export type GoPrograms = { name: string; version: string; packages: string[]; minutes: number }

/** Builds them from their module into the folder, with progress; returns false where there is no Go. */
export async function buildWithGo(
  folder: string,
  { name, version, packages, minutes }: GoPrograms,
  {
    path,
    environment,
    print,
    abort,
  }: { path: string; environment: NodeJS.ProcessEnv; print: PrintLine; abort?: AbortSignal },
): Promise<boolean> {
  const go = await findOnPath('go', path)
  if (!go) return false
  print(
    `Building the ${name} ${version} with Go, once for all clones: about ${minutes} minutes on two cores …`,
  )
  let doing = 'asking for the modules'
  let compiled = 0
  const modules = packages.map(one => `${one}@v${version}`)
  await withProgress({ print, line: () => `  ${name}: ${doing}` }, () =>
    runCommand(go, ['install', '-v', '-ldflags=-s -w', ...modules], {
      env: { ...environment, CGO_ENABLED: '0', GOBIN: folder, GOFLAGS: '' },
      abort: AbortSignal.any([AbortSignal.timeout(WAIT_LIMITS.buildMs), ...(abort ? [abort] : [])]),
      onLine: line => {
        doing = line.startsWith('go: ') ? line.slice(4) : `${++compiled} packages compiled, now ${line}`
      },
    }),
  )
  return true
}
