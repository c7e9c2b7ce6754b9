import { randomUUID } from 'node:crypto'
import { expect, test } from '@jest/globals'
import { createBrowser, hiddenFieldOf, hiddenFieldsOf } from '../support/browser.ts'
import { PASSWORD } from '../support/full-account.ts'
import { OPERATOR_EMAIL, useOperatorDashboard } from '../support/operator-dashboard.ts'

/** Operators create an account, connect it to a provider, change and block it: each with a reason, which is recorded. */

const ACCOUNTS = '/dashboard/operator/accounts'
const SECRET = 'Y2xpZW50OnNlY3JldA=='
const dashboard = useOperatorDashboard()

const sql = (query: string, values: unknown[] = []) => dashboard.fixture.orm.em.fork().execute(query, values)
const send = (path: string, form: Record<string, string>, on: string) =>
  dashboard.operator.confirm(`${ACCOUNTS}/${path}`, form, { on })
const actionsOn = async (subject: string) =>
  (
    await sql('select action, reason, actor from operator_action where subject = ? order by at', [subject])
  ).map(({ action, reason, actor }: Record<string, string>) => [action, reason, actor])

const holder = () => ({
  name: 'Padaria "Nova" <b>',
  document: '11.222.333/0001-81',
  reason: 'contract 12',
  once: randomUUID(),
})

test('an account is created once, with its reason, however often its form is sent', async () => {
  const form = holder()
  for (const _ of [1, 2]) {
    const { status, headers } = await send('new', form, `${ACCOUNTS}/new`)
    expect([status, headers.get('location')]).toEqual([303, `${ACCOUNTS}/${form.once}?done=account_created`])
  }
  expect(await sql('select name, document from account where uuid = ?', [form.once])).toEqual([
    { name: form.name, document: '11222333000181' },
  ])
  expect(await actionsOn(`account/${form.once}`)).toEqual([['account_open', 'contract 12', OPERATOR_EMAIL]])
  const { text } = await dashboard.operator.get(`${ACCOUNTS}/${form.once}`)
  expect(text).toContain('Padaria &#34;Nova&#34; &#60;b&#62;')
})

test.each([
  ['document', '11.222.333/0001-80'],
  ['name', ' '],
  ['reason', 'x'],
])('an account with a wrong %s is not created, and what was typed is kept', async (field, value) => {
  const form = { ...holder(), [field]: value }
  const { status, text } = await send('new', form, `${ACCOUNTS}/new`)
  expect([status, text.includes(`id="in-${field}-wrong"`)]).toEqual([422, true])
  expect(text).toContain('value="Padaria &#34;Nova&#34;'.slice(0, field === 'name' ? 7 : undefined))
  expect(await sql('select uuid from account where uuid = ?', [form.once])).toEqual([])
})

const connection = (account: string) => ({
  account,
  once: randomUUID(),
  dialect: 'woovi',
  provider: 'PROVIDER_B',
  type: 'NOMINAL',
  provider_account: randomUUID(),
  base_url: 'https://provider.example',
  app_id: SECRET,
  simulated: 'no',
  account_agency: '1',
  account_number: '12345-6',
  bank_name: 'Banco',
  bank_ispb: '54811417',
  reason: 'contract 12',
})
const connect = (form: Record<string, string>) =>
  send('connect', form, `${ACCOUNTS}/${form.account}/connect?dialect=woovi`)
const connectionsOf = (account: string) =>
  sql('select uuid, status, sealed_credentials from connection where account_uuid = ?', [account])

test('a provider is connected after a test of the credentials, which are sealed and not shown again', async () => {
  const form = connection(await dashboard.fixture.insertAccount())
  for (const _ of [1, 2]) {
    const { status, headers } = await connect(form)
    expect([status, headers.get('location')]).toEqual([
      303,
      `${ACCOUNTS}/connections/${form.once}?done=connected`,
    ])
  }
  const [row, ...more] = await connectionsOf(form.account)
  expect([row!.uuid, row!.status, more]).toEqual([form.once, 'ACTIVE', []])
  expect(dashboard.fixture.dependencies.sealer.open(row!.sealed_credentials)).toEqual({ app_id: SECRET })
  expect(dashboard.bank.registered).toHaveLength(1)
  expect(dashboard.bank.registered[0]).toMatch(new RegExp(`/provider-notifications/${form.once}$`))
  const balance = `select cents::int from balance where account_uuid = ? and bucket = 'available'`
  expect(await sql(balance, [form.account])).toEqual([{ cents: 12_345 }])
  expect(await actionsOn(`connection/${form.once}`)).toEqual([
    ['connection_add', 'contract 12', OPERATOR_EMAIL],
  ])
  for (const path of [`connections/${form.once}`, form.account])
    expect((await dashboard.operator.get(`${ACCOUNTS}/${path}`)).text).not.toContain(SECRET)
  expect(dashboard.fixture.lines.join()).not.toContain(SECRET)
})

test('the page of a connection shows what the API of its provider can do, and its paces', async () => {
  const form = connection(await dashboard.fixture.insertAccount())
  await connect(form)
  const readFacts = async (dialect: string) => {
    await sql('update connection set dialect = ? where uuid = ?', [dialect, form.once])
    const { text } = await dashboard.operator.get(`${ACCOUNTS}/connections/${form.once}`)
    return new Map(
      [...text.matchAll(/<dt>([^<]+)<\/dt><dd class="text">([^<]+)<\/dd>/g)].map(one => [one[1]!, one[2]!]),
    )
  }
  const inter = await readFacts('inter')
  expect(inter.get('Unknown transfer is looked up')).toBe('By sending the same order again')
  expect(inter.get('Pace of transfers')).toBe('1 at once, then 45 a minute')
  expect(inter.get('Pace of refunds')).toBe('30 at once, then 90 a minute')
  expect(inter.get('Pace of access tokens')).toBe('4 at once, then 1 a minute')
  expect(inter.get('Creates PIX keys')).toBe('No')
  expect(inter.get('Disputes')).toBe('No')
  const efi = await readFacts('efi')
  expect(efi.get('Pace of transfers')).toBe('Not limited by Trilho')
  expect(efi.get('Creates PIX keys')).toBe('Random key')
  expect(efi.get('Disputes')).toBe('Yes, listed every few minutes')
  expect((await readFacts('woovi')).get('Another payer’s PIX')).toBe('Refused by the provider')
  expect((await readFacts('sicoob')).get('Unknown transfer is looked up')).toBe('By the provider’s own id')
})

test.each<[what: string, change: Record<string, string>, answer: object, field: string]>([
  ['the provider refuses', {}, { kind: 'no_answer', code: 'no_token', message: 'm' }, 'app_id'],
  ['no provider answers to', {}, { kind: 'no_answer', code: 'dns_failed', message: 'm' }, 'base_url'],
  ['lack an AppID', { app_id: '' }, {}, 'app_id'],
  ['would go over http', { base_url: 'http://provider.example' }, {}, 'base_url'],
  ['have no account number', { account_number: '' }, {}, 'account_number'],
  ['have no reason', { reason: '' }, {}, 'reason'],
])('credentials that %s are not stored, and the field is named', async (_, change, answer, field) => {
  dashboard.bank.identity = answer
  const form = { ...connection(await dashboard.fixture.insertAccount()), ...change }
  const { status, text } = await connect(form)
  expect([status, text.includes(`id="in-${field}-wrong"`)]).toEqual([422, true])
  expect(text).not.toContain(SECRET)
  expect(await connectionsOf(form.account)).toEqual([])
  expect(dashboard.bank.registered).toEqual([])
})

test('a live POOL needs the role of who holds the money of others, which is recorded; a simulated one has none', async () => {
  const pool = {
    ...connection(await dashboard.fixture.insertAccount()),
    type: 'POOL',
    max_per_transfer: '15,000.00',
  }
  const form = await dashboard.operator.get(`${ACCOUNTS}/${pool.account}/connect?dialect=woovi`)
  expect(form.text).toContain('518/2025')
  const without = await connect(pool)
  expect([without.status, without.text.includes('id="in-pool_role-wrong"')]).toEqual([422, true])
  expect(await connectionsOf(pool.account)).toEqual([])
  const role = 'Loja Pagamentos, authorised payment institution'
  const simulated = await connect({ ...pool, simulated: 'yes', pool_role: role })
  expect([simulated.status, simulated.text.includes('id="in-pool_role-wrong"')]).toEqual([422, true])
  expect((await connect({ ...pool, pool_role: role })).status).toBe(303)
  expect(await actionsOn(`connection/${pool.once}`)).toEqual(
    expect.arrayContaining([['connection_pool_role', role, OPERATOR_EMAIL]]),
  )
  expect(
    await sql('select max_transfer_cents::int as cents from connection where uuid = ?', [pool.once]),
  ).toEqual([{ cents: 1_500_000 }])
})

test('an ISPB may have letters, which are stored upper case', async () => {
  const form = { ...connection(await dashboard.fixture.insertAccount()), bank_ispb: '5481141z' }
  expect((await connect(form)).status).toBe(303)
  const [row] = await sql(
    `select virtual_account -> 'bank' ->> 'ispb' as ispb from connection where uuid = ?`,
    [form.once],
  )
  expect(row).toEqual({ ispb: '5481141Z' })
  const wrong = await connect({ ...connection(form.account), bank_ispb: '548-1141' })
  expect([wrong.status, wrong.text.includes('id="in-bank_ispb-wrong"')]).toEqual([422, true])
})

test('the limit of a transfer is changed after a question, and removed by an empty field', async () => {
  const uuid = await dashboard.fixture.insertConnection(await dashboard.fixture.insertAccount())
  const on = `${ACCOUNTS}/connections/${uuid}`
  const limit = (max_per_transfer: string) => ({ uuid, max_per_transfer, reason: 'a norm' })
  const wrong = await send('connections/limit', limit('0'), on)
  expect([wrong.status, wrong.text.includes('id="in-max_per_transfer-wrong"')]).toEqual([422, true])
  const stored = async () =>
    (await sql('select max_transfer_cents::int as cents from connection where uuid = ?', [uuid]))[0]
  for (const [text, cents] of [
    ['15,000.00', 1_500_000],
    ['', null],
  ] as const) {
    const question = await dashboard.operator.send(`${ACCOUNTS}/connections/limit`, limit(text), { on })
    expect(question.text).toContain(text || 'No limit')
    expect((await send('connections/limit', limit(text), on)).status).toBe(303)
    expect(await stored()).toEqual({ cents })
  }
  expect((await actionsOn(`connection/${uuid}`)).map(([action]) => action)).toEqual([
    'connection_limit',
    'connection_limit',
  ])
})

test('a connection whose callback address is not registered is withdrawn', async () => {
  dashboard.bank.registration = { kind: 'no_answer', code: 'timeout', message: 'no answer in time' }
  const form = connection(await dashboard.fixture.insertAccount())
  const { status, text } = await connect(form)
  expect([status, text.includes('no answer in time')]).toEqual([422, true])
  expect(await connectionsOf(form.account)).toEqual([])
})

test('credentials that another operator has replaced are not overwritten', async () => {
  const form = connection(await dashboard.fixture.insertAccount())
  await connect(form)
  const on = `${ACCOUNTS}/connections/${form.once}`
  const version = hiddenFieldOf((await dashboard.operator.get(on)).text, 'version')!
  const replace = { uuid: form.once, app_id: SECRET, reason: 'the old ones leaked' }
  const path = `${ACCOUNTS}/connections/credentials`
  expect((await dashboard.operator.send(path, { ...replace, version }, { on })).status).toBe(303)
  const late = await dashboard.operator.send(path, { ...replace, version }, { on })
  expect([late.status, late.text.includes(`Credentials last replaced: – → ${OPERATOR_EMAIL}`)]).toEqual([
    409,
    true,
  ])
  expect(await actionsOn(`connection/${form.once}`)).toHaveLength(2)
})

test('fees, status and visibility are confirmed with what they were, and recorded', async () => {
  const account = await dashboard.fixture.insertAccount()
  const uuid = await dashboard.fixture.insertConnection(account)
  const on = `${ACCOUNTS}/connections/${uuid}`
  const fees = { uuid, charge: '0,10+0,99%', transfer: '0.50', refund: '0', reason: 'new prices' }
  const wrong = await send('connections/fees', { ...fees, transfer: '-1' }, on)
  expect([wrong.status, wrong.text.includes('id="in-transfer-wrong"')]).toEqual([422, true])
  const { text } = await dashboard.operator.send(`${ACCOUNTS}/connections/fees`, fees, { on })
  expect([/<dt>(Charge|Cobrança)/, /<dt>(Refund|Devolução)/].map(name => name.test(text))).toEqual([
    true,
    false,
  ])
  expect((await send('connections/fees', fees, on)).status).toBe(303)
  const [row] = await sql('select fees from connection where uuid = ?', [uuid])
  expect(row!.fees).toMatchObject({
    charge: { fixedCents: 10, hundredthsOfPercent: 99 },
    transfer: { fixedCents: 50, hundredthsOfPercent: 0 },
  })
  const state = { uuid, status: 'INACTIVE', public: 'no', reason: 'their bank is down' }
  expect((await send('connections/status', state, on)).status).toBe(303)
  expect(await sql('select status, is_public from connection where uuid = ?', [uuid])).toEqual([
    { status: 'INACTIVE', is_public: false },
  ])
  expect((await actionsOn(`connection/${uuid}`)).map(([action]) => action)).toEqual([
    'connection_fees',
    'connection_status',
    'connection_visibility',
  ])
})

test('a policy that somebody else has changed since is asked about again, with what it is now', async () => {
  const uuid = await dashboard.fixture.insertAccount()
  const on = `${ACCOUNTS}/${uuid}`
  const policies = {
    unmatched: 'keep',
    wrong_payer: 'review',
    disputed_splits: 'owner',
    unique_external_ref: 'yes',
  }
  const form = { uuid, ...policies, reason: 'the merchant asked' }
  const question = await dashboard.operator.send(`${ACCOUNTS}/policy`, form, { on })
  await sql(`update account set unmatched_policy = 'keep' where uuid = ?`, [uuid])
  const again = await dashboard.operator.call('POST', `${ACCOUNTS}/policy`, {
    form: hiddenFieldsOf(question.text),
  })
  expect([again.status, again.text.includes('<del>Return to the payer')]).toEqual([200, true])
  const done = await dashboard.operator.call('POST', `${ACCOUNTS}/policy`, {
    form: hiddenFieldsOf(again.text),
  })
  expect(done.status).toBe(303)
  expect(
    await sql(
      'select unmatched_policy, wrong_payer_policy, disputed_split_policy, unique_external_ref from account where uuid = ?',
      [uuid],
    ),
  ).toEqual([
    {
      unmatched_policy: 'keep',
      wrong_payer_policy: 'review',
      disputed_split_policy: 'owner',
      unique_external_ref: true,
    },
  ])
})

test('an account is blocked and unblocked, each once; the second operator is told', async () => {
  const uuid = await dashboard.fixture.insertAccount()
  const on = `${ACCOUNTS}/${uuid}`
  const block = { uuid, status: 'BLOCKED', reason: 'fraud suspected' }
  expect((await send('status', { ...block, reason: '' }, on)).status).toBe(422)
  expect((await send('status', block, on)).status).toBe(303)
  const second = await dashboard.operator.send(`${ACCOUNTS}/status`, block, { on })
  expect([second.status, second.text.includes('Blocked')]).toEqual([409, true])
  expect((await send('status', { uuid, status: 'ACTIVE', reason: 'cleared' }, on)).status).toBe(303)
  expect((await actionsOn(`account/${uuid}`)).map(([action, reason]) => [action, reason])).toEqual([
    ['account_block', 'fraud suspected'],
    ['account_unblock', 'cleared'],
  ])
})

test('an owner is invited by a link, sets the password that no operator sees, and signs in with it', async () => {
  const uuid = await dashboard.fixture.insertAccount()
  const on = `${ACCOUNTS}/${uuid}`
  const form = { uuid, email: `${randomUUID()}@Merchant.test`, reason: 'contract 12', once: randomUUID() }
  const wrong = await send('users', { ...form, email: 'nobody' }, on)
  expect([wrong.status, wrong.text.includes('id="in-email-wrong"')]).toEqual([422, true])
  const { status, text } = await send('users', form, on)
  const link = /id="link" class="secret" value="([^"]+)"/.exec(text)?.[1] ?? ''
  expect([status, new URL(link).pathname]).toEqual([
    200,
    expect.stringMatching(/^\/dashboard\/invitation\/[\w-]{32}$/),
  ])
  expect(text).not.toMatch(/password|senha/i)
  expect(await sql('select from app_user where account_uuid = ?', [uuid])).toEqual([])
  expect(await actionsOn(`invitation/${form.once}`)).toEqual([['invite_user', 'contract 12', OPERATOR_EMAIL]])
  // The form sent twice creates one invitation, and says so.
  expect((await send('users', form, on)).headers.get('location')).toBe(`${on}?done=invitation_there`)

  const owner = createBrowser(dashboard.fixture)
  const path = new URL(link).pathname
  const joined = await owner.send(path, { name: 'Ana', password: PASSWORD }, { on: path })
  expect([joined.status, joined.headers.get('location')]).toEqual([
    303,
    '/dashboard?done=invitation_accepted',
  ])
  expect((await owner.get('/dashboard/users')).status).toBe(200)
  expect((await createBrowser(dashboard.fixture).signIn(form.email.toLowerCase(), PASSWORD)).status).toBe(303)
  expect((await send('users', { ...form, once: randomUUID() }, on)).status).toBe(422)
})

test('the service’s own account, and one that does not exist, have no page', async () => {
  expect((await dashboard.operator.get(`${ACCOUNTS}/${randomUUID()}`)).status).toBe(404)
  const block = { uuid: randomUUID(), status: 'BLOCKED', reason: 'because' }
  expect((await send('status', block, ACCOUNTS)).status).toBe(404)
})

test('a search for what PostgreSQL cannot hold finds nothing', async () => {
  const { status, text } = await dashboard.operator.get(`${ACCOUNTS}?q=%00%ED%A0%80zzz`)
  expect([status, text.includes('value="')]).toEqual([200, true])
})

test('a form that is too large says so', async () => {
  const { status } = await send('status', { uuid: randomUUID(), reason: 'x'.repeat(2_000_000) }, ACCOUNTS)
  expect(status).toBe(413)
})
