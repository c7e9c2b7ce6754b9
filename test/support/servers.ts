import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** A folder of its own for a suite. */
export async function createTemporaryFolder(): Promise<{ path: string; remove(): Promise<void> }> {
  const path = await mkdtemp(join(tmpdir(), 'trilho-test-'))
  return { path, remove: () => rm(path, { recursive: true, force: true, maxRetries: 3 }) }
}

/** A server that lives as long as its suite; its output is shown only if it exits by itself. */
export function startServer(
  command: string,
  args: string[],
  options: { uid?: number; gid?: number; env?: NodeJS.ProcessEnv } = {},
): { child: ChildProcess; pid: number; output(): string; kill(signal: NodeJS.Signals): Promise<void> } {
  const child = spawn(command, args, { ...options, cwd: '/', stdio: ['ignore', 'pipe', 'pipe'] })
  let output = ''
  for (const stream of [child.stdout, child.stderr]) stream.on('data', chunk => (output += chunk))
  const end = new Promise<void>(resolve => child.once('close', () => resolve()))
  const reportEnd = () => console.error(`${command} ended by itself:\n${output}`)
  child.once('error', reportEnd)
  child.once('exit', reportEnd)
  return {
    child,
    pid: child.pid ?? -1,
    output: () => output,
    kill: async signal => {
      child.off('exit', reportEnd)
      child.kill(signal)
      await end
    },
  }
}
