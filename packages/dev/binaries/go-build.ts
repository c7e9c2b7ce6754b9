import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { type PrintLine, WAIT_LIMITS } from '../os/waits.ts'

/** Programs of one Go module: how people call them, and what Go does. */
export type GoPrograms = { name: string; version: string; packages: string[]; minutes: number }

/** Builds them from their module into the folder, with progress; returns false where there is no Go. */
export async function buildWithGo(
  folder: string,
  { name, version, packages, minutes }: GoPrograms,
  { environment, print, abort }: { environment: NodeJS.ProcessEnv; print: PrintLine; abort?: AbortSignal },
): Promise<boolean> {
  const modules = packages.map(one => `${one}@v${version}`)
  const build = spawn('go', ['install', '-v', '-ldflags=-s -w', ...modules], {
    env: { ...environment, CGO_ENABLED: '0', GOBIN: folder, GOFLAGS: '' },
    signal: AbortSignal.any([AbortSignal.timeout(WAIT_LIMITS.buildMs), ...(abort ? [abort] : [])]),
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  try {
    await once(build, 'spawn')
  } catch (error) {
    if (Object(error).code === 'ENOENT') return false
    throw error
  }
  print(
    `Building the ${name} ${version} with Go, once for all clones: about ${minutes} minutes on two cores …`,
  )
  const ended = once(build, 'close')
  ended.catch(() => {}) // Awaited below, once its output has ended.
  const since = performance.now()
  const lines: string[] = []
  const progress = setInterval(
    () =>
      print(`  ${name}: ${lines.at(-1) ?? ''} (${Math.round((performance.now() - since) / 1000)} s so far)`),
    WAIT_LIMITS.progressMs,
  )
  try {
    for await (const line of createInterface({ input: build.stderr })) lines.push(line)
    const [code, signal] = await ended
    if (code !== 0) throw new Error(`go ended with ${signal ?? code}:\n${lines.slice(-15).join('\n')}`)
  } finally {
    clearInterval(progress)
  }
  return true
}
