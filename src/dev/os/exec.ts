import { spawn } from 'node:child_process'
import { constants } from 'node:fs'
import { access, stat } from 'node:fs/promises'
import { delimiter, join } from 'node:path'
import { createInterface } from 'node:readline'

export type CommandOptions = {
  cwd?: string
  env?: NodeJS.ProcessEnv
  uid?: number
  gid?: number
  /** Written to its standard input, which is then closed. */
  input?: string
  abort?: AbortSignal
  /** Each line of either output, as it comes. */
  onLine?: (line: string) => void
}

/** Runs a command to its end and returns its standard output; a failure is thrown with its last lines. */
export async function runCommand(
  command: string,
  args: string[],
  options: CommandOptions = {},
): Promise<string> {
  const { cwd, env, uid, gid, input, abort, onLine } = options
  const child = spawn(command, args, { cwd, env, uid, gid, signal: abort, stdio: 'pipe' })
  const last: string[] = []
  const out: string[] = []
  const reading = [child.stdout, child.stderr].map(async stream => {
    for await (const line of createInterface({ input: stream })) {
      if (stream === child.stdout) out.push(line)
      last.push(line)
      if (last.length > 15) last.shift()
      onLine?.(line)
    }
  })
  child.stdin.on('error', () => {}) // It may end before it has read everything.
  child.stdin.end(input)
  const [code, signal] = await new Promise<[number | null, string | null]>((resolve, reject) => {
    child.once('error', reject)
    child.once('close', (...ending) => resolve(ending))
  })
  await Promise.all(reading)
  if (code === 0) return out.join('\n')
  throw new Error(`${command} ${args.join(' ')} ended with ${signal ?? code}:\n${last.join('\n')}`)
}

/** The first executable file of that name on a PATH. */
export async function findOnPath(name: string, path: string): Promise<string | undefined> {
  for (const folder of path.split(delimiter)) {
    if (folder && (await isExecutable(join(folder, name)))) return join(folder, name)
  }
  return undefined
}

export async function isExecutable(file: string): Promise<boolean> {
  try {
    await access(file, constants.X_OK)
    return (await stat(file)).isFile()
  } catch {
    return false
  }
}
