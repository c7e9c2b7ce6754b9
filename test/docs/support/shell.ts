import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, symlink } from 'node:fs/promises'
import { join } from 'node:path'
import { readLocalConfig } from '../../../packages/dev/config.ts'
import type { StateDir } from '../../../packages/dev/env/state-dir.ts'
import { PROGRAM_ENVIRONMENT } from '../../support/program-environment.ts'
import { ROOT } from './documents.ts'

/** The documents look once a second whether something has happened; the tests look more often. */
const SHORT_SLEEP = 'sleep() { command sleep 0.2; }'

/** A folder that looks like a clone in which `npm start` runs in that home. */
export async function createClone(folder: string, home: StateDir): Promise<string> {
  const clone = join(folder, 'clone')
  await mkdir(clone)
  for (const name of ['package.json', 'node_modules', 'packages', 'src'])
    await symlink(join(ROOT, name), join(clone, name))
  await symlink(home.folder, join(clone, '.trilho'))
  // Node resolves a program in `.trilho` from its real folder.
  await symlink(join(ROOT, 'node_modules'), join(home.folder, 'node_modules'))
  return clone
}

/** The result of a script; absent for one that was not reached. */
export type ScriptResult = { output: string; isDone: boolean }

/** Runs scripts in one bash, one after the other, as a reader pastes them. The first failure, or the signal, ends it. */
export async function runInOneShell(
  cwd: string,
  scripts: string[],
  signal: AbortSignal,
): Promise<ScriptResult[]> {
  const { environment } = readLocalConfig()
  const mark = `-- ${crypto.randomUUID()}`
  const whole = ['exec 2>&1', SHORT_SLEEP, ...scripts.map(script => `${script}\necho; echo '${mark}'`)].join(
    '\n',
  )
  const child = spawn('bash', ['-e', '-c', whole], {
    cwd,
    env: { ...PROGRAM_ENVIRONMENT, HOME: environment.HOME, LANG: 'C.UTF-8' },
    stdio: ['ignore', 'pipe', 'ignore'],
    detached: true, // A process group of its own, which ends as a whole.
  })
  const chunks: string[] = []
  child.stdout!.on('data', chunk => chunks.push(String(chunk)))
  const end = () => process.kill(-child.pid!, 'SIGKILL')
  signal.addEventListener('abort', end)
  await once(child, 'close')
  signal.removeEventListener('abort', end)
  const outputs = chunks.join('').split(mark)
  return scripts.map((_, index) => ({
    output: (outputs[index] ?? '').trim(),
    isDone: index < outputs.length - 1,
  }))
}
