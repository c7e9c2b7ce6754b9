import { execFile } from 'node:child_process'
import { userInfo } from 'node:os'
import { promisify } from 'node:util'

/** How to run PostgreSQL's programs, which refuse to run as root. */
export type PostgresRunAs = {
  /** Whose the files are; oneself if absent. */
  owner?: UserIds
  /** Put before the command where it changes the user; otherwise spawn does. */
  prefix: string[]
}
type UserIds = { uid: number; gid: number }

const run = promisify(execFile)

export function buildCommandAsUser({ owner, prefix }: PostgresRunAs, program: string, args: string[]) {
  const [command = program, ...rest] = [...prefix, program]
  return { command, args: [...rest, ...args], ...(prefix.length === 0 ? owner : undefined) }
}

/**
 * As oneself, unless one is root: then as the user `postgres`, made if there is none. Where that user cannot
 * enter `paths` (a clone below /root, say), `setpriv` lends it root's right to pass, and nothing else of root's.
 */
export async function choosePostgresRunAs(paths: string[]): Promise<PostgresRunAs> {
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
