import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { readLocalConfig } from '../../../packages/dev/config.ts'
import { reserveFreePort } from '../../../packages/dev/os/ports.ts'
import { waitUntil } from '../../../src/startup/wait-until.ts'
import { documents, programsOf, ROOT } from './documents.ts'

/** How each language of docs/webhooks.md is run: the check that it is installed, the preparation, and the server. */
const LANGUAGES: Record<string, Language> = {
  'receiver.mjs': {
    versionCommand: [process.execPath, '--version'],
    startCommand: file => [process.execPath, file],
  },
  'receiver.py': { versionCommand: ['python3', '--version'], startCommand: file => ['python3', file] },
  'receiver.go': {
    versionCommand: ['go', 'version'],
    buildCommand: file => ['go', 'build', '-o', `${file}.exe`, file],
    startCommand: file => [`${file}.exe`],
  },
}
type Language = {
  versionCommand: string[]
  buildCommand?: (file: string) => string[]
  startCommand: (file: string) => string[]
}

/** Go compiles its standard library at its first build on a machine, which takes a while on a busy one. */
const BUILD_TIMEOUT_MS = 400_000

export const receivers = [...programsOf(documents.find(({ file }) => file === 'docs/webhooks.md')!)].map(
  ([name, program]) => ({ name, program }),
)
export type Receiver = (typeof receivers)[number]

const run = promisify(execFile)

/** Whether this machine has the language; prints a line where it does not. */
export async function isLanguageInstalled({ name }: Receiver): Promise<boolean> {
  const [command = '', ...args] = LANGUAGES[name]?.versionCommand ?? []
  const isHere = await run(command, args).then(
    () => true,
    () => false,
  )
  if (!isHere) process.stdout.write(`${name} is skipped: there is no ${command} on this machine\n`)
  return isHere
}

/** Writes a program into a folder as a reader would, and builds it; answers its start command. */
export async function buildReceiver({ name, program }: Receiver, folder: string): Promise<string[]> {
  const file = join(folder, name)
  const { buildCommand: make, startCommand: running } = LANGUAGES[name]!
  await writeFile(file, program)
  await symlink(join(ROOT, 'node_modules'), join(folder, 'node_modules'))
  const [command, ...args] = make?.(file) ?? []
  if (command)
    await run(command, args, {
      cwd: folder,
      timeout: BUILD_TIMEOUT_MS,
      env: { ...environment, CGO_ENABLED: '0' },
    })
  return running(file)
}

const { environment } = readLocalConfig()

/** A running receiver that knows one secret. */
export async function startReceiver(
  [command = '', ...args]: string[],
  token: string,
): Promise<RunningReceiver> {
  const { port, release } = await reserveFreePort()
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
  await waitUntil(answers, { description: `${command} does not listen`, limitMs: 60_000, everyMs: 50 })
  return {
    url,
    output: () => said,
    async stop() {
      await killAndWait(child)
      await release()
    },
  }
}
export type RunningReceiver = { url: string; output(): string; stop(): Promise<void> }

async function killAndWait(child: ChildProcess): Promise<void> {
  const over = new Promise(resolve => child.once('close', resolve))
  child.kill('SIGKILL')
  await over
}
