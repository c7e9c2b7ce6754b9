import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals'
import { types } from 'pg'
import { lockCharge, lockTransfer } from '../../../src/activities/shared/transition.ts'
import type { EntityManager, Orm } from '../../../src/db/client/orm.ts'
import { readInSnapshot, runInTransaction } from '../../../src/db/client/transaction.ts'
import { Account } from '../../../src/db/entities/account.ts'
import { PipelinedPool } from '../../../src/db/pipeline/pool.ts'
import {
  ASYNC_COMMIT,
  batchQueries,
  constantQuery,
  mapQuery,
  noQuery,
  query,
  type ResultRow,
  runAsyncCommit,
  runQuery,
  selectRows,
  sendStatement,
} from '../../../src/db/pipeline/query.ts'
import { openTestOrm } from '../../support/orm.ts'
import { type ApiFixture, openApiFixture } from '../support/api-fixture.ts'
import { openCapturedOrm } from '../support/postgres-messages.ts'

/** Round trips of transactions and batches: what is sent before the first result, and that the effect is the same. */

let fixture: ApiFixture
let orm: Orm
let uuid: string
let captured: Awaited<ReturnType<typeof openCapturedOrm>>['captured']
let closeOrm: () => Promise<void>
let capturedMessages: string[]
beforeAll(async () => {
  fixture = await openApiFixture([])
  uuid = await fixture.insertAccount()
  ;({ orm, captured, close: closeOrm } = await openCapturedOrm(fixture.config.databaseUrl))
  capturedMessages = captured.messages
})
afterAll(async () => {
  await closeOrm?.()
  await fixture?.close()
})
beforeEach(() => captured.forget())

const rename = (name: string) => `update account set name = '${name}' where uuid = '${uuid}'`
const nameNow = async (whose = uuid) => {
  const [row]: { name: string }[] = await fixture.orm.em
    .fork()
    .execute('select name from account where uuid = ?', [whose])
  return row?.name
}
/** One more account, as a flush writes it, with every column. */
const addOne = (em: EntityManager, name: string, { uuid = randomUUID() as string } = {}) => {
  const policies = { status: 'ACTIVE', unmatchedPolicy: 'refund', uniqueExternalRef: false } as const
  em.create(Account, { uuid, name, document: '11222333000181', ...policies })
  return uuid
}
const NASTY_NAME = `"it's" \\ \\' ? $1 :name {} ção 💸; where "uuid" = 'no'`
/** One transaction leaves nothing for the next statement over the same connection. */
const isAlone = async () => {
  capturedMessages.splice(0)
  await orm.em.fork().execute('select 1')
  expect(capturedMessages).toEqual(['select 1'])
  const [row]: { open: string }[] = await fixture.orm.em
    .fork()
    .execute(
      `select count(*) as open from pg_stat_activity where state like 'idle in transaction%' and datname = current_database()`,
    )
  expect(row?.open).toBe('0')
}

test('a transaction is one round trip per awaited statement, BEGIN before a write and the commit included', async () => {
  const answer = await runInTransaction(orm, async em => {
    await em.execute(rename('first'))
    return em.execute('select name from account where uuid = ?', [uuid])
  })
  expect(answer).toEqual([{ name: 'first' }])
  expect(capturedMessages).toEqual([
    'begin',
    rename('first'),
    `select name from account where uuid = '${uuid}'`,
    'commit',
  ])
  expect(await nameNow()).toBe('first')
  await isAlone()
})

test('the first statement’s result is its own, including the number of changed rows', async () => {
  const changed = await runInTransaction(orm, em =>
    em.execute<{ affectedRows: number }>(rename('counted'), [], 'run'),
  )
  expect(changed).toMatchObject({ affectedRows: 1 })
})

const NAME = 'select name from account where uuid = ?'
const nameOf = (whose: string) => query(NAME, [whose], (rows: ResultRow[]) => rows[0]?.name)

test('a batch of queries is one round trip with a result for each, inside and outside of a transaction', async () => {
  const [unknownUuid, two] = [randomUUID(), 'select 1 as one union all select 2']
  const rest = batchQueries(
    noQuery,
    nameOf(unknownUuid),
    query(two, [], rows => rows.length),
  )
  const asked = batchQueries(nameOf(uuid), rest)
  const text = [NAME.replace('?', `'${uuid}'`), NAME.replace('?', `'${unknownUuid}'`), two].join('; ')
  await runInTransaction(orm, em => em.execute(rename('asked')))
  capturedMessages.splice(0)
  expect(await runQuery(orm.em.fork(), asked)).toEqual(['asked', [[], undefined, 2]])
  expect(capturedMessages).toEqual([text])
  capturedMessages.splice(0)
  expect(await runInTransaction(orm, em => runQuery(em, asked))).toEqual(['asked', [[], undefined, 2]])
  expect(capturedMessages).toEqual([`begin; ${text}`, 'commit'])
  await isAlone()
})

test('a transfer with its connection lock, movement and attempts is one round trip, and so is a charge', async () => {
  const connection = await fixture.insertConnection(uuid)
  const [transfer, charge] = [
    await fixture.insertTransfer(connection),
    await fixture.insertCharge(connection),
  ]
  await runInTransaction(orm, async tx => {
    expect(await lockTransfer(tx, transfer)).toMatchObject({ transfer: { uuid: transfer }, attempts: [] })
    expect(capturedMessages).toHaveLength(1)
    expect(await lockCharge(tx, charge)).toMatchObject({ uuid: charge })
    expect(capturedMessages).toHaveLength(2)
  })
  expect(capturedMessages).toHaveLength(3)
})

test('a failing query fails its whole batch; an empty batch sends nothing', async () => {
  const failing = batchQueries(
    nameOf(uuid),
    query('select 1 / 0 as x', [], () => 'never'),
  )
  await expect(runQuery(orm.em.fork(), failing)).rejects.toThrow('division by zero')
  const within = runInTransaction(orm, em => runQuery(em, failing))
  await expect(within).rejects.toThrow('division by zero')
  await isAlone()
  capturedMessages.splice(0)
  expect(await runQuery(orm.em.fork(), noQuery)).toEqual([])
  expect(capturedMessages).toEqual([])
})

test('a transaction that fails with its first or a later statement has changed nothing', async () => {
  await runInTransaction(orm, em => em.execute(rename('before')))
  await expect(runInTransaction(orm, em => em.execute('select 1 / 0'))).rejects.toThrow('division by zero')
  await isAlone()
  const half = runInTransaction(orm, async em => {
    await em.execute(rename('half'))
    await em.execute('select 1 / 0')
  })
  await expect(half).rejects.toThrow('division by zero')
  expect(await nameNow()).toBe('before')
  await isAlone()
  const given = runInTransaction(orm, async em => {
    await em.execute(rename('given up'))
    throw new Error('no')
  })
  await expect(given).rejects.toThrow('no')
  expect(await nameNow()).toBe('before')
  await isAlone()
})

test('a transaction without a statement sends no message, whether it commits or rolls back', async () => {
  await runInTransaction(orm, async () => 1)
  await expect(runInTransaction(orm, () => Promise.reject(new Error('no')))).rejects.toThrow('no')
  expect(capturedMessages).toEqual([])
  await isAlone()
})

test('a snapshot reads one moment, and changes nothing', async () => {
  await runInTransaction(orm, em => em.execute(rename('then')))
  const seen = await readInSnapshot(orm.em, async em => {
    const read = () => em.execute('select name from account where uuid = ?', [uuid])
    const first = await read()
    await fixture.orm.em.fork({ disableContextResolution: true }).execute(rename('now'))
    return [...first, ...(await read())]
  })
  expect(seen).toEqual([{ name: 'then' }, { name: 'then' }])
  expect(
    capturedMessages.filter(text => text.startsWith('start transaction isolation level repeatable read')),
  ).toEqual([
    `start transaction isolation level repeatable read read only; select name from account where uuid = '${uuid}'`,
  ])
  await expect(readInSnapshot(orm.em, em => em.execute(rename('never')))).rejects.toThrow('read-only')
  expect(await nameNow()).toBe('now')
  await isAlone()
})

test('work within a transaction is part of it: rolled back with it, and seen by it', async () => {
  const failed = runInTransaction(orm, async em => {
    await runInTransaction(em, inner => inner.execute(rename('inner')))
    throw new Error('all of it')
  })
  await expect(failed).rejects.toThrow('all of it')
  expect(await nameNow()).not.toBe('inner')
  const seen = await runInTransaction(orm, em =>
    runInTransaction(em, async inner => {
      await inner.execute(rename('both'))
      return nameOf(uuid)
    }),
  )
  expect([seen, await nameNow()]).toEqual(['both', 'both'])
  await isAlone()
})

test.each(['40P01', '40001'])(
  'a transaction is run again where PostgreSQL rolls it back by %s',
  async code => {
    let runs = 0
    const rolledBack = `do $$ begin raise exception 'rolled back' using errcode = '${code}'; end $$`
    const conflicting = (failures: number) =>
      runInTransaction(orm, async em => {
        runs += 1
        const added = addOne(em, `run ${runs}`)
        await em.flush()
        if (runs <= failures) await em.execute(rolledBack)
        return nameOf(added)
      })
    expect(await conflicting(3)).toBe('run 4')
    runs = 0
    await expect(conflicting(4)).rejects.toMatchObject({ code })
    expect(runs).toBe(4)
    runs = 0
    const other = runInTransaction(orm, async em => {
      runs += 1
      await em.execute('select 1 / 0')
    })
    await expect(other).rejects.toThrow('division by zero')
    expect(runs).toBe(1)
    await isAlone()
  },
)

test('new rows are one round trip; a row that is read first is read with BEGIN', async () => {
  const [first, second] = await runInTransaction(orm, async em => [addOne(em, 'one'), addOne(em, 'two')])
  expect(capturedMessages).toEqual([
    'begin',
    expect.stringMatching(
      /^insert into account [^;]*'one'[^;]*; insert into account [^;]*'two'[^;]*; commit$/,
    ),
  ])
  expect([await nameNow(first), await nameNow(second)]).toEqual(['one', 'two'])

  capturedMessages.splice(0)
  await runInTransaction(orm, async em => {
    const account = await em.findOneOrFail(Account, first!)
    account.name = NASTY_NAME
  })
  expect(capturedMessages).toEqual([
    expect.stringMatching(/^begin; select /),
    expect.stringMatching(/ update account set name = .*; commit$/s),
  ])
  expect(await nameNow(first)).toBe(NASTY_NAME)
  await isAlone()
})

test('queries at the end of a transaction see all its writes, in the round trip of the commit', async () => {
  const answer = await runInTransaction(orm, async em => {
    const added = addOne(em, 'just now')
    return mapQuery(batchQueries(nameOf(added), nameOf(uuid), constantQuery('known')), answers => answers)
  })
  expect(answer).toEqual(['just now', await nameNow(), 'known'])
  expect(capturedMessages).toEqual([
    'begin',
    expect.stringMatching(/^insert into account [^;]*; select name [^;]*; select name [^;]*; commit$/),
  ])
  capturedMessages.splice(0)
  expect(await runInTransaction(orm, async () => constantQuery(1))).toBe(1)
  expect(capturedMessages).toEqual([])
  await isAlone()
})

test('a changed row that is deleted meanwhile fails the transaction, and nothing is changed', async () => {
  const [lost, kept] = [addOne(orm.em.fork(), 'unused'), uuid]
  await runInTransaction(orm, async em => {
    addOne(em, 'deleted', { uuid: lost })
    await em.execute(rename('as it was'))
  })
  const late = runInTransaction(orm, async em => {
    const [gone, other] = [await em.findOneOrFail(Account, lost), await em.findOneOrFail(Account, kept)]
    await fixture.orm.em
      .fork({ disableContextResolution: true })
      .execute('delete from account where uuid = ?', [lost])
    gone.name = other.name = 'never'
    return nameOf(kept)
  })
  await expect(late).rejects.toThrow('a row of account to update has vanished')
  expect(await nameNow(kept)).toBe('as it was')
  await isAlone()
})

test('a transaction that fails at its commit or its last query returns nothing and has changed nothing', async () => {
  await runInTransaction(orm, em => em.execute(rename('as it was')))
  const duplicate = runInTransaction(orm, async em => {
    await em.execute(rename('changed'))
    addOne(em, 'accepted', { uuid })
    return nameOf(uuid)
  })
  await expect(duplicate).rejects.toMatchObject({ code: '23505' })
  await isAlone()
  const wrong = runInTransaction(orm, async em => {
    await em.execute(rename('changed'))
    return query('select 1 / 0 as x', [], () => 'never')
  })
  await expect(wrong).rejects.toThrow('division by zero')
  await isAlone()
  const given = runInTransaction(orm, async em => {
    await em.execute(rename('changed'))
    throw new Error('no')
  })
  await expect(given).rejects.toThrow('no')
  expect(await nameNow()).toBe('as it was')
  await isAlone()
})

test('a row is visible to the next statement, whose result is its own', async () => {
  const seen = await runInTransaction(orm, async em => {
    const added = addOne(em, 'just now')
    await em.flush()
    const counted = await em.execute<{ affectedRows: number }>(rename('after it'), [], 'run')
    return [counted.affectedRows, await em.execute('select name from account where uuid = ?', [added])]
  })
  expect(seen).toEqual([1, [{ name: 'just now' }]])
  expect(capturedMessages).toEqual([
    'begin',
    expect.stringMatching(/^insert into "account" /),
    expect.stringMatching(/^update account set name/),
    expect.stringMatching(/^select name/),
    'commit',
  ])
  await isAlone()
})

test('a row that breaks a constraint fails its transaction, and nothing is changed', async () => {
  const duplicate = addOne(orm.em.fork(), 'unused', { uuid })
  const broken = { code: '23505', constraint: 'account_pkey' }
  await expect(
    runInTransaction(orm, async em => addOne(em, 'accepted', { uuid: duplicate })),
  ).rejects.toMatchObject(broken)
  await isAlone()

  await runInTransaction(orm, em => em.execute(rename('as it was')))
  const goingOn = runInTransaction(orm, async em => {
    await em.execute(rename('changed'))
    addOne(em, 'accepted', { uuid: duplicate })
    await em.flush()
    await em.execute(rename('changed again'))
  })
  await expect(goingOn).rejects.toMatchObject(broken)
  expect(await nameNow()).toBe('as it was')
  await isAlone()
})

test('a statement without a result is not waited for, and its error is that of the next one or of the commit', async () => {
  const duplicate =
    'insert into account (uuid, name, document, status) select uuid, name, document, status from account'
  await runInTransaction(orm, em => em.execute(rename('as it was')))
  captured.forget()
  await runInTransaction(orm, async em => {
    await em.execute('select 1')
    await sendStatement(em, 'update account set name = ? where uuid = ?', ['unwaited', uuid])
    await sendStatement(em, 'update account set name = ? where uuid = ?', ['as it was', uuid])
  })
  expect(capturedMessages).toHaveLength(2)
  expect(capturedMessages[1]).toMatch(/^update [^;]*; update [^;]*; commit$/)

  const atCommit = runInTransaction(orm, async em => {
    await em.execute(rename('never'))
    await sendStatement(em, `${duplicate} where uuid = ?`, [uuid])
  })
  await expect(atCommit).rejects.toMatchObject({ code: '23505', constraint: 'account_pkey' })
  const atNext = runInTransaction(orm, async em => {
    await em.execute(rename('never'))
    await sendStatement(em, `${duplicate} where uuid = ?`, [uuid])
    await em.execute('select 1')
  })
  await expect(atNext).rejects.toMatchObject({ code: '23505', constraint: 'account_pkey' })
  expect(await nameNow()).toBe('as it was')
  await isAlone()
})

test('a transaction whose failed statement was ignored does not count as committed', async () => {
  const ignored = runInTransaction(orm, async em => {
    await em.execute(rename('never'))
    await em.execute('select 1 / 0').catch(() => {})
  })
  await expect(ignored).rejects.toThrow('division by zero')
  await isAlone()
})

test('a BEGIN that fails executes no write, although the read before it was sent at once', async () => {
  const pool = new PipelinedPool({ connectionString: fixture.config.databaseUrl, max: 1 })
  const client = await pool.connect()
  await client.query('begin nonsense', [])
  const results = await Promise.allSettled([
    client.query('select 1', []),
    client.query(rename('outside'), []),
    client.query('commit', []),
  ])
  for (const result of results) expect(result).toMatchObject({ reason: { code: '42601' } })
  expect(await nameNow()).not.toBe('outside')
  client.release()
  await pool.end()
})

test('a statement is parsed once per connection, however often it is run, and again after a failed parse', async () => {
  const text = 'select name as kept_once from account where uuid = $1'
  const one = () => query(text.replace('$1', '?'), [uuid], rows => rows.length)
  expect(await runQuery(orm.em.fork(), batchQueries(one(), one()))).toEqual([1, 1])
  expect(captured.kept).toEqual([text])
  captured.forget()
  expect(await runInTransaction(orm, em => runQuery(em, batchQueries(one(), one())))).toEqual([1, 1])
  expect(captured.kept).not.toContain(text)

  const fails = query('select 1 / ?::int as zero', [0], rows => rows)
  await expect(runQuery(orm.em.fork(), fails)).rejects.toThrow('division by zero')
  await expect(runQuery(orm.em.fork(), fails)).rejects.toThrow('division by zero')
  await isAlone()
})

test('an asynchronous commit waits for no disk, and no other statement shares it', async () => {
  const em = orm.em.fork()
  await em.execute('set synchronous_commit = on')
  captured.forget()
  const renaming = query(
    `update account set name = 'passing' from ${ASYNC_COMMIT} where uuid = ?
     returning current_setting('synchronous_commit') as setting`,
    [uuid],
    rows => rows,
  )
  expect(await runAsyncCommit(em, renaming)).toEqual([{ setting: 'off' }])
  expect(capturedMessages).toHaveLength(1)
  expect(await nameNow()).toBe('passing')
  expect(await em.execute('show synchronous_commit')).toEqual([{ synchronous_commit: 'on' }])
  await expect(runInTransaction(orm, tx => runAsyncCommit(tx, renaming))).rejects.toThrow('lost with it')
  expect(await nameNow()).toBe('passing')
  await em.execute('reset synchronous_commit')
})

test('a prepared statement whose columns have changed fails once, and its connection is replaced', async () => {
  const own = await openTestOrm({ databaseUrl: fixture.config.databaseUrl, poolSize: 1 })
  const asked = () => selectRows(own.em.fork(), 'select * from changing where n = ?', [1])
  await fixture.orm.em.fork().execute('create table changing (n integer); insert into changing values (1)')
  expect(await asked()).toEqual([{ n: 1 }])
  await fixture.orm.em.fork().execute('alter table changing add column m integer')
  await expect(asked()).rejects.toThrow('must not change result type')
  expect(await asked()).toEqual([{ n: 1, m: null }])
  await own.close()
})

test('values of every type are read as they were written', async () => {
  const at = new Date('2026-11-24T03:04:05.678Z')
  const values = [`'; drop "x\\`, 7, 2n ** 60n, true, null, at, ['a,b', '{"c"}', null], Buffer.from([0, 255])]
  const [row] = await selectRows(
    orm.em.fork(),
    `select ?::text, ?::int as n, ?::bigint as big, ?::boolean as yes, ?::text as nothing,
       ?::timestamptz = '2026-11-24 03:04:05.678+00' as at, ?::text[] as texts, encode(?::bytea, 'hex') as bytes`,
    values,
  )
  expect(row).toEqual({
    text: values[0],
    n: 7,
    big: String(2n ** 60n),
    yes: true,
    nothing: null,
    at: true,
    texts: ['a,b', '{"c"}', null],
    bytes: '00ff',
  })
})

test('a result that cannot be parsed fails its own query, and no later one', async () => {
  const OID_OF_POINT = 600
  types.setTypeParser(OID_OF_POINT, () => {
    throw new Error('no point')
  })
  await expect(selectRows(orm.em.fork(), 'select point(1, 2) as p', [])).rejects.toThrow('no point')
  await isAlone()
})

test('a value that cannot be serialised fails its own query, and no later one', async () => {
  const circle: object[] = []
  circle.push({ circle })
  const said = selectRows(orm.em.fork(), 'select ?::jsonb as circle', [circle[0]])
  await expect(said).rejects.toThrow('circular')
  await isAlone()
})
