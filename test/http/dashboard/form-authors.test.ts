import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { addUser } from '../../../src/admin/users.ts'
import { createWebhook } from '../../../src/api/operations/webhooks.ts'
import type { DeclaredRoute } from '../../../src/dashboard/http/router.ts'
import { dashboardRoutes } from '../../../src/dashboard/routes.ts'
import { addDays } from '../../../src/domain/charges/business-days.ts'
import { buildStaticBrCode } from '../../../src/domain/pix/static-br-code.ts'
import { computeBrasiliaDay } from '../../../src/domain/shared/brasilia-day.ts'
import { type ApiFixture, openApiFixture } from '../support/api-fixture.ts'
import { createBrowser, hiddenFieldOf } from '../support/browser.ts'
import { receiveDeposit } from '../support/deposits.ts'
import { insertDispute, insertPaidTransfer, insertRequestedDispute } from '../support/dispute-rows.ts'
import { createDueTerms, insertDueCharge } from '../support/due-charge.ts'
import { createFullAccount, PASSWORD } from '../support/full-account.ts'
import { insertDebit, insertRecurrence } from '../support/recurrences.ts'
import { createSilentClient } from '../support/silent-temporal.ts'

/**
 * Who did it is stored with what was done: no form writes a row or calls a workflow unless its author is recorded in that
 * transaction, or was before. A process that dies in between is one whose record fails.
 */

/** A code that says no more than its key, which every provider pays. */
const CODE = buildStaticBrCode({
  key: 'ana@example.com',
  cents: 750,
  txid: '***',
  receiverName: 'Loja da Ana',
})

let fixture: ApiFixture
let declared: DeclaredRoute[] = []
let ours: Awaited<ReturnType<typeof createFullAccount>>
let merchant: ReturnType<typeof createBrowser>
let operator: ReturnType<typeof createBrowser>
/** A delivery of the webhook that the form of a single delivery does not resend. */
let failedDelivery: string
let colleague: string
let nominal: string
let deposit: string
let dueCharge: string
let manualRecurrence: string
let debit: string
/** A transfer whose money can be asked back, and a dispute of another one that can be cancelled. */
let disputable: string
let requested: string
/** A dispute whose return can be contested, and one whose return is contested. */
let returned: string
let contested: string
/** The reading of `CODE`. */
let reading: string
/** Calls of workflows, each with what was sent, and with the number of records that PostgreSQL had then. */
let calls: { name: string; sent: string; records: number }[] = []

beforeAll(async () => {
  fixture = await openApiFixture(
    [
      (router, dependencies) => {
        declared = dashboardRoutes(router, dependencies)
      },
    ],
    {},
    async () =>
      createSilentClient(async (name, sent) => calls.push({ name, sent, records: await countRecords() })),
  )
  ours = await createFullAccount(fixture)
  failedDelivery = await insertFailedDelivery()
  merchant = createBrowser(fixture)
  await merchant.signIn(ours.email, PASSWORD)
  const on = '/dashboard/transfers/new/code'
  const read = await merchant.send(`${on}/read`, { payload: CODE, mode: 'test' }, { on })
  reading = hiddenFieldOf(read.text, 'read_uuid')!
  const em = fixture.orm.em.fork()
  const order = { email: 'bia@trilho.test', password: PASSWORD, accountUuid: ours.account }
  colleague = (await addUser(em, order)).uuid
  for (const email of ['op@trilho.test', 'rui@trilho.test'])
    await addUser(em, { email, password: PASSWORD, accountUuid: null })
  operator = createBrowser(fixture)
  await operator.signIn('op@trilho.test', PASSWORD)
  const [{ key: pixKey }] = (await ours.sql('select pix_key as key from qr_code where uuid = ?', [
    ours.qrCode,
  ])) as [{ key: string }]
  deposit = await receiveDeposit(fixture, ours.connection, { pixKey })
  nominal = await fixture.insertConnection(ours.account, { provider: 'PROVIDER_D', dialect: 'woovi' })
  disputable = (await insertPaidTransfer(fixture, { connection: nominal })).transfer
  requested = (await insertRequestedDispute(fixture, { connection: nominal })).dispute
  const whole = { connection: nominal, state: 'resolved', returnedAt: new Date() }
  returned = await insertDispute(fixture, whole)
  contested = await insertDispute(fixture, whole)
  await ours.sql(
    `insert into contest (dispute_uuid, account_uuid, state, analysis, request_id, order_uuid, fingerprint, created_at, updated_at)
     values (?, ?, 'pending', 'Entregue.', 'r', ?, 'f', now(), now())`,
    [contested, ours.account, contested],
  )
  const revising = await fixture.insertConnection(ours.account, { provider: 'PROVIDER_C', dialect: 'efi' })
  const due = createDueTerms({ abatement: null, discount: null })
  dueCharge = await insertDueCharge(ours, due, revising)
  manualRecurrence = await insertRecurrence(ours, { generate: 'MANUAL', startsOn: dayFromToday(3) })
  const tried = dayFromToday(-2)
  debit = await insertDebit(ours, {
    recurrence: await insertRecurrence(ours, { startsOn: tried }),
    cycle: 1,
    debitOn: tried,
    tries: [{ on: tried, kind: 'FIRST', status: 'REJECTED', code: 'AB10', endToEnd: null }],
  })
  await ours.sql('update webhook set sealed_secret = ? where uuid = ?', [
    fixture.dependencies.sealer.seal('whsec_b2xk'),
    ours.webhook,
  ])
  await ours.sql(
    `insert into callout_secret (uuid, sealed_secret, masked_secret, created_at) values (?, ?, 'whsec_****', now())`,
    [ours.account, fixture.dependencies.sealer.seal('whsec_b2xk')],
  )
  await ours.sql(
    `update connection set collection_key = 'loja@exemplo.com.br' where uuid = '${ours.connection}'`,
  )
  await ours.sql(`insert into user_totp (uuid, user_uuid, sealed_secret, last_step, created_at)
    values (gen_random_uuid(), '${colleague}', 's', 0, now())`)
})
afterAll(() => fixture?.close())

/** The day in Brasília that is a number of days from today. */
const dayFromToday = (days: number) => addDays(computeBrasiliaDay(new Date()), days)

async function countRecords(): Promise<number> {
  const [row] = await ours.sql('select count(*)::int as n from operator_action')
  return Number(Object(row).n)
}

type FormCase = {
  act: string
  /** Set where a workflow does it. */
  isCall?: true
  fields?: () => Record<string, string> | Promise<Record<string, string>>
  /** The page of the form, where it is not the path without its last part. */
  on?: string
  path?: () => string
}

const once = () => ({ once: randomUUID() })

/** Every form of a merchant's pages, and what it records; a form that does nothing to record says why. */
const FORMS: Record<string, FormCase | string> = {
  '/dashboard/sign-out': 'ends the session that sends it',
  '/dashboard/filters': 'names a filter of the user who sends it',
  '/dashboard/filters/remove': 'removes a filter of the user who sends it',
  '/dashboard/reports/schedules': {
    act: 'report_schedules_change',
    fields: () => ({ kind: 'LEDGER', format: 'OFX', day: 'MONTHLY', hour: '6', mode: 'test' }),
    on: '/dashboard/reports/schedules',
  },
  '/dashboard/reports/schedules/remove': {
    act: 'report_schedules_change',
    fields: () => ({ schedule: 'LEDGER OFX COMMA MONTHLY - 6 -', mode: 'test' }),
    on: '/dashboard/reports/schedules',
  },
  '/dashboard/transfers/new/key': 'recognizes the kind of a key',
  '/dashboard/transfers/new/edit': 'shows the form again',
  '/dashboard/transfers/new/limits': 'reads what the limits say about a value',
  '/dashboard/transfers/new/receiver': 'calls a provider: test/http/dashboard/transfer-receivers.test.ts',
  '/dashboard/transfers/new/account/banks': 'searches banks',
  '/dashboard/transfers/new/account/edit': 'shows the form again',
  '/dashboard/transfers/new/account/limits': 'reads what the limits say about a value',
  '/dashboard/transfers/new/account/receiver': 'reads the fields of its step',
  '/dashboard/transfers/new/account': {
    act: 'transfer_create',
    isCall: true,
    fields: () => ({
      value: '1,00',
      'receiver.name': 'Ana',
      'receiver.document': '52998224725',
      'receiver.ispb': '260',
      'receiver.agency': '1',
      'receiver.account': '123',
      'receiver.account_type': 'CHECKING',
      mode: 'test',
      ...once(),
    }),
    on: '/dashboard/transfers/new/account?mode=test',
  },
  '/dashboard/transfers/new/code/edit': 'shows the form again',
  '/dashboard/transfers/new/code/limits': 'reads what the limits say about a value',
  '/dashboard/transfers/new/code/read': {
    act: 'qr_code_read',
    fields: () => ({ payload: CODE, mode: 'test' }),
    on: '/dashboard/transfers/new/code?mode=test',
  },
  '/dashboard/transfers/new/code': {
    act: 'transfer_create',
    isCall: true,
    fields: () => ({ value: '', read_uuid: reading, mode: 'test', ...once() }),
    on: '/dashboard/transfers/new/code?mode=test',
  },
  '/dashboard/webhooks': 'needs an endpoint that speaks TLS: `createWebhook` has a test of its own',
  '/dashboard/profile/second-factor': 'needs the second factor: test/http/dashboard/profile.test.ts',
  '/dashboard/profile/second-factor/disable': 'needs the second factor: test/http/dashboard/profile.test.ts',
  '/dashboard/charges/new': {
    act: 'charge_create',
    isCall: true,
    fields: () => ({ value: '10,00', expires_in: '3600', mode: 'test', ...once() }),
    on: '/dashboard/charges/new?mode=test',
  },
  '/dashboard/charges/:uuid/cancel': {
    act: 'charge_cancel',
    isCall: true,
    path: () => `/dashboard/charges/${ours.open}/cancel`,
  },
  '/dashboard/charges/:uuid/change': {
    act: 'charge_revise',
    isCall: true,
    fields: () => ({ value: '90,00', ...once() }),
    path: () => `/dashboard/charges/${dueCharge}/change`,
  },
  '/dashboard/charges/:uuid/retry': {
    act: 'charge_retry',
    isCall: true,
    fields: () => ({ on: dayFromToday(1), ...once() }),
    path: () => `/dashboard/charges/${debit}/retry`,
  },
  '/dashboard/charges/:uuid/note': {
    act: 'note',
    fields: () => ({ text: 'O cliente ligou.' }),
    path: () => `/dashboard/charges/${ours.charge}/note`,
  },
  '/dashboard/transfers/:uuid/note': {
    act: 'note',
    fields: () => ({ text: 'Combinado com o fornecedor.' }),
    path: () => `/dashboard/transfers/${ours.transfer}/note`,
  },
  '/dashboard/disputes/:uuid/note': {
    act: 'note',
    fields: () => ({ text: 'Nota fiscal pedida.' }),
    path: () => `/dashboard/disputes/${ours.dispute}/note`,
  },
  '/dashboard/recurrences/new': {
    act: 'recurrence_create',
    isCall: true,
    fields: () => ({
      value: '10,00',
      frequency: 'MONTHLY',
      starts_on: dayFromToday(10),
      contract: 'PLANO-1',
      'debtor.name': 'Ana Lima',
      'debtor.document': '52998224725',
      retry_policy: 'NOT_ALLOWED',
      journey: 'QR',
      mode: 'test',
      ...once(),
    }),
    on: '/dashboard/recurrences/new?mode=test',
  },
  '/dashboard/recurrences/:uuid/charge': {
    act: 'charge_create',
    isCall: true,
    fields: () => ({ due_on: dayFromToday(4), ...once() }),
    path: () => `/dashboard/recurrences/${manualRecurrence}/charge`,
  },
  '/dashboard/recurrences/:uuid/cancel': {
    act: 'recurrence_cancel',
    isCall: true,
    path: () => `/dashboard/recurrences/${manualRecurrence}/cancel`,
  },
  '/dashboard/charges/:uuid/refund': {
    act: 'refund_create',
    isCall: true,
    fields: () => ({ value: '5,00', ...once() }),
  },
  '/dashboard/unmatched/:uuid/return': {
    act: 'deposit_return_create',
    isCall: true,
    path: () => `/dashboard/unmatched/${deposit}/return`,
    fields: () => once(),
  },
  '/dashboard/unmatched/:uuid/assign': {
    act: 'deposit_assign',
    path: () => `/dashboard/unmatched/${deposit}/assign`,
    fields: () => ({ qr_code_uuid: ours.qrCode, ...once() }),
  },
  '/dashboard/qr-codes/new': {
    act: 'qr_code_create',
    fields: () => ({ value: '10,00', on_payment: 'KEEP', mode: 'test', ...once() }),
    on: '/dashboard/qr-codes/new?mode=test',
  },
  '/dashboard/qr-codes/:uuid/disable': {
    act: 'qr_code_disable',
    path: () => `/dashboard/qr-codes/${ours.qrCode}/disable`,
  },
  '/dashboard/charges/:uuid/link': { act: 'link_create' },
  '/dashboard/charges/:uuid/link/revoke': {
    act: 'link_revoke',
    fields: async () => {
      const [{ uuid: link }] = (await ours.sql('select uuid from payment_link where revoked_at is null')) as [
        { uuid: string },
      ]
      return { link }
    },
    on: 'charge',
  },
  '/dashboard/transfers/new': {
    act: 'transfer_create',
    isCall: true,
    fields: () => ({ value: '1,00', pix_key: 'ana@example.com', mode: 'test', ...once() }),
    on: '/dashboard/transfers/new?mode=test',
  },
  '/dashboard/transfers/:uuid/cancel': {
    act: 'transfer_cancel',
    isCall: true,
    path: () => `/dashboard/transfers/${ours.waiting}/cancel`,
  },
  '/dashboard/transfers/:uuid/approve': {
    act: 'transfer_approve',
    path: () => `/dashboard/transfers/${ours.held}/approve`,
  },
  '/dashboard/transfers/:uuid/reject': {
    act: 'transfer_reject',
    fields: () => ({ reason: 'wrong supplier' }),
    path: () => `/dashboard/transfers/${ours.held}/reject`,
  },
  '/dashboard/transfers/batches/new': 'has a file: test/http/dashboard/batches.test.ts',
  '/dashboard/transfers/batches/:uuid/approve': 'needs a DRAFT batch: test/http/dashboard/batches.test.ts',
  '/dashboard/transfers/batches/:uuid/reject': 'needs a DRAFT batch: test/http/dashboard/batches.test.ts',
  '/dashboard/transfers/batches/:uuid/cancel': {
    act: 'batch_cancel',
    isCall: true,
    path: () => `/dashboard/transfers/batches/${ours.batch}/cancel`,
  },
  '/dashboard/transfers/:uuid/dispute': {
    act: 'dispute_create',
    isCall: true,
    path: () => `/dashboard/transfers/${disputable}/dispute`,
    fields: () => ({ dispute_type: 'SCAM', details: 'Loja falsa.', ...once() }),
  },
  '/dashboard/disputes/:uuid/cancel': {
    act: 'dispute_cancel',
    isCall: true,
    path: () => `/dashboard/disputes/${requested}/cancel`,
  },
  '/dashboard/disputes/:uuid/reply': {
    act: 'dispute_reply',
    isCall: true,
    fields: () => ({ accept: '1', understood: '1', analysis: 'Nada a opor.' }),
  },
  '/dashboard/disputes/:uuid/contest': {
    act: 'dispute_contest',
    path: () => `/dashboard/disputes/${returned}/contest`,
    fields: () => ({ understood: '1', analysis: 'Entregue.' }),
  },
  '/dashboard/keys/code': {
    act: 'auth_code_create',
    isCall: true,
    fields: () => ({
      type: 'EMAIL',
      key: 'ana@example.com',
      provider_uuid: nominal,
      mode: 'test',
      ...once(),
    }),
    on: '/dashboard/keys?mode=test',
  },
  '/dashboard/keys': {
    act: 'pix_key_create',
    isCall: true,
    fields: () => ({ type: 'RANDOM', provider_uuid: nominal, mode: 'test', ...once() }),
    on: '/dashboard/keys?mode=test',
  },
  '/dashboard/keys/remove': {
    act: 'pix_key_remove',
    isCall: true,
    fields: async () => {
      const [{ key }] = (await ours.sql('select key from pix_key where uuid = ?', [ours.pixKey])) as [
        { key: string },
      ]
      return { key, mode: 'test' }
    },
    on: '/dashboard/keys?mode=test',
  },
  '/dashboard/providers/order': {
    act: 'account_defaults',
    fields: () => ({ order: ours.connection, move: `add ${nominal}`, mode: 'test' }),
    on: '/dashboard/providers',
  },
  '/dashboard/limits': {
    act: 'limits_change',
    fields: () => ({ per_day: '100', 'night.from': '20:00', 'night.to': '06:00' }),
  },
  '/dashboard/limits/callout/rotate': {
    act: 'callout_rotate',
    fields: async () => ({
      replaces: hiddenFieldOf((await merchant.get('/dashboard/limits')).text, 'replaces')!,
    }),
    on: '/dashboard/limits',
  },
  '/dashboard/tokens': { act: 'token_issue', fields: () => ({ name: 'loja', mode: 'test', ...once() }) },
  '/dashboard/tokens/:uuid/permissions': { act: 'token_restrict', fields: () => ({ scopes: 'read' }) },
  '/dashboard/tokens/:uuid/revoke': { act: 'token_revoke', on: '/dashboard/tokens' },
  '/dashboard/webhooks/:uuid/rotate': {
    act: 'webhook_rotate',
    fields: async () => {
      const { text } = await merchant.get(`/dashboard/webhooks/${ours.webhook}`)
      return { replaces: hiddenFieldOf(text, 'replaces')! }
    },
  },
  '/dashboard/webhooks/:uuid/change': { act: 'webhook_change', fields: () => ({ events: 'MED' }) },
  '/dashboard/webhooks/:uuid/recover': {
    act: 'webhook_recover',
    isCall: true,
    fields: () => ({ since: '2026-01-01T00:00' }),
  },
  '/dashboard/webhooks/:uuid/test': { act: 'webhook_test', fields: once },
  '/dashboard/webhooks/:uuid/deliveries/:delivery/resend': {
    act: 'webhook_resend',
    path: () => `/dashboard/webhooks/${ours.webhook}/deliveries/${ours.delivery}/resend`,
    on: 'webhook',
  },
  '/dashboard/webhooks/:uuid/resend': {
    act: 'webhook_resend',
    fields: () => ({ delivery: failedDelivery }),
    on: 'webhook',
  },
  '/dashboard/webhooks/:uuid/remove': { act: 'webhook_remove' },
  '/dashboard/users/invitations': {
    act: 'invite_user',
    fields: () => ({ email: 'eva@trilho.test', role: 'viewer', ...once() }),
    on: '/dashboard/users',
  },
  '/dashboard/users/invitations/:uuid/revoke': {
    act: 'revoke_invitation',
    path: () => `/dashboard/users/invitations/${ours.invitation}/revoke`,
    on: '/dashboard/users',
  },
  '/dashboard/users/:uuid/role': { act: 'make_finance', fields: () => ({ role: 'finance' }) },
  '/dashboard/users/:uuid/password-reset': { act: 'start_password_reset', fields: once },
  '/dashboard/users/:uuid/totp': { act: 'reset_totp' },
  '/dashboard/users/:uuid/remove': { act: 'remove_user' },
  '/dashboard/reports': {
    act: 'report_create',
    isCall: true,
    fields: () => ({
      kind: 'LEDGER',
      format: 'CSV',
      date_from: dayFromToday(-2),
      date_to: dayFromToday(-1),
      mode: 'test',
      ...once(),
    }),
    on: '/dashboard/reports?mode=test',
  },
  '/dashboard/reports/:uuid/remove': {
    act: 'report_delete',
    isCall: true,
    path: () => `/dashboard/reports/${ours.report}/remove?mode=test`,
    on: '/dashboard/reports?mode=test',
  },
  '/dashboard/settings/time-zone': {
    act: 'account_time_zone',
    fields: () => ({ time_zone: 'America/Manaus' }),
    on: '/dashboard/settings',
  },
  '/dashboard/profile/sessions/end': { act: 'end_sessions', on: '/dashboard/profile' },
  '/dashboard/profile/sessions/:uuid/end': { act: 'end_sessions', on: '/dashboard/profile' },
  '/dashboard/profile/password': {
    act: 'change_password',
    fields: () => ({ current_password: PASSWORD, password: 'another long enough password' }),
    on: '/dashboard/profile',
  },
}

function addressOf(path: string, form: FormCase): { path: string; on: string } {
  const objects: Record<string, () => string> = {
    charges: () => ours.charge,
    disputes: () => ours.dispute,
    webhooks: () => ours.webhook,
    tokens: () => ours.token,
    users: () => colleague,
  }
  const address = form.path?.() ?? path.replace(':uuid', objects[path.split('/')[2]!]?.() ?? randomUUID())
  const pages: Record<string, string> = {
    charge: `/dashboard/charges/${ours.charge}`,
    webhook: `/dashboard/webhooks/${ours.webhook}`,
  }
  const [, parent] = /^(.*)\/[^/]+$/.exec(address)!
  const ownPage = path.split('/').length === 3 ? address : parent!
  return { path: address, on: pages[form.on ?? ''] ?? form.on ?? ownPage }
}

async function insertFailedDelivery(): Promise<string> {
  const [{ uuid }] = (await ours.sql(
    `with other as (
       insert into event (uuid, account_uuid, connection_uuid, type, subject_uuid, sequence, body, owner_uuid, request_id, created_at)
       select gen_random_uuid(), account_uuid, connection_uuid, type, subject_uuid, 1000, body, owner_uuid, request_id, created_at
       from event where uuid = (select event_uuid from delivery where uuid = ?)
       returning uuid, type, created_at
     )
     insert into delivery (uuid, webhook_uuid, event_uuid, event_type, status, attempt_count, created_at, updated_at)
     select gen_random_uuid(), ?, uuid, type, 'FAILED', 1, created_at, created_at from other returning uuid`,
    [ours.delivery, ours.webhook],
  )) as [{ uuid: string }]
  return uuid
}

async function submit(path: string, form: FormCase) {
  const { path: address, on } = addressOf(path, form)
  const fields = (await form.fields?.()) ?? {}
  if (!/\/(?:reply|contest)$/.test(path)) return merchant.confirm(address, fields, { on })
  const multipart = new FormData()
  const csrf = hiddenFieldOf((await merchant.get(on)).text, '_csrf')!
  for (const [name, value] of Object.entries({ ...fields, _csrf: csrf })) multipart.set(name, value)
  return merchant.call('POST', address, { multipart })
}

/** Tables of no act: limits of attempts, and the session's own last use. */
const UNOBSERVED = [
  ...['operator_action', 'sign_in_attempt', 'dashboard_session', 'pix_key_creation_times'],
  ...['auth_code_request', 'user_attempt'],
]

/** Digests of all rows of all tables but `UNOBSERVED`. */
async function readRows(): Promise<Record<string, string>> {
  const tables = (await ours.sql(
    `select relname as name from pg_class where relkind in ('r', 'p') and not relispartition
       and relnamespace = 'public'::regnamespace order by 1`,
  )) as { name: string }[]
  const rows: Record<string, string> = {}
  for (const { name } of tables.filter(table => !UNOBSERVED.includes(table.name))) {
    const [row] = (await ours.sql(
      `select coalesce(md5(string_agg(t::text, '|' order by t::text)), '') as digest from "${name}" t`,
    )) as [{ digest: string }]
    rows[name] = row.digest
  }
  return rows
}

/** Acts whose workflow stores a row of its own. */
const STORED_ORDERS = [
  ...['charge_create', 'refund_create', 'deposit_return_create', 'transfer_create', 'pix_key_create'],
  ...['recurrence_create', 'report_create'],
]

const submittable = Object.entries(FORMS).filter(
  (one): one is [string, FormCase] => typeof one[1] !== 'string',
)

test('every form of a merchant’s pages is in the table', () => {
  const forms = declared.filter(({ method, permission }) => method === 'POST' && permission !== 'operator')
  expect(Object.keys(FORMS).sort()).toEqual(forms.map(({ path }) => path).sort())
})

describe.each(submittable)('%s', (path, form) => {
  test('does nothing where its author cannot be recorded', async () => {
    await ours.sql(`create function refuse_author() returns trigger language plpgsql as
      $$ begin raise exception 'the process ends here'; end $$`)
    await ours.sql(
      'create trigger refused before insert on operator_action for each row execute function refuse_author()',
    )
    calls = []
    const before = await readRows()
    const { status } = await submit(path, form).finally(() => ours.sql('drop function refuse_author cascade'))
    expect({ status, rows: await readRows(), calls }).toEqual({ status: 500, rows: before, calls: [] })
  })

  test(`records ${form.act}, before a workflow is called`, async () => {
    await ours.sql('delete from pix_key_creation_times')
    calls = []
    const before = await countRecords()
    const { status } = await submit(path, form)
    expect([200, 303, 503]).toContain(status)
    const recorded = await ours.sql(
      'select action, actor, account_uuid from operator_action order by at desc, uuid limit ?',
      [(await countRecords()) - before],
    )
    expect(recorded).toEqual([{ action: form.act, actor: ours.email, account_uuid: ours.account }])
    expect(calls.filter(({ records }) => records <= before)).toEqual([])
    if (form.isCall) expect(calls).not.toEqual([])
    // The author travels in the order, so that the row of the operation names it after a restored backup too.
    const isNamed = calls.some(({ sent }) => sent.includes(`"userUuid":"${ours.user}"`))
    if (STORED_ORDERS.includes(form.act)) expect(isNamed).toBe(true)
  })
})

const REASON = 'asked by the merchant'

/** Every form of operators, and what it records. */
const OPERATOR_FORMS: Record<string, FormCase | string> = {
  'accounts/connect': 'calls a provider: `onboardConnection` stores the connection with its record',
  'accounts/connections/credentials': 'calls a provider: `replaceCredentials` stores them with their record',
  'answers/open': 'needs a sealed answer: test/http/providers/unexplained-answers.test.ts',
  'accounts/close': 'closes the pages that it opened, for the operator alone',
  recover: {
    act: 'resend',
    isCall: true,
    fields: async () => {
      await ours.sql('update webhook set deleted_at = null where uuid = ?', [ours.webhook])
      return { uuid: ours.webhook, since: '2026-01-01T00:00:00Z', reason: REASON }
    },
  },
  contest: {
    act: 'contest_sent',
    fields: () => ({ dispute: contested, event: 'sent', protocol: 'P-1', reason: REASON }),
  },
  ask: { act: 'ask_provider', isCall: true, fields: () => ({ noun: 'transfer', uuid: ours.unknown }) },
  return: { act: 'return_unmatched', isCall: true, fields: readUnmatched },
  keep: { act: 'keep_unmatched', isCall: true, fields: readUnmatched },
  settle: {
    // Temporal knows no workflow of this payout here, so that none is signalled.
    act: 'settle_rejected',
    fields: () => ({
      noun: 'transfer',
      uuid: ours.unknown,
      attempt: ours.unknownAttempt,
      sending: '0',
      as: 'rejected',
      evidence: 'written',
      reason: REASON,
    }),
  },
  'differences/close': {
    act: 'difference_accepted',
    fields: async () => {
      const { text } = await operator.get(`/dashboard/operator/differences/${ours.difference}`)
      const facts = hiddenFieldOf(text, 'facts')!
      return { uuid: ours.difference, facts, as: 'accepted', reason: REASON }
    },
  },
  'differences/reopen': {
    act: 'difference_reopen',
    fields: async () => {
      const { text } = await operator.get(`/dashboard/operator/differences/${ours.difference}`)
      return { uuid: ours.difference, closed_at: hiddenFieldOf(text, 'closed_at')!, reason: REASON }
    },
  },
  pause: { act: 'pause_money_out', fields: () => ({ target: 'all', reach: 'money_out', reason: REASON }) },
  resume: { act: 'resume', fields: () => ({ target: 'all', reason: REASON }) },
  breaker: {
    act: 'breaker_reset',
    fields: async () => {
      await ours.sql(
        `insert into circuit_breaker (connection_uuid, opened_at) values (?, now())
         on conflict (connection_uuid) do update set opened_at = now()`,
        [ours.connection],
      )
      return { uuid: ours.connection, reason: REASON }
    },
  },
  'entries/adjust': {
    act: 'ledger_adjust',
    fields: () => ({
      connection: ours.connection,
      direction: 'IN',
      value: '1,00',
      reason: REASON,
      ...once(),
    }),
  },
  'entries/approve': {
    act: 'ledger_approve',
    fields: async () => {
      const adjustment = randomUUID()
      await ours.sql(
        `insert into ledger_adjustment (uuid, account_uuid, connection_uuid, movement_type, value_cents, reason, proposed_by, expires_at)
         select ?, ?, ?, 'IN', 200, 'r', uuid, now() + interval '1 day' from app_user where email = 'rui@trilho.test'`,
        [adjustment, ours.account, ours.connection],
      )
      return { adjustment, reason: REASON }
    },
  },
  'accounts/new': {
    act: 'account_open',
    fields: () => ({ name: 'Loja', document: '11222333000181', reason: REASON, ...once() }),
  },
  'accounts/users': {
    act: 'invite_user',
    fields: () => ({ uuid: ours.account, email: 'dona@trilho.test', reason: REASON, ...once() }),
  },
  'accounts/open': { act: 'open_account', fields: () => ({ account: ours.account, reason: REASON }) },
  'accounts/policy': {
    act: 'account_policy',
    fields: () => ({
      uuid: ours.account,
      unmatched: 'keep',
      wrong_payer: 'review',
      disputed_splits: 'owner',
      unique_external_ref: 'yes',
      reason: REASON,
    }),
  },
  'accounts/time-zone': {
    act: 'account_time_zone',
    fields: () => ({ uuid: ours.account, time_zone: 'America/Recife', reason: REASON }),
  },
  'accounts/connections/status': {
    act: 'connection_status',
    fields: () => ({ uuid: nominal, status: 'INACTIVE', public: 'yes', reason: REASON }),
  },
  'accounts/connections/fees': {
    act: 'connection_fees',
    fields: () => ({
      uuid: ours.connection,
      charge: '1,00',
      transfer: '1,00',
      refund: '1,00',
      reason: REASON,
    }),
  },
  'accounts/connections/limit': {
    act: 'connection_limit',
    fields: () => ({ uuid: ours.connection, max_per_transfer: '15.000,00', reason: REASON }),
  },
  'accounts/status': {
    act: 'account_block',
    fields: () => ({ uuid: ours.account, status: 'BLOCKED', reason: REASON }),
  },
}

async function readUnmatched() {
  const state = { disposition: 'not_returned', sending: '0', cents: '4242' }
  return { uuid: ours.unmatched, ...state, reason: REASON }
}

test('every form of operators is in the table', () => {
  const forms = declared.filter(({ method, permission }) => method === 'POST' && permission === 'operator')
  const paths = forms.map(({ path }) => path.replace('/dashboard/operator/', ''))
  expect(Object.keys(OPERATOR_FORMS).sort()).toEqual(paths.sort())
})

const operatorForms = Object.entries(OPERATOR_FORMS).filter(
  (one): one is [string, FormCase] => typeof one[1] !== 'string',
)

describe.each(operatorForms)('/dashboard/operator/%s', (path, form) => {
  const submitAsOperator = (fields: Record<string, string>) =>
    operator.confirm(`/dashboard/operator/${path}`, fields, { on: '/dashboard/operator/accounts' })

  test(`records ${form.act} with what it does, or does nothing`, async () => {
    const fields = (await form.fields?.()) ?? {}
    const before = await readRows()
    calls = []
    await ours.sql(`create function refuse_author() returns trigger language plpgsql as
      $$ begin raise exception 'the process ends here'; end $$`)
    await ours.sql(
      'create trigger refused before insert on operator_action for each row execute function refuse_author()',
    )
    const refused = await submitAsOperator(fields).finally(() =>
      ours.sql('drop function refuse_author cascade'),
    )
    const nothing = { status: 500, rows: before, calls: [] }
    expect({ status: refused.status, rows: await readRows(), calls }).toEqual(nothing)

    const records = await countRecords()
    await submitAsOperator(fields)
    const recorded = await ours.sql(
      'select action, actor from operator_action order by at desc, uuid limit ?',
      [(await countRecords()) - records],
    )
    expect(recorded).toEqual([{ action: form.act, actor: 'op@trilho.test' }])
    expect(calls.filter(call => call.records <= records)).toEqual([])
    if (form.isCall) expect(calls).not.toEqual([])
  })
})

test('a webhook that a user creates is stored with its author, or not at all', async () => {
  const token = { uuid: ours.user, accountUuid: ours.account, connectionUuid: null, mode: 'live' as const }
  const body = { url: 'https://shop.example/in' }
  const { sealer } = fixture.dependencies
  const inspect = async () => ({ kind: 'usable' }) as never
  const create = (author: string) => {
    const order = { body, token: { ...token, author }, idempotencyKey: null, em: fixture.orm.em.fork() }
    return createWebhook({ sealer, inspect }, order)
  }
  const before = await readRows()
  await expect(create('')).rejects.toThrow(/operator_action_actor_check/) // No author: PostgreSQL refuses the record.
  expect(await readRows()).toEqual(before)
  const { uuid } = (await create(ours.email)).body.data
  const recorded = await ours.sql('select action from operator_action where subject = ?', [
    `endpoint/${uuid}`,
  ])
  expect(recorded).toEqual([{ action: 'webhook_create' }])
  const [row] = await ours.sql('select user_uuid, token_number from webhook where uuid = ?', [uuid])
  expect(row).toEqual({ user_uuid: ours.user, token_number: null })
})
