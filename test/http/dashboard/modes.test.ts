import { randomUUID } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { addUser } from '../../../src/admin/users.ts'
import { listLastDays } from '../../../src/contract/shared/time-zone.ts'
import { dashboardRoutes } from '../../../src/dashboard/routes.ts'
import { runInTransaction } from '../../../src/db/client/transaction.ts'
import { findDailyVolumes } from '../../../src/db/repositories/account-statistics.ts'
import { insertAuthCode } from '../../../src/db/repositories/auth-codes.ts'
import { pollUntil } from '../../api/support/poll-until.ts'
import { type ApiFixture, openApiFixture } from '../support/api-fixture.ts'
import { createBrowser } from '../support/browser.ts'
import { createFullAccount, PASSWORD } from '../support/full-account.ts'

/** Simulated movements never count as money: they have pages of their own, which say so. */

let fixture: ApiFixture
let ours: Awaited<ReturnType<typeof createFullAccount>>
/** An account with a full history at a simulator, and this connection beside it. */
let real: string

beforeAll(async () => {
  fixture = await openApiFixture([dashboardRoutes])
  ours = await createFullAccount(fixture)
  real = await fixture.insertConnection(ours.account, { isSimulated: false })
})
afterAll(() => fixture.close())

/** Makes the connection real or simulated, together with its provider account. */
const setSimulated = (isSimulated: boolean) =>
  ours.sql(
    `with changed as (update provider_account set is_simulated = ? where uuid = (
         select provider_account_uuid from connection where uuid = ?))
     update connection set is_simulated = ? where uuid = ?`,
    [isSimulated, ours.connection, isSimulated, ours.connection],
  )

test('simulated movements have their own lists, statement and file', async () => {
  const merchant = createBrowser(fixture)
  await merchant.signIn(ours.email, PASSWORD)
  const shown = async (path: string) => {
    const { status, text } = await merchant.get(path)
    expect([path, status]).toEqual([path, 200])
    return [ours.charge, ours.transfer, ours.dispute, '1.234,56', '1234,56'].some(one => text.includes(one))
  }
  for (const path of ['charges', 'transfers', 'disputes', 'ledger', 'ledger/ledger.csv'])
    for (const [mode, is] of [
      ['', false],
      ['?mode=live', false],
      ['?mode=test', true],
    ] as const)
      expect([path, mode, await shown(`/dashboard/${path}${mode}`)]).toEqual([path, mode, is])

  const { text } = await merchant.get('/dashboard/charges?mode=test&status=PAID&page=1')
  expect(text).toContain('<strong class="test">Teste (somente simulador)</strong>')
  // Neither a filter nor its absence leads back to the other mode, and a provider of one mode is not found in the
  // other.
  expect(text).toContain('<input type="hidden" name="mode" value="test">')
  expect(text).toContain('href="/dashboard/charges?mode=test"')
  expect(text).toContain('href="/dashboard/charges?mode=live&#38;status=PAID"')
  expect([text.includes(ours.connection), text.includes(real)]).toEqual([true, false])
  for (const operationPath of [
    `charges/${ours.charge}`,
    `transfers/${ours.transfer}`,
    `disputes/${ours.dispute}`,
  ])
    expect((await merchant.get(`/dashboard/${operationPath}`)).text).toContain(
      '>Teste (somente simulador)</span>',
    )
  await setSimulated(false)
  expect((await merchant.get(`/dashboard/charges/${ours.charge}`)).text).not.toContain(
    'Teste (somente simulador)',
  )
  await setSimulated(true)
})

test('a code of a test token is on the page of PIX keys, in test mode, for who may create one', async () => {
  const { sealer } = fixture.dependencies
  const insert = async (code: string, { isSimulated = true, expires = '5 minutes' } = {}) => {
    const uuid = randomUUID()
    const address = `code-${code}@example.com`
    await insertAuthCode(fixture.orm.em.fork(), {
      uuid,
      accountUuid: ours.account,
      type: 'EMAIL',
      key: address,
      isSimulated,
      mac: 'a',
      requestId: 'r',
      fingerprint: 'f',
      sealedMessage: sealer.seal({ to: address, code }),
    })
    await ours.sql('update auth_code set expires_at = now() + ?::interval where uuid = ?', [expires, uuid])
    return uuid
  }
  const used = await insert('111111')
  await ours.sql('update auth_code set used_at = now() where uuid = ?', [used])
  await insert('222222', { expires: '-1 second' })
  await insert('333333', { isSimulated: false })
  await insert('444444')
  const viewer = `viewer-${randomUUID()}@trilho.test`
  await addUser(fixture.orm.em.fork(), {
    email: viewer,
    password: PASSWORD,
    accountUuid: ours.account,
    role: 'viewer',
  })
  const codesOf = async (email: string, mode: string) => {
    const browser = createBrowser(fixture)
    await browser.signIn(email, PASSWORD)
    const { text } = await browser.get(`/dashboard/keys?mode=${mode}`)
    return text.match(/(?<=<code>)\d{6}(?=<\/code>)/g) ?? []
  }
  expect(await codesOf(ours.email, 'test')).toEqual(['444444'])
  expect([await codesOf(ours.email, 'live'), await codesOf(viewer, 'test')]).toEqual([[], []])
})

test('the overview counts each amount once, and adds no simulated amount to real money', async () => {
  const accountUuid = await fixture.insertAccount()
  const providerAccountUuid = await fixture.insertProviderAccount({ accountUuid, isSimulated: false })
  await fixture.insertConnection(accountUuid, { providerAccountUuid, isSimulated: false })
  await fixture.insertConnection(accountUuid, { providerAccountUuid, isSimulated: false, type: 'POOL' })
  const simulated = await fixture.insertConnection(accountUuid, { provider: 'PROVIDER_B' })
  const holds = (cents: number, at: string) =>
    ours.sql(
      `update balance set cents = ? where account_uuid = ? and bucket = 'available' and provider_account_uuid = ?`,
      [cents, accountUuid, at],
    )
  const [row] = await ours.sql('select provider_account_uuid as at from connection where uuid = ?', [
    simulated,
  ])
  await holds(123_456, providerAccountUuid)
  await holds(5_000_000, row!.at as string)
  await addUser(fixture.orm.em.fork(), { email: 'sums@trilho.test', password: PASSWORD, accountUuid })
  const owner = createBrowser(fixture, { language: 'en' })
  await owner.signIn('sums@trilho.test', PASSWORD)
  const available = async (path: string) => /class="amount">([^<]*)</.exec((await owner.get(path)).text)?.[1]
  expect(await available('/dashboard')).toBe('R$1,234.56')
  expect(await available('/dashboard?mode=test')).toBe('R$50,000.00')
})

test('files of one account are written one after another, which leaves database connections to all others', async () => {
  const merchant = createBrowser(fixture)
  await merchant.signIn(ours.email, PASSWORD)
  const waiting = async () =>
    (
      await fixture.orm.em.fork({ disableContextResolution: true }).execute(
        `select from pg_locks l join pg_stat_activity a using (pid)
           where not l.granted and l.relation = 'movement'::regclass and a.datname = current_database()`,
      )
    ).length
  const files = await runInTransaction(fixture.orm, async em => {
    await em.execute('lock table movement in access exclusive mode')
    const answers = [1, 2, 3].map(() => merchant.get('/dashboard/ledger/ledger.csv?mode=test'))
    while ((await waiting()) === 0) await pause(20)
    await pause(500)
    expect(await waiting()).toBe(1)
    return { answers }
  })
  for (const { status } of await Promise.all(files.answers)) expect(status).toBe(200)
})

test('a token is bound to a simulator or to a real provider, and its form says which', async () => {
  const merchant = createBrowser(fixture)
  await merchant.signIn(ours.email, PASSWORD)
  const { text } = await merchant.get('/dashboard/tokens')
  const offered = [...text.matchAll(/<option value="[\da-f-]{36}">([^<]+)<\/option>/g)].map(match => match[1])
  expect(offered).toEqual(['Provedor A · nominal', 'Provedor A · nominal · Teste (somente simulador)'])
})

test('the overview omits a sum that cannot be computed in time', async () => {
  const merchant = createBrowser(fixture)
  await merchant.signIn(ours.email, PASSWORD)
  // On a busy machine a sum may not be computed in time.
  await pollUntil(
    () => merchant.get('/dashboard?mode=test'),
    ({ text }) => text.includes('últimos 14 dias') && text.includes('<svg'),
  )
  const days = listLastDays(14, 'America/Sao_Paulo')
  const of = { accountUuid: ours.account, isSimulated: true, days }
  await runInTransaction(fixture.orm, async em => {
    await em.execute('lock table movement in access exclusive mode')
    expect(await findDailyVolumes(fixture.orm.em.fork(), of)).toEqual([])
  })
  await pollUntil(
    () => findDailyVolumes(fixture.orm.em.fork(), of),
    ({ length }) => length === 14,
  )
})

test('simulators and real providers are ordered separately', async () => {
  const accountUuid = await fixture.insertAccount()
  const simulated = await fixture.insertConnection(accountUuid)
  const real = await fixture.insertConnection(accountUuid, { isSimulated: false })
  await fixture.replaceDefaultProviders(accountUuid, [simulated])
  await addUser(fixture.orm.em.fork(), { email: 'both@trilho.test', password: PASSWORD, accountUuid })
  const owner = createBrowser(fixture)
  await owner.signIn('both@trilho.test', PASSWORD)
  const on = '/dashboard/providers'
  const add = (mode: string, uuid: string) => owner.send(`${on}/order`, { mode, move: `add ${uuid}` }, { on })
  const ranked = () =>
    fixture.orm.em
      .fork()
      .execute(
        'select connection_uuid as uuid, position from default_provider where account_uuid = ? order by connection_uuid',
        [accountUuid],
      )
  expect((await add('live', simulated)).status).toBe(422)
  expect(await ranked()).toEqual([{ uuid: simulated, position: 1 }])
  expect((await add('live', real)).status).toBe(303)
  const both = [simulated, real].sort()
  expect(await ranked()).toEqual(both.map(uuid => ({ uuid, position: 1 })))
  const { text } = await owner.get(on)
  expect(text.indexOf(`<code>${real}</code>`)).toBeLessThan(text.indexOf(`<code>${simulated}</code>`))
})

test('keys of simulators and of real providers have separate pages, and each action returns to its mode', async () => {
  const accountUuid = await fixture.insertAccount()
  const simulated = await fixture.insertConnection(accountUuid)
  const real = await fixture.insertConnection(accountUuid, { isSimulated: false })
  const [simulatedKey, realKey] = [randomUUID(), randomUUID()]
  for (const [connection, key] of [
    [simulated, simulatedKey],
    [real, realKey],
  ])
    await ours.sql(
      `insert into pix_key (uuid, account_uuid, connection_uuid, provider_account_uuid, is_simulated, type, key, state,
         request_id, fingerprint, created_at, updated_at)
       select gen_random_uuid(), account_uuid, uuid, provider_account_uuid, is_simulated, 'RANDOM', ?, 'active', 'r', 'f',
         now(), now() from connection where uuid = ?`,
      [key, connection],
    )
  await addUser(fixture.orm.em.fork(), { email: 'keys@trilho.test', password: PASSWORD, accountUuid })
  const owner = createBrowser(fixture)
  await owner.signIn('keys@trilho.test', PASSWORD)
  const seen = ({ text }: { text: string }) =>
    [simulatedKey, realKey, simulated, real].map(one => text.includes(one))
  const live = await owner.get('/dashboard/keys')
  expect(seen(live)).toEqual([false, true, false, true])
  expect(live.text).toContain('href="/dashboard/keys?mode=test"')
  const test = await owner.get('/dashboard/keys?mode=test')
  expect(seen(test)).toEqual([true, false, true, false])
  const actions = [...test.text.matchAll(/action="(\/dashboard\/keys[^"]*)"/g)].map(match => match[1]!)
  expect(actions).toEqual(['/remove', '/code', ''].map(act => `/dashboard/keys${act}?mode=test`))
  const refused = await owner.confirm(actions[0]!, { key: randomUUID() }, { on: '/dashboard/keys' })
  expect([refused.status, ...seen(refused)]).toEqual([404, true, false, true, false])
  expect(refused.text).toContain('href="/dashboard/keys?mode=live"')
})
