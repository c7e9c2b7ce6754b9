import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { readLocalConfig } from '../../../src/config.ts'
import { freePort } from '../../../src/local/ports.ts'
import { waitUntil } from '../../../src/local/waiting.ts'
import { documents, programsOf, ROOT } from './documents.ts'

/** How each language of docs/webhooks.md is run: what shows that it is here, what is made first, and what listens. */
const LANGUAGES: Record<string, Language> = {
  'receiver.mjs': { asked: [process.execPath, '--version'], run: file => [process.execPath, file] },
  'receiver.py': { asked: ['python3', '--version'], run: file => ['python3', file] },
  'receiver.go': {
    asked: ['go', 'version'],
    make: file => ['go', 'build', '-o', `${file}.exe`, file],
    run: file => [`${file}.exe`],
  },
}
type Language = {
  asked: string[]
  make?: (file: string) => string[]
  run: (file: string) => string[]
}

/** Go compiles its standard library at its first build on a machine, which takes a while where others work. */
const MAKE_MS = 400_000

export const receivers = [...programsOf(documents.find(({ file }) => file === 'docs/webhooks.md')!)].map(
  ([name, program]) => ({ name, program }),
)
export type Receiver = (typeof receivers)[number]

const run = promisify(execFile)

/** Whether this machine has the language; a clear line where it has not. */
export async function isHere({ name }: Receiver): Promise<boolean> {
  const [command = '', ...args] = LANGUAGES[name]?.asked ?? []
  const isHere = await run(command, args).then(
    () => true,
    () => false,
  )
  if (!isHere) process.stdout.write(`${name} is skipped: there is no ${command} on this machine\n`)
  return isHere
}

/** Writes a program into a folder as a reader would, and makes what runs; answers how it is started. */
export async function made({ name, program }: Receiver, folder: string): Promise<string[]> {
  const file = join(folder, name)
  const { make, run: running } = LANGUAGES[name]!
  await writeFile(file, program)
  await symlink(join(ROOT, 'node_modules'), join(folder, 'node_modules'))
  const [command, ...args] = make?.(file) ?? []
  if (command)
    await run(command, args, { cwd: folder, timeout: MAKE_MS, env: { ...environment, CGO_ENABLED: '0' } })
  return running(file)
}

const { environment } = readLocalConfig()

/** A receiver that listens, and knows one token. */
export async function started([command = '', ...args]: string[], token: string): Promise<Started> {
  const { port, release } = await freePort()
  const child = spawn(command, args, {
    env: { ...environment, WEBHOOK_TOKEN: token, PORT: String(port) },
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  let said = ''
  child.stdout.on('data', chunk => (said += chunk))
  const url = `http://127.0.0.1:${port}/`
  const answers = () =>
    fetch(url, { method: 'POST', body: '{}' }).then(
      ({ status }) => status === 400,
      () => false,
    )
  await waitUntil(answers, { what: `${command} does not listen`, limitMs: 60_000, everyMs: 50 })
  return {
    url,
    said: () => said,
    async stop() {
      await ended(child)
      await release()
    },
  }
}
export type Started = { url: string; said(): string; stop(): Promise<void> }

async function ended(child: ChildProcess): Promise<void> {
  const over = new Promise(resolve => child.once('close', resolve))
  child.kill('SIGKILL')
  await over
}
