import { spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { requireDurability, UnsafeDatabase } from '../../../src/db/client/durability.ts'
import type { Orm } from '../../../src/db/client/orm.ts'
import { createTestDatabase } from '../../support/database.ts'
import { openTestOrm } from '../../support/orm.ts'
import { startPostgres } from '../../support/postgres.ts'
import { PROGRAM_ENVIRONMENT } from '../../support/program-environment.ts'

/** A process whose database may lose commits. */

let postgres: Awaited<ReturnType<typeof startPostgres>>
let orm: Orm
beforeAll(async () => {
  postgres = await startPostgres({})
  orm = await openTestOrm({ databaseUrl: postgres.url })
})
afterAll(async () => {
  await orm?.close()
  await postgres?.stop()
})

const databaseOf = (url: string) => new URL(url).pathname.slice(1)
const alter = (what: string, setting: string) => orm.em.fork().execute(`alter ${what} set ${setting}`)
async function check(): Promise<string> {
  const fresh = await openTestOrm({ databaseUrl: postgres.url })
  try {
    return await requireDurability(fresh, { isAllowed: false, warn: () => {} }).then(
      () => 'safe',
      error => `${error.name}: ${error.message}`,
    )
  } finally {
    await fresh.close()
  }
}

test('a server with the settings of an installation is accepted', async () => {
  expect(await check()).toBe('safe')
})

test.each(['on', 'local', 'remote_write', 'remote_apply'])(
  'synchronous_commit = %s is accepted',
  async value => {
    await alter('role current_user', `synchronous_commit = ${value}`)
    expect(await check()).toBe('safe')
    await orm.em.fork().execute('alter role current_user reset synchronous_commit')
  },
)

test('synchronous_commit = off of the role or the database is refused', async () => {
  for (const what of ['role current_user', `database "${databaseOf(postgres.url)}"`]) {
    await alter(what, 'synchronous_commit = off')
    expect(await check()).toMatch(
      /^UnsafeDatabase: PostgreSQL runs with synchronous_commit = off and may lose/,
    )
    await orm.em.fork().execute(`alter ${what} reset synchronous_commit`)
  }
  expect(await check()).toBe('safe')
})

test('a server without durability is refused with every such setting; where it is allowed, that is a warning', async () => {
  const forgetful = await openTestOrm({ databaseUrl: await createTestDatabase() })
  const warnings: string[] = []
  const warn = (message: string) => void warnings.push(message)
  await expect(requireDurability(forgetful, { isAllowed: false, warn })).rejects.toThrow(UnsafeDatabase)
  expect(warnings).toEqual([])
  await requireDurability(forgetful, { isAllowed: true, warn })
  expect(warnings).toEqual([
    expect.stringMatching(/fsync = off, full_page_writes = off, synchronous_commit = off/),
  ])
  await forgetful.close()
})

test('the API prints one line and exits with 1', async () => {
  const child = spawn(
    process.execPath,
    ['--disable-warning=ExperimentalWarning', join(import.meta.dirname, '../../../src/server.ts')],
    {
      env: {
        ...PROGRAM_ENVIRONMENT,
        DATABASE_URL: await createTestDatabase(),
        TEMPORAL_ADDRESS: '127.0.0.1:1',
        PORT: '0',
        TRILHO_SECRET_KEY: `a:${randomBytes(32).toString('base64')}`,
      },
      stdio: ['ignore', 'pipe', 'pipe'],
    },
  )
  const said: string[] = []
  for (const stream of [child.stdout, child.stderr]) stream.on('data', chunk => said.push(String(chunk)))
  const [code] = await once(child, 'close')
  expect(code).toBe(1)
  expect(said.join('').trim().split('\n')).toEqual([expect.stringContaining('synchronous_commit = off')])
})
