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
  let said = ''
  for (const stream of [child.stdout, child.stderr]) stream.on('data', chunk => (said += chunk))
  const ended = new Promise<void>(resolve => child.once('close', () => resolve()))
  const complain = () => console.error(`${command} ended by itself:\n${said}`)
  child.once('error', complain)
  child.once('exit', complain)
  return {
    child,
    pid: child.pid ?? -1,
    output: () => said,
    kill: async signal => {
      child.off('exit', complain)
      child.kill(signal)
      await ended
    },
  }
}
